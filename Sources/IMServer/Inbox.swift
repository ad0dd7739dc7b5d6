import IMProtocol

/// The messages that wait for a device, oldest first, limited by number and by bytes. A message that does not fit is
/// refused, and its sender is notified. Acknowledged messages are dropped only if the device was disconnected too long,
/// or for a new message that is not refused, such as one to a group.
struct Inbox: Hashable, Sendable {
    private(set) var messages: [ChatMessage] = []
    /// The approximate size of the messages, in bytes.
    private(set) var bytes = 0

    var count: Int { messages.count }
    var isEmpty: Bool { messages.isEmpty }

    func hasRoom(for message: ChatMessage, _ policy: ServerPolicy) -> Bool {
        messages.count < policy.messagesStoredMax && bytes + Inbox.size(of: message) <= policy.inboxBytesMax
    }

    /// Drops the oldest messages until a new message fits.
    ///
    /// - Returns: the number of dropped messages.
    mutating func makeRoom(for message: ChatMessage, _ policy: ServerPolicy) -> Int {
        var count = 0
        var freed = 0
        let size = Inbox.size(of: message)
        while count < messages.count,
            messages.count - count >= policy.messagesStoredMax || bytes - freed + size > policy.inboxBytesMax
        {
            freed += Inbox.size(of: messages[count])
            count += 1
        }
        bytes -= freed
        messages.removeFirst(count)
        return count
    }

    mutating func append(_ message: ChatMessage) {
        messages.append(message)
        bytes += Inbox.size(of: message)
    }

    /// Gives numbers to the messages without one: older versions did not number messages.
    mutating func number(_ next: () -> UInt64) {
        for index in messages.indices where messages[index].number == 0 { messages[index].number = next() }
    }

    /// Removes a message by the number under which it was sent. It is nearly always the first message.
    ///
    /// - Returns: the removed message; nil if no message has the number.
    mutating func confirm(_ number: UInt64) -> ChatMessage? {
        guard number != 0, let index = messages.firstIndex(where: { $0.number == number }) else { return nil }
        let message = messages.remove(at: index)
        bytes -= Inbox.size(of: message)
        return message
    }

    mutating func removeAll(where shouldRemove: (ChatMessage) -> Bool) {
        messages.removeAll(where: shouldRemove)
        bytes = Inbox.size(of: messages)
    }

    private static func size(of message: ChatMessage) -> Int {
        message.text.utf8.count + message.id.utf8.count + message.from.utf8.count + message.to.utf8.count + 100
    }

    private static func size(of messages: [ChatMessage]) -> Int { messages.reduce(0) { $0 + size(of: $1) } }
}

// Encoded as the list of its messages.
extension Inbox: Codable {
    init(from decoder: any Decoder) throws {
        messages = try [ChatMessage](from: decoder)
        bytes = Inbox.size(of: messages)
    }

    func encode(to encoder: any Encoder) throws { try messages.encode(to: encoder) }
}
