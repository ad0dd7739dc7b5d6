// The messages of an export, and their import (ZIM-9).

extension UserDatabase {
    /// All messages, in order of insertion; messages inserted on this device only are included.
    public var exportedMessages: [LocalMessage] {
        messages.values.flatMap { $0 }.sorted { $0.localID < $1.localID }.map(\.exported)
    }

    /// Adds the messages that are missing here. They do not count as unread, and deleted ones are restored.
    ///
    /// - Returns: the number of added messages.
    public mutating func importMessages(_ imported: [LocalMessage]) -> Int {
        var new = 0
        for message in imported where !has(message) {
            for name in [message.id, message.name] { removed.remove(name) }
            insert(message)
            var conversation = conversation(message.conversation)
            conversation.moveUp(at: message.timestamp)
            conversations[message.conversation] = conversation
            new += 1
        }
        return new
    }

    /// A message without an id is identified by its contents: its number differs on each device.
    private func has(_ message: LocalMessage) -> Bool {
        guard message.id.isEmpty else { return self.message(message.name) != nil }
        return (messages[message.conversation] ?? []).contains { $0.isSameInserted(as: message) }
    }
}

extension LocalMessage {
    /// The message without the values of this device's database.
    package var exported: LocalMessage {
        var message = self
        message.localID = 0
        message.isUnread = false
        message.reactions = []
        message.lastReaction = 0
        message.readers = []
        return message
    }

    /// True if both were inserted on a device, by the same user, at the same time, with the same text.
    package func isSameInserted(as other: LocalMessage) -> Bool {
        id.isEmpty && other.id.isEmpty && sender == other.sender && timestamp == other.timestamp && text == other.text
    }
}
