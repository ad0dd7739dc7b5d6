import GRDB
import IMLocalData
import IMProtocol

// Searches for messages, in their order and by words.

extension UserDataTransaction {
    /// Up to this many results of the index are read for all conversations together.
    private static let groupedHitsMax = 10_000

    func history(_ request: LocalRequest) throws -> LocalAnswer {
        try page(request, in: request.conversation, oldestFirst: request.flag("reverse")) { try messages($0) }
    }

    /// - Parameter conversation: nil for all.
    func searchMessages(_ request: LocalRequest, in conversation: ConversationID?) throws -> LocalAnswer {
        let filter = MessageFilter(request)
        let query = Bigrams.query(for: request.list("keywords"))
        return try page(request, in: conversation, oldestFirst: request.choice("order") == 1) { range in
            try messages(range, where: filter, query: query)
        }
    }

    private func page(
        _ request: LocalRequest, in id: ConversationID?, oldestFirst: Bool, _ find: (Range) throws -> [LocalMessage]
    ) throws -> LocalAnswer {
        let known = try id.map { try self.known($0) }
        if id != nil, known ?? nil == nil { return found([]) }
        let count = request.count()
        let found = try find(
            Range(
                conversation: known??.serial, after: Position(request.text("nextMessage")), oldestFirst: oldestFirst,
                most: count + 1))
        let shown = found.prefix(count)
        let next = shown.count < found.count ? shown.last.map { $0.position.text } : nil
        return self.found(shown.map(rows.row), next: next ?? "")
    }

    /// In the order in which the conversations began, so that a message that arrives between two pages does not move
    /// them.
    func searchConversations(_ request: LocalRequest) throws -> LocalAnswer {
        let byName = request.choice("mode") == 1
        let flag = UInt32(request.text("nextFlag")) ?? 0
        let keywords = Keywords(request.list("keywords"))
        let filter = MessageFilter(request)
        let few = byName ? nil : try fewHits(request, filter)
        var left = request.count("totalConversationCount")
        var found: [AnswerRows.Fields] = []
        var last: UInt32 = 0
        for conversation in try allConversations() where conversation.isListed && conversation.serial > flag {
            var hits: [LocalMessage] = []
            if !byName { hits = try few.map { $0[conversation.id] ?? [] } ?? allHits(filter, in: conversation.serial) }
            let texts = byName ? [try name(of: conversation), conversation.alias] : []
            guard byName ? keywords.occur(in: texts) : !hits.isEmpty else { continue }
            guard left > 0 else { return self.found(found, next: String(last)) }
            left -= 1
            last = conversation.serial
            found.append(try row(conversation) + [("totalMessageCount", String(hits.count))])
            found += hits.prefix(request.count("conversationMessageCount")).map(rows.row)
        }
        return self.found(found)
    }

    /// All matches in a conversation, newest first.
    private func allHits(_ filter: MessageFilter, in serial: UInt32) throws -> [LocalMessage] {
        let range = Range(conversation: serial, after: nil, oldestFirst: false, most: .max)
        return try messages(range, where: filter, query: nil)
    }

    /// The matches in every conversation, newest first. Nil if the index finds too many; then conversations are
    /// searched one after the other until the page is full.
    private func fewHits(_ request: LocalRequest, _ filter: MessageFilter) throws -> [ConversationID: [LocalMessage]]? {
        guard let query = Bigrams.query(for: request.list("keywords")),
            try hits(query, most: Self.groupedHitsMax + 1).count <= Self.groupedHitsMax
        else { return nil }
        let range = Range(conversation: nil, after: nil, oldestFirst: false, most: .max)
        let hits = try read(try hits(query, most: Self.groupedHitsMax), range, filter)
        return Dictionary(grouping: hits, by: \.conversation)
    }
}
