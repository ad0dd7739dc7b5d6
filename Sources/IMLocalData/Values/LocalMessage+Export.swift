// The contents of a message that an export keeps (ZIM-9).

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
