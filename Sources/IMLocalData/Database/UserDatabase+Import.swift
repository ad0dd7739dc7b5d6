// What an export holds, and what an import takes in (ZIM-9).

extension UserDatabase {
    /// All messages, in the order in which they came here; what is put in here only goes with them.
    public var exportedMessages: [LocalMessage] {
        messages.values.flatMap { $0 }.sorted { $0.localID < $1.localID }.map(\.exported)
    }

    /// Takes in the messages that are not here. They are unread for nobody, and come back where they had been taken away.
    ///
    /// - Returns: how many were not here.
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

    /// A message without an id is known by what it says: its number is another one on each device.
    private func has(_ message: LocalMessage) -> Bool {
        guard message.id.isEmpty else { return self.message(message.name) != nil }
        return (messages[message.conversation] ?? []).contains { $0.isSameInserted(as: message) }
    }
}

extension LocalMessage {
    /// Without what only the database of this device can say.
    package var exported: LocalMessage {
        var message = self
        message.localID = 0
        message.isUnread = false
        message.reactions = []
        message.lastReaction = 0
        message.readers = []
        return message
    }

    /// Whether both were put in on a device, by the same user, at the same time, with the same words.
    package func isSameInserted(as other: LocalMessage) -> Bool {
        id.isEmpty && other.id.isEmpty && sender == other.sender && timestamp == other.timestamp && text == other.text
    }
}
