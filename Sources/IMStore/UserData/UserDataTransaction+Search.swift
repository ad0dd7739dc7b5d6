import GRDB
import IMData
import IMProtocol

// Messages by their words, and in their order. What the index finds is looked at before it counts, so that the answer is
// that of a look at every message.

extension UserDataTransaction {
    /// So many messages are looked at one after the other before the index is asked: a word that is in many of them fills
    /// its page sooner than all of these could be gathered and sorted.
    private static let walkMax = 2000
    /// Conversations with messages that the index finds are told one by one as long as there are no more.
    private static let hitsMax = 5000

    /// Messages in the order of their places that a request asks for.
    struct Range {
        /// Only of that conversation.
        var conversation: UInt32?
        /// Behind that place.
        var after: Position?
        var oldestFirst: Bool
        /// No more are wanted.
        var most: Int
    }

    func messages(_ range: Range, keywords: [String], where condition: (LocalMessage) -> Bool) throws -> [LocalMessage]
    {
        let query = Grams.query(for: keywords)
        var found: [LocalMessage] = []
        var walked = 0
        var last = range.after
        let cursor = try cursor(range, table: "message", match: nil)
        while let row = try cursor.next() {
            let message = try message(row)
            if condition(message) { found.append(message) }
            guard found.count < range.most else { return found }
            walked += 1
            last = message.position
            guard query == nil || walked < Self.walkMax else { break }
        }
        guard let query, walked >= Self.walkMax else { return found }
        var rest = range
        rest.after = last
        let hits = try self.cursor(rest, table: "gram CROSS JOIN message ON message.localID = gram.rowid", match: query)
        while found.count < range.most, let row = try hits.next() {
            let message = try message(row)
            if condition(message) { found.append(message) }
        }
        return found
    }

    private func cursor(_ range: Range, table: String, match: String?) throws -> RowCursor {
        var conditions: [String] = []
        var arguments: StatementArguments = []
        if let match {
            conditions.append("gram MATCH ?")
            arguments += [match]
        }
        if let conversation = range.conversation {
            conditions.append("conversation = ?")
            arguments += [conversation]
        }
        if let after = range.after {
            conditions.append("(timestamp, sequence, localID) \(range.oldestFirst ? ">" : "<") (?, ?, ?)")
            arguments += Bound(after, isEnd: !range.oldestFirst).arguments
        }
        let order = range.oldestFirst ? "ASC" : "DESC"
        return try cursor(
            """
            SELECT message.* FROM \(table) \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
            ORDER BY timestamp \(order), sequence \(order), localID \(order)
            """, arguments)
    }

    // MARK: Calls

    func history(_ request: LocalRequest) throws -> LocalAnswer {
        try page(request, in: request.conversation, oldestFirst: request.flag("reverse"), keywords: []) { _ in true }
    }

    /// - Parameter conversation: nil for all.
    func searchMessages(_ request: LocalRequest, in conversation: ConversationID?) throws -> LocalAnswer {
        try page(
            request, in: conversation, oldestFirst: request.choice("order") == 1, keywords: request.list("keywords"),
            where: request.matches)
    }

    private func page(
        _ request: LocalRequest, in id: ConversationID?, oldestFirst: Bool, keywords: [String],
        where condition: (LocalMessage) -> Bool
    ) throws -> LocalAnswer {
        let known = try id.map { try self.known($0) }
        if id != nil, known ?? nil == nil { return found([]) }
        let count = request.count()
        let range = Range(
            conversation: known??.serial, after: Position(request.text("nextMessage")), oldestFirst: oldestFirst,
            most: count + 1)
        let found = try messages(range, keywords: keywords, where: condition)
        let shown = found.prefix(count)
        let next = shown.count < found.count ? shown.last.map { $0.position.text } : nil
        return self.found(shown.map(rows.row), next: next ?? "")
    }

    /// In the order in which the conversations began: a message that comes between two pages moves none of them.
    func searchConversations(_ request: LocalRequest) throws -> LocalAnswer {
        let byName = request.choice("mode") == 1
        let flag = UInt32(request.text("nextFlag")) ?? 0
        let candidates = byName ? nil : try conversationsWithHits(request)
        var left = request.count("totalConversationCount")
        var found: [AnswerRows.Fields] = []
        var last: UInt32 = 0
        for conversation in try allConversations() where conversation.isListed && conversation.serial > flag {
            if let candidates, !candidates.contains(conversation.serial) { continue }
            let texts = [conversation.name, conversation.alias]
            let hits = byName ? [] : try hits(request, in: conversation.serial)
            guard byName ? FoldedText.matches(texts, request.list("keywords")) : !hits.isEmpty else { continue }
            guard left > 0 else { return self.found(found, next: String(last)) }
            left -= 1
            last = conversation.serial
            found.append(try row(conversation) + [("totalMessageCount", String(hits.count))])
            found += hits.prefix(request.count("conversationMessageCount")).map(rows.row)
        }
        return self.found(found)
    }

    /// Everything in a conversation that is looked for, newest first.
    private func hits(_ request: LocalRequest, in serial: UInt32) throws -> [LocalMessage] {
        let range = Range(conversation: serial, after: nil, oldestFirst: false, most: .max)
        return try messages(range, keywords: request.list("keywords"), where: request.matches)
    }

    /// The conversations in which the index finds the words; nil where they are in so many messages that looking at one
    /// conversation after the other fills the page sooner.
    private func conversationsWithHits(_ request: LocalRequest) throws -> Set<UInt32>? {
        guard let query = Grams.query(for: request.list("keywords")) else { return nil }
        let count: Int =
            try row(
                "SELECT COUNT(*) FROM (SELECT 1 FROM gram WHERE gram MATCH ? LIMIT ?)", [query, Self.hitsMax + 1])?[0]
            ?? 0
        guard count <= Self.hitsMax else { return nil }
        let cursor = try cursor(
            """
            SELECT DISTINCT conversation FROM gram CROSS JOIN message ON message.localID = gram.rowid
            WHERE gram MATCH ?
            """, [query])
        var found: Set<UInt32> = []
        while let row = try cursor.next() { found.insert(row["conversation"]) }
        return found
    }
}
