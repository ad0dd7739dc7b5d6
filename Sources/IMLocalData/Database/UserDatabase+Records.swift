import IMProtocol
import OrderedCollections

extension UserDatabase: UserRecords {
    package typealias Failure = Never

    package var rows: AnswerRows { AnswerRows(owner: owner) }

    // MARK: Entries

    package func entry(_ table: EntryTable, _ name: String) -> LocalChange? { tables[table]?[name] }

    package func count(_ table: EntryTable) -> Int? { tables[table]?.count }

    package func entries(
        _ table: EntryTable, after flag: UInt32, newestFirst: Bool, most: Int
    ) -> [EntryTable.Entry] {
        tables[table]?.entries(after: flag, newestFirst: newestFirst, most: most) ?? []
    }

    package mutating func set(_ table: EntryTable, _ name: String, _ change: LocalChange, serial: UInt32?) {
        tables[table, default: LocalTable()].set(name, change, serial: serial)
    }

    package mutating func remove(_ table: EntryTable, _ name: String) { tables[table]?.remove(name) }

    package mutating func removeAll(_ table: EntryTable) { tables[table] = nil }

    // MARK: Conversations

    package func storedConversation(_ id: ConversationID) -> LocalConversation? { conversations[id] }

    package mutating func findOrCreate(_ id: ConversationID) -> LocalConversation {
        if let known = conversations[id] { return known }
        lastConversation += 1
        var new = LocalConversation(id: id)
        new.serial = lastConversation
        conversations[id] = new
        return new
    }

    package mutating func save(_ conversation: LocalConversation) { conversations[conversation.id] = conversation }

    package func allConversations() -> [LocalConversation] { Array(conversations.values) }

    package func listed(
        after position: Position?, most: Int, where condition: (LocalConversation) -> Bool
    ) -> [LocalConversation] {
        let following = conversations.values.filter { conversation in
            guard conversation.isListed, condition(conversation) else { return false }
            return position.map { conversation.position < $0 } ?? true
        }
        return Array(following.sorted { $1.position < $0.position }.prefix(most))
    }

    // MARK: Messages

    package func stored(_ message: LocalMessage) -> LocalMessage? { self.message(message.name) }

    package func lastMessage(of conversation: LocalConversation) -> LocalMessage? { messages[conversation.id]?.last }

    package func messages(_ range: MessageRange, where filter: MessageFilter?) -> [LocalMessage] {
        let all = range.conversation.map { messages[$0.id] ?? [] } ?? messages.values.flatMap { $0 }
        var found = all.filter { message in
            guard filter?.matches(message) ?? true else { return false }
            guard let after = range.after else { return true }
            return range.oldestFirst ? after < message.position : message.position < after
        }
        if range.conversation == nil {
            found.sort(by: range.isBefore)
        } else if !range.oldestFirst {
            found.reverse()
        }
        return Array(found.prefix(range.most))
    }

    package func matchesByConversation(_ filter: MessageFilter) -> [ConversationID: [LocalMessage]]? { nil }

    package func readers(of message: LocalMessage) -> OrderedSet<String> { OrderedSet(message.readers) }

    @discardableResult
    package mutating func insert(_ message: LocalMessage, in conversation: LocalConversation) -> LocalMessage {
        lastLocalID += 1
        var message = message
        message.localID = lastLocalID
        insertByPosition(message)
        if !message.id.isEmpty {
            if places[message.id] == nil {
                places[message.id] = message.conversation
            } else {
                places[UserDatabase.sharedName(of: message.id)] = message.conversation
            }
        }
        places[UserDatabase.name(of: message.localID)] = message.conversation
        return message
    }

    /// Inserts a message into its conversation, which is sorted by position.
    private mutating func insertByPosition(_ message: LocalMessage) {
        let list = messages[message.conversation] ?? []
        messages[message.conversation, default: []].insert(message, at: list.firstIndex(atOrAfter: message.position))
    }

    package mutating func update(_ known: LocalMessage, _ message: LocalMessage) -> Bool {
        change(known) { $0.sentStatus = message.sentStatus }
        guard known.sequence == 0, message.sequence != 0 else { return false }
        var new = known
        new.sentStatus = message.sentStatus
        (new.sequence, new.timestamp) = (message.sequence, message.timestamp)
        messages[known.conversation]?.removeAll { $0.localID == known.localID }
        insertByPosition(new)
        return true
    }

    package mutating func delete(_ message: LocalMessage) {
        messages[message.conversation]?.removeAll { $0.localID == message.localID }
        removePosition(of: message)
    }

    package mutating func delete(in conversation: LocalConversation, through boundary: Position) -> Int {
        let list = messages[conversation.id] ?? []
        let deleted = list.prefix(list.firstIndex(atOrAfter: boundary))
        messages[conversation.id] = Array(list.dropFirst(deleted.count))
        for message in deleted { removePosition(of: message) }
        return deleted.count { $0.isUnread }
    }

    package mutating func revoke(_ message: LocalMessage) {
        change(message) { message in
            message.kind = .revoke
            message.text = ""
            message.file = nil
            message.parts = []
        }
    }

    package mutating func setLocalExtendedData(_ text: String, of message: LocalMessage) {
        change(message) { $0.localExtendedData = text }
    }

    package mutating func addReader(_ user: String, of message: LocalMessage) {
        change(message) { if !$0.readers.contains(user) { $0.readers.append(user) } }
    }

    package mutating func set(_ reaction: LocalMessage.Reaction, of message: LocalMessage, isOn: Bool) {
        change(message) { message in
            let index = message.reactions.firstIndex { $0.type == reaction.type && $0.user == reaction.user }
            if !isOn, let index { message.reactions.remove(at: index) }
            guard isOn, index == nil else { return }
            message.lastReaction += 1
            message.reactions.append(reaction)
            message.reactions[message.reactions.count - 1].serial = message.lastReaction
        }
    }

    package mutating func markRead(in conversation: LocalConversation, upTo time: Int64) -> Int {
        guard var list = messages[conversation.id] else { return 0 }
        messages[conversation.id] = []
        var count = 0
        for index in list.indices where list[index].isUnread && list[index].timestamp <= time {
            list[index].isUnread = false
            count += 1
        }
        messages[conversation.id] = list
        return count
    }

    private mutating func change(_ message: LocalMessage, _ body: (inout LocalMessage) -> Void) {
        let index = (messages[message.conversation] ?? []).firstIndex(atOrAfter: message.position)
        guard messages[message.conversation]?.indices.contains(index) == true else { return }
        body(&messages[message.conversation, default: []][index])
    }

    package func isRemoved(_ message: LocalMessage) -> Bool {
        removed.contains(message.id) || removed.contains(message.name)
    }

    package mutating func setRemoved(_ name: String) { removed.append(name) }

    package mutating func unsetRemoved(_ message: LocalMessage) {
        for name in [message.id, message.name] { removed.remove(name) }
    }

    package func hasInserted(_ message: LocalMessage) -> Bool {
        (messages[message.conversation] ?? []).contains { $0.isSameInserted(as: message) }
    }

    // MARK: Files

    package mutating func setDownloaded(_ message: LocalMessage, at time: Int64?) {
        change(message) { $0.file?.downloadedAt = time }
    }

    package func cachedFiles(upTo time: Int64) -> [(ConversationID, LocalMessage.Kind, size: Int64)] {
        conversations.keys.flatMap { id in
            let cached = (messages[id] ?? []).filter { $0.file?.isCached(upTo: time) == true }
            return LocalMessage.Kind.allCases.compactMap { kind in
                let sizes = cached.filter { $0.kind == kind }.map { $0.file?.size ?? 0 }
                return sizes.isEmpty ? nil : (id, kind, size: sizes.reduce(0, &+))
            }
        }
    }

    package mutating func clearCache(upTo time: Int64) {
        for message in messages.values.joined() where message.file?.isCached(upTo: time) == true {
            setDownloaded(message, at: nil)
        }
    }
}

extension LocalMessage.File {
    /// True if the file is stored on the device and was downloaded up to `time`.
    ///
    /// - Parameter time: milliseconds since 1970; 0 for any time.
    fileprivate func isCached(upTo time: Int64) -> Bool {
        downloadedAt.map { time == 0 || $0 <= time } ?? false
    }
}
