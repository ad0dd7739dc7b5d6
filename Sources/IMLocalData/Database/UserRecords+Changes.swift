import IMProtocol

// Applies the server's changes and the messages of an import to the stored data.

extension UserRecords {
    /// Applies a change. A change that was already applied has no effect.
    package mutating func applyChange(_ change: LocalChange) throws(Failure) {
        switch change {
        case .user(let user): try set(.user, user.id, change, serial: nil)
        case .friend(let friend): try set(.friend, friend.user, change, serial: nil)
        case .friendRemoved(let user): try remove(.friend, user)
        case .friendApplication(let application):
            try set(.friendApplication, application.user, change, serial: nil)
        case .blacklisted(let user, true): try set(.blacklist, user, change, serial: nil)
        case .blacklisted(let user, false): try remove(.blacklist, user)
        case .group(let group): try set(.group, group.id, change, serial: nil)
        case .groupRemoved(let group):
            try remove(.group, group)
            try removeAll(.member(of: group))
        case .member(let group, let member):
            try set(.member(of: group), member.user, change, serial: member.place)
        case .memberRemoved(let group, let user): try remove(.member(of: group), user)
        case .groupApplication(let application):
            try set(.groupApplication, "\(application.group)/\(application.user)", change, serial: nil)
        case .message(let message): try insertOrUpdate(message)
        case .messageRevoked(let id): if let message = try message(id) { try revoke(message) }
        case .messagesRemoved(let ids): for id in ids { try remove(id) }
        case .conversationRemoved(let id, let time):
            try clear(id, through: Position([time, .max, .max]))
            _ = try removeFromList([id])
            // So a change that arrives later, with an older message time, does not list the conversation again.
            try self.change(id) { $0.messageTime = max($0.messageTime, time) }
        case .conversationEmptied(let id, let time): try clear(id, through: Position([time, .max, .max]))
        case .read(let ids, let user), .conversationRead(let ids, let user):
            for id in ids { if let message = try message(id) { try addReader(user, of: message) } }
        case .reaction(let id, let reaction, let isOn):
            if let message = try message(id) { try set(reaction, of: message, isOn: isOn) }
        case .conversation(let newer):
            var conversation = try findOrCreate(newer.id)
            conversation.apply(newer)
            save(conversation)
        case .readElsewhere(let id, let time): try read(id, upTo: time)
        case .call(let call): try set(.call, call.id, change, serial: nil)
        case .delivered: break
        case .downloaded(let id, let time):
            if let message = try message(id), message.file != nil { try setDownloaded(message, at: time) }
        }
    }

    /// Inserts a message, or updates the stored message with its name. A message that was deleted on this device is
    /// ignored.
    private mutating func insertOrUpdate(_ message: LocalMessage) throws(Failure) {
        guard !message.id.isEmpty, try !isRemoved(message) else { return }
        if let known = try stored(message) {
            if try update(known, message) {
                try change(known.conversation) { $0.moveUp(at: message.timestamp) }
            }
            return
        }
        let conversation = try storedConversation(message.conversation)
        if let cleared = conversation?.clearedThrough, message.position < cleared { return }
        var message = message
        message.isUnread = message.sender != rows.owner
        try add(message)
    }

    /// Adds a message of an export, unless it is already stored. The message does not count as unread. It is added even
    /// if it was deleted here earlier.
    ///
    /// - Returns: true if the message was added.
    package mutating func addImported(_ message: LocalMessage) throws(Failure) -> Bool {
        if message.id.isEmpty {
            guard try !hasInserted(message) else { return false }
        } else {
            guard try stored(message) == nil else { return false }
            try unsetRemoved(message)
        }
        try add(message)
        return true
    }

    /// Adds a message to its conversation.
    ///
    /// - Returns: the message with its local number.
    @discardableResult
    mutating func add(_ message: LocalMessage) throws(Failure) -> LocalMessage {
        var conversation = try findOrCreate(message.conversation)
        let inserted = try insert(message, in: conversation)
        conversation.moveUp(at: message.timestamp)
        if message.isUnread { conversation.unreadCount += 1 }
        save(conversation)
        return inserted
    }

    /// Changes a conversation if it exists.
    mutating func change(
        _ id: ConversationID, _ body: (inout LocalConversation) -> Void
    ) throws(Failure) {
        guard var conversation = try storedConversation(id) else { return }
        body(&conversation)
        save(conversation)
    }

    /// Deletes a message by name. The name is stored, so that a sync does not restore the message. If the message has
    /// not arrived yet, it is ignored when it arrives.
    mutating func remove(_ name: String) throws(Failure) {
        guard let message = try message(name) else { return try setRemoved(name) }
        if !message.id.isEmpty { try setRemoved(message.name) }
        try delete(message)
        if message.isUnread { try change(message.conversation) { $0.unreadCount -= 1 } }
    }

    /// Deletes the messages of a conversation up to a position. The position is stored, so that a sync does not restore
    /// them. For this a conversation that does not exist yet is created, without being listed.
    mutating func clear(_ id: ConversationID, through boundary: Position) throws(Failure) {
        let isNew = try storedConversation(id) == nil
        var conversation = try findOrCreate(id)
        let unread = try delete(in: conversation, through: boundary)
        if isNew { conversation.isKept = false }
        conversation.clearedThrough = max(conversation.clearedThrough ?? boundary, boundary)
        conversation.unreadCount -= unread
        save(conversation)
    }

    /// Marks the messages of a conversation up to a time as read.
    mutating func read(_ id: ConversationID, upTo time: Int64 = .max) throws(Failure) {
        guard var conversation = try storedConversation(id), conversation.unreadCount > 0 else { return }
        conversation.unreadCount -= try markRead(in: conversation, upTo: time)
        save(conversation)
    }
}
