import IMProtocol

// Finds the data for the rows of an answer, and divides the rows into pages.

extension UserRecords {
    typealias Fields = AnswerRows.Fields

    /// The stored data of a user; only the id if no data is stored.
    func storedUser(_ user: String) throws(Failure) -> LocalUser {
        guard case .user(let known)? = try entry(.user, user) else { return LocalUser(id: user) }
        return known
    }

    func group(_ id: String) throws(Failure) -> LocalGroup? {
        guard case .group(let group)? = try entry(.group, id) else { return nil }
        return group
    }

    /// The row of an entry of a table; empty for changes that no table stores.
    func row(_ change: LocalChange) throws(Failure) -> Fields {
        switch change {
        case .user(let user): rows.row(user)
        case .friend(let friend): rows.row(friend, try storedUser(friend.user))
        case .friendApplication(let application): rows.row(application)
        case .blacklisted(let user, _): rows.row(try storedUser(user))
        case .group(let group): rows.row(group)
        case .member(_, let member): rows.row(member, try storedUser(member.user))
        case .groupApplication(let application): rows.row(application)
        case .call(let call): rows.row(call)
        default: []
        }
    }

    func row(_ conversation: LocalConversation) throws(Failure) -> Fields {
        var conversation = conversation
        conversation.name = try name(of: conversation)
        return rows.row(conversation, last: try lastMessage(of: conversation))
    }

    /// The name that the server set for a conversation; else the name of its user or group.
    func name(of conversation: LocalConversation) throws(Failure) -> String {
        if !conversation.name.isEmpty { return conversation.name }
        switch conversation.id.kind {
        case .peer: return try storedUser(conversation.id.id).name
        case .group: return try group(conversation.id.id)?.name ?? ""
        }
    }

    // MARK: Answers

    func found(_ rows: [Fields], next: String = "") -> LocalAnswer {
        LocalAnswer(.ok, rows.map { AnswerRow($0) }, next: next)
    }

    /// A page of a table.
    ///
    /// - Parameter condition: nil for all entries.
    func page(
        _ table: EntryTable, _ request: LocalRequest, newestFirst: Bool = false,
        where condition: ((LocalChange) throws(Failure) -> Bool)? = nil
    ) throws(Failure) -> LocalAnswer {
        var flag = UInt32(request.text("nextFlag")) ?? 0
        let most = request.count() + 1
        var following: [EntryTable.Entry] = []
        while following.count < most {
            let batch = try entries(
                table, after: flag, newestFirst: newestFirst, most: condition == nil ? most : Self.batch)
            for entry in batch {
                if let condition, try !condition(entry.change) { continue }
                following.append(entry)
            }
            guard condition != nil, batch.count == Self.batch, let last = batch.last else { break }
            flag = last.serial
        }
        return try page(of: following, request, place: { String($0.serial) }) { (entry) throws(Failure) in
            try row(entry.change)
        }
    }

    /// The number of entries that ``page(_:_:newestFirst:where:)`` reads at once if it has a condition.
    private static var batch: Int { 256 }

    /// All entries of a table.
    func all(_ table: EntryTable) throws(Failure) -> [LocalChange] {
        try entries(table, after: 0, newestFirst: false, most: .max).map(\.change)
    }

    /// The answer with the next page.
    ///
    /// - Parameters:
    ///   - following: the entries after the previous page: one more than fits on a page, or all if there are fewer.
    ///   - place: the text by which a request continues after this entry.
    ///   - row: the row of an entry.
    func page<Entry>(
        of following: [Entry], _ request: LocalRequest, place: (Entry) -> String,
        _ row: (Entry) throws(Failure) -> Fields
    ) throws(Failure) -> LocalAnswer {
        let shown = following.prefix(request.count())
        let next = shown.count < following.count ? shown.last.map(place) : nil
        return found(try shown.map(row), next: next ?? "")
    }

    var done: LocalAnswer { LocalAnswer(.ok) }
    /// The answer for a message that does not exist.
    var missing: LocalAnswer { LocalAnswer(.notFound) }
    var missingGroup: LocalAnswer { LocalAnswer(.groupNotFound) }
}
