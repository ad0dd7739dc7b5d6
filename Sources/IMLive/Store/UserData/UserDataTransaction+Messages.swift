import Foundation
import GRDB
import IMLocalData
import IMProtocol

// Messages: reading, writing and changing them.

extension UserDataTransaction {
    /// The message of a row, which also has the kind and id of its conversation.
    func message(_ row: Row, in conversation: ConversationID) throws -> LocalMessage {
        let more: DatabaseBytes? = row["more"]
        var message: LocalMessage
        if let more, case .message(let whole)? = try UserDataTransaction.change(more) {
            message = whole
        } else {
            message = LocalMessage(
                id: row["id"] ?? "", conversation: conversation, sender: row["sender"], text: "", timestamp: 0)
        }
        message.kind = LocalMessage.Kind(rawValue: row["kind"]) ?? .text
        message.text = row["text"]
        message.timestamp = row["timestamp"]
        message.sequence = row["sequence"]
        message.localID = row["localID"]
        message.sentStatus = LocalMessage.SentStatus(rawValue: row["sent"]) ?? .success
        message.isUserInserted = row["inserted"]
        message.localExtendedData = row["noted"] ?? ""
        message.isUnread = row["unread"]
        let fileName: String? = row["fileName"]
        message.file = fileName.map {
            LocalMessage.File(name: $0, size: row["fileSize"] ?? 0, downloadedAt: row["downloadedAt"])
        }
        message.lastReaction = row["lastReaction"]
        if message.lastReaction > 0 { message.reactions = try reactions(of: message.localID) }
        return message
    }

    func message(_ row: Row) throws -> LocalMessage {
        let serial: Int64 = row["conversation"]
        if let known = pending.conversationIDs[serial] { return try message(row, in: known) }
        guard let owner = try self.row("SELECT kind, id FROM conversation WHERE serial = ?", [serial]) else {
            throw StoreError("a message belongs to a missing conversation")
        }
        let id = ConversationID(kind: ConversationID.Kind(rawValue: owner["kind"]) ?? .peer, id: owner["id"])
        pending.conversationIDs[serial] = id
        return try message(row, in: id)
    }

    /// The message with that name or id, or with that number in the database: `#12`. If two users have used the same
    /// id, the first message.
    func message(_ name: String) throws -> LocalMessage? {
        let asked = MessageName(name)
        let ofSender = asked.sender == nil ? "" : " AND sender = ?"
        let found = try row(
            "SELECT * FROM message WHERE id = ?\(ofSender) ORDER BY localID LIMIT 1",
            [asked.id] + (asked.sender.map { [$0] } ?? []))
        if let found { return try message(found) }
        guard name.hasPrefix("#"), let number = Int64(name.dropFirst()), "#\(number)" == name else { return nil }
        return try row("SELECT * FROM message WHERE localID = ?", [number]).map(message)
    }

    func lastMessage(of serial: UInt32) throws -> LocalMessage? {
        try row(
            """
            SELECT * FROM message WHERE conversation = ?
            ORDER BY timestamp DESC, sequence DESC, localID DESC LIMIT 1
            """, [serial]
        ).map(message)
    }

    func reactions(of localID: Int64) throws -> [LocalMessage.Reaction] {
        let cursor = try cursor("SELECT * FROM reaction WHERE message = ? ORDER BY serial", [localID])
        var reactions: [LocalMessage.Reaction] = []
        while let row = try cursor.next() {
            var reaction = LocalMessage.Reaction(type: row["type"], user: row["user"])
            reaction.serial = row["serial"]
            reactions.append(reaction)
        }
        return reactions
    }

    // MARK: Writing

    /// Assigns a number to a message and inserts it.
    @discardableResult
    func insert(_ message: LocalMessage, in serial: UInt32) throws -> LocalMessage {
        var message = message
        try run(
            """
            INSERT INTO message (conversation, id, sender, kind, text, timestamp, sequence, sent, inserted, noted,
            fileName, fileSize, downloadedAt, more, unread) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                serial, message.id.isEmpty ? nil : message.id, message.sender, message.kind.rawValue, message.text,
                message.timestamp, message.sequence, message.sentStatus.rawValue, message.isUserInserted,
                message.localExtendedData.isEmpty ? nil : message.localExtendedData, message.file?.name,
                message.file?.size, message.file?.downloadedAt, more(of: message), message.isUnread,
            ])
        message.localID = database.lastInsertedRowID
        pending.lastInserted = message.localID
        for user in message.readers { try addReader(user, of: message.localID) }
        for reaction in message.reactions { try add(reaction, to: message.localID) }
        return message
    }

    /// The fields without a column of their own, for the few messages that have some.
    private func more(of message: LocalMessage) -> DatabaseBytes? {
        let hasMore =
            !message.extendedData.isEmpty || !message.parts.isEmpty || !message.mentioned.isEmpty
            || !message.repliesTo.isEmpty || message.wantsReceipts
        return hasMore ? DatabaseBytes(Frame(.change(LocalChange.message(message).record())).bytes()) : nil
    }

    func delete(_ message: LocalMessage) throws {
        try unindex(message)
        try run("DELETE FROM message WHERE localID = ?", [message.localID])
    }

    private func unindex(_ message: LocalMessage) throws {
        guard try message.localID <= lastIndexed() else { return }
        let terms = Bigrams.terms(of: message)
        guard !terms.isEmpty else { return }
        // An index without stored texts needs them again to delete them.
        try run("INSERT INTO gram (gram, rowid, terms) VALUES ('delete', ?, ?)", [message.localID, terms])
    }

    /// Revokes a message of its sender.
    func revoke(_ id: String) throws {
        guard var message = try message(id) else { return }
        try unindex(message)
        message.parts = []
        message.file = nil
        message.text = ""
        try run(
            """
            UPDATE message SET kind = ?, text = '', fileName = NULL, fileSize = NULL, downloadedAt = NULL, more = ?
            WHERE localID = ?
            """, [LocalMessage.Kind.revoke.rawValue, more(of: message), message.localID])
    }

    func addReader(_ user: String, of localID: Int64) throws {
        try run("INSERT OR IGNORE INTO reader (message, user) VALUES (?, ?)", [localID, user])
    }

    private func add(_ reaction: LocalMessage.Reaction, to localID: Int64) throws {
        try run("UPDATE message SET lastReaction = lastReaction + 1 WHERE localID = ?", [localID])
        try run(
            """
            INSERT OR FAIL INTO reaction (message, serial, type, user)
            SELECT localID, lastReaction, ?, ? FROM message WHERE localID = ?
            """, [reaction.type, reaction.user, localID])
    }

    func set(_ reaction: LocalMessage.Reaction, of id: String, isOn: Bool) throws {
        guard let message = try message(id) else { return }
        let known = message.reactions.contains { $0.type == reaction.type && $0.user == reaction.user }
        if isOn, !known { try add(reaction, to: message.localID) }
        if !isOn, known {
            try run(
                "DELETE FROM reaction WHERE message = ? AND type = ? AND user = ?",
                [message.localID, reaction.type, reaction.user])
        }
    }

    // MARK: Adding and removing

    /// Adds a message, unless it exists or was removed.
    func take(_ message: LocalMessage) throws {
        guard !message.id.isEmpty, try !isRemoved(message) else { return }
        let statement = try database.cachedStatement(sql: "SELECT localID FROM message WHERE id = ? AND sender = ?")
        if try Int64.fetchOne(statement, arguments: [message.id, message.sender]) != nil {
            return try self.message(message.name).map { try update($0, message) } ?? ()
        }
        if let known = try known(message.conversation), let cleared = known.clearedThrough, message.position < cleared {
            return
        }
        var conversation = try begun(message.conversation)
        var message = message
        message.isUnread = message.sender != owner
        try insert(message, in: conversation.serial)
        conversation.moveUp(at: message.timestamp)
        if message.isUnread { conversation.unreadCount += 1 }
        save(conversation)
    }

    private func isRemoved(_ message: LocalMessage) throws -> Bool {
        let hasAny = try pending.hasRemoved ?? (row("SELECT 1 FROM removed LIMIT 1") != nil)
        pending.hasRemoved = hasAny
        return try hasAny && row("SELECT 1 FROM removed WHERE id IN (?, ?)", [message.id, message.name]) != nil
    }

    private func setRemoved(_ id: String) throws {
        pending.hasRemoved = true
        try run("INSERT OR IGNORE INTO removed VALUES (?)", [id])
    }

    /// Adds a message of an export, unless it exists.
    ///
    /// - Returns: true if it was added.
    func take(imported message: LocalMessage) throws -> Bool {
        if message.id.isEmpty {
            guard try !hasInserted(message) else { return false }
        } else {
            guard try self.message(message.name) == nil else { return false }
            try run("DELETE FROM removed WHERE id IN (?, ?)", [message.id, message.name])
        }
        var conversation = try begun(message.conversation)
        try insert(message, in: conversation.serial)
        conversation.moveUp(at: message.timestamp)
        save(conversation)
        return true
    }

    private func hasInserted(_ message: LocalMessage) throws -> Bool {
        guard let conversation = try known(message.conversation) else { return false }
        return try row(
            "SELECT 1 FROM message WHERE conversation = ? AND timestamp = ? AND id IS NULL AND sender = ? AND text = ?",
            [conversation.serial, message.timestamp, message.sender, message.text]) != nil
    }

    /// Applies what the server sends later about a message that was sent from here.
    private func update(_ known: LocalMessage, _ message: LocalMessage) throws {
        try run("UPDATE message SET sent = ? WHERE localID = ?", [message.sentStatus.rawValue, known.localID])
        guard known.sequence == 0, message.sequence != 0 else { return }
        try run(
            "UPDATE message SET sequence = ?, timestamp = ? WHERE localID = ?",
            [message.sequence, message.timestamp, known.localID])
        noteBlock(of: known.localID, at: message.timestamp)
        try change(known.conversation) { $0.moveUp(at: message.timestamp) }
    }

    /// Removes messages one by one. No sync restores them, even if they have not arrived yet.
    func remove(_ name: String) throws {
        guard let message = try message(name) else {
            return try setRemoved(name)
        }
        if !message.id.isEmpty { try setRemoved(message.name) }
        try delete(message)
        if message.isUnread { try change(message.conversation) { $0.unreadCount -= 1 } }
    }

    /// Removes the messages of a conversation up to a position, and those that a sync would add for that time, even if
    /// the conversation only begins with them.
    func clear(_ id: ConversationID, through boundary: Position) throws {
        let isNew = try known(id) == nil
        let conversation = try begun(id)
        let bound = PositionKey(boundary, isEnd: true)
        let cursor = try cursor(
            "SELECT * FROM message WHERE conversation = ? AND (timestamp, sequence, localID) < (?, ?, ?)",
            [conversation.serial] + bound.arguments)
        var unread = 0
        while let row = try cursor.next() {
            let message = try message(row, in: id)
            if message.isUnread { unread += 1 }
            try unindex(message)
        }
        try run(
            "DELETE FROM message WHERE conversation = ? AND (timestamp, sequence, localID) < (?, ?, ?)",
            [conversation.serial] + bound.arguments)
        try change(id) { conversation in
            conversation.clearedThrough = max(conversation.clearedThrough ?? boundary, boundary)
            conversation.unreadCount -= unread
            if isNew { conversation.isKept = false }
        }
    }

    /// Removes all messages of a conversation.
    ///
    /// - Returns: true if there were any.
    func clear(_ conversation: LocalConversation) throws -> Bool {
        guard let last = try lastMessage(of: conversation.serial) else { return false }
        var through = last.position
        // After every message at that position, whatever its number in the database.
        through.parts[2] = .max
        try clear(conversation.id, through: through)
        return true
    }
}

extension Bigrams {
    static func terms(of message: LocalMessage) -> String { terms(of: message.text, fileName: message.file?.name) }

    static func terms(of text: String, fileName: String?) -> String { terms(of: [text, fileName ?? ""]) }
}
