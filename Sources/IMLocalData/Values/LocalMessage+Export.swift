// The data of a message that an export contains (ZIM-9).

extension LocalMessage {
    /// The message without the values that are valid in this device's database only.
    package var exported: LocalMessage {
        var message = self
        message.localID = 0
        message.isUnread = false
        message.reactions = []
        message.lastReaction = 0
        message.readers = []
        return message
    }

    /// True if both messages exist on a device only, without an id, and have the same sender, time and text.
    package func isSameInserted(as other: LocalMessage) -> Bool {
        id.isEmpty && other.id.isEmpty && sender == other.sender && timestamp == other.timestamp && text == other.text
    }
}
