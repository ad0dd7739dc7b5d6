import Foundation
import GRDB
import IMLocalData
import IMProtocol
import OrderedCollections

// Reading, writing and changing messages.

extension UserDataTransaction {
    /// The message in a row, with the kind and id of its conversation.
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

    func message(_ name: String) throws -> LocalMessage? {
        let parsed = MessageName(name)
        let ofSender = parsed.sender == nil ? "" : " AND sender = ?"
        let found = try row(
            "SELECT * FROM message WHERE id = ?\(ofSender) ORDER BY localID LIMIT 1",
            [parsed.id] + (parsed.sender.map { [$0] } ?? []))
        if let found { return try message(found) }
        guard name.hasPrefix("#"), let number = Int64(name.dropFirst()), "#\(number)" == name else { return nil }
        return try row("SELECT * FROM message WHERE localID = ?", [number]).map(message)
    }

    func lastMessage(of conversation: LocalConversation) throws -> LocalMessage? {
        try row(
            """
            SELECT * FROM message WHERE conversation = ?
            ORDER BY timestamp DESC, sequence DESC, localID DESC LIMIT 1
            """, [conversation.serial]
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

    @discardableResult
    func insert(_ message: LocalMessage, in conversation: LocalConversation) throws -> LocalMessage {
        var message = message
        try run(
            """
            INSERT INTO message (conversation, id, sender, kind, text, timestamp, sequence, sent, inserted, noted,
            fileName, fileSize, downloadedAt, more, unread) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                conversation.serial, message.id.isEmpty ? nil : message.id, message.sender, message.kind.rawValue,
                message.text,
                message.timestamp, message.sequence, message.sentStatus.rawValue, message.isUserInserted,
                message.localExtendedData.isEmpty ? nil : message.localExtendedData, message.file?.name,
                message.file?.size, message.file?.downloadedAt, more(of: message), message.isUnread,
            ])
        message.localID = database.lastInsertedRowID
        pending.lastInserted = message.localID
        for user in message.readers { try addReader(user, of: message) }
        for reaction in message.reactions { try add(reaction, to: message.localID) }
        return message
    }

    /// The fields that have no column. Few messages have such a field; nil for the others.
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
        // The index does not store the texts of messages. To delete an entry, it needs the terms again.
        try run("INSERT INTO gram (gram, rowid, terms) VALUES ('delete', ?, ?)", [message.localID, terms])
    }

    func revoke(_ message: LocalMessage) throws {
        try unindex(message)
        var message = message
        message.parts = []
        message.file = nil
        message.text = ""
        try run(
            """
            UPDATE message SET kind = ?, text = '', fileName = NULL, fileSize = NULL, downloadedAt = NULL, more = ?
            WHERE localID = ?
            """, [LocalMessage.Kind.revoke.rawValue, more(of: message), message.localID])
    }

    func readers(of message: LocalMessage) throws -> OrderedSet<String> {
        let cursor = try cursor("SELECT user FROM reader WHERE message = ?", [message.localID])
        var users: OrderedSet<String> = []
        while let row = try cursor.next() { users.append(row["user"]) }
        return users
    }

    func addReader(_ user: String, of message: LocalMessage) throws {
        try run("INSERT OR IGNORE INTO reader (message, user) VALUES (?, ?)", [message.localID, user])
    }

    func setLocalExtendedData(_ text: String, of message: LocalMessage) throws {
        try run("UPDATE message SET noted = ? WHERE localID = ?", [text.isEmpty ? nil : text, message.localID])
    }

    private func add(_ reaction: LocalMessage.Reaction, to localID: Int64) throws {
        try run("UPDATE message SET lastReaction = lastReaction + 1 WHERE localID = ?", [localID])
        try run(
            """
            INSERT OR FAIL INTO reaction (message, serial, type, user)
            SELECT localID, lastReaction, ?, ? FROM message WHERE localID = ?
            """, [reaction.type, reaction.user, localID])
    }

    func set(_ reaction: LocalMessage.Reaction, of message: LocalMessage, isOn: Bool) throws {
        let known = message.reactions.contains { $0.type == reaction.type && $0.user == reaction.user }
        if isOn, !known { try add(reaction, to: message.localID) }
        if !isOn, known {
            try run(
                "DELETE FROM reaction WHERE message = ? AND type = ? AND user = ?",
                [message.localID, reaction.type, reaction.user])
        }
    }

    func stored(_ message: LocalMessage) throws -> LocalMessage? {
        let statement = try database.cachedStatement(sql: "SELECT localID FROM message WHERE id = ? AND sender = ?")
        // Most messages are new, so a small statement looks for the id first.
        guard try Int64.fetchOne(statement, arguments: [message.id, message.sender]) != nil else { return nil }
        return try self.message(message.name)
    }

    func hasInserted(_ message: LocalMessage) throws -> Bool {
        guard let conversation = try storedConversation(message.conversation) else { return false }
        return try row(
            "SELECT 1 FROM message WHERE conversation = ? AND timestamp = ? AND id IS NULL AND sender = ? AND text = ?",
            [conversation.serial, message.timestamp, message.sender, message.text]) != nil
    }

    func update(_ known: LocalMessage, _ message: LocalMessage) throws -> Bool {
        try run("UPDATE message SET sent = ? WHERE localID = ?", [message.sentStatus.rawValue, known.localID])
        guard known.sequence == 0, message.sequence != 0 else { return false }
        try run(
            "UPDATE message SET sequence = ?, timestamp = ? WHERE localID = ?",
            [message.sequence, message.timestamp, known.localID])
        noteBlock(of: known.localID, at: message.timestamp)
        return true
    }

    // MARK: Removing

    func isRemoved(_ message: LocalMessage) throws -> Bool {
        let hasAny = try pending.hasRemoved ?? (row("SELECT 1 FROM removed LIMIT 1") != nil)
        pending.hasRemoved = hasAny
        return try hasAny && row("SELECT 1 FROM removed WHERE id IN (?, ?)", [message.id, message.name]) != nil
    }

    func setRemoved(_ name: String) throws {
        pending.hasRemoved = true
        try run("INSERT OR IGNORE INTO removed VALUES (?)", [name])
    }

    func unsetRemoved(_ message: LocalMessage) throws {
        try run("DELETE FROM removed WHERE id IN (?, ?)", [message.id, message.name])
    }

    func delete(in conversation: LocalConversation, through boundary: Position) throws -> Int {
        let key = [conversation.serial] + PositionKey(boundary, isEnd: true).arguments
        let cursor = try cursor(
            "SELECT * FROM message WHERE conversation = ? AND (timestamp, sequence, localID) < (?, ?, ?)", key)
        var unread = 0
        while let row = try cursor.next() {
            let message = try message(row, in: conversation.id)
            if message.isUnread { unread += 1 }
            try unindex(message)
        }
        try run("DELETE FROM message WHERE conversation = ? AND (timestamp, sequence, localID) < (?, ?, ?)", key)
        return unread
    }

    // MARK: Files

    func setDownloaded(_ message: LocalMessage, at time: Int64?) throws {
        try run("UPDATE message SET downloadedAt = ? WHERE localID = ?", [time, message.localID])
    }

    func cachedFiles(upTo time: Int64) throws -> [(ConversationID, LocalMessage.Kind, size: Int64)] {
        let cursor = try cursor(
            """
            SELECT c.kind AS of, c.id, m.kind, SUM(m.fileSize) AS size FROM message m
            JOIN conversation c ON c.serial = m.conversation
            WHERE m.downloadedAt IS NOT NULL AND (?1 = 0 OR m.downloadedAt <= ?1)
            GROUP BY m.conversation, m.kind ORDER BY m.conversation, m.kind
            """, [time])
        var found: [(ConversationID, LocalMessage.Kind, size: Int64)] = []
        while let row = try cursor.next() {
            let id = ConversationID(kind: ConversationID.Kind(rawValue: row["of"]) ?? .peer, id: row["id"])
            found.append((id, LocalMessage.Kind(rawValue: row["kind"]) ?? .file, size: row["size"] ?? 0))
        }
        return found
    }

    func clearCache(upTo time: Int64) throws {
        try run(
            """
            UPDATE message SET downloadedAt = NULL WHERE downloadedAt IS NOT NULL AND (?1 = 0 OR downloadedAt <= ?1)
            """, [time])
    }
}

extension Bigrams {
    static func terms(of message: LocalMessage) -> String { terms(of: message.text, fileName: message.file?.name) }

    static func terms(of text: String, fileName: String?) -> String { terms(of: [text, fileName ?? ""]) }
}
