/// The name of a message in changes: its sender and its id, because each user chooses the ids of their own messages
/// (C-14). A name without a sender is the id alone: it means the first message that came with that id.
public struct MessageName: Hashable, Sendable {
    /// The sender; nil if only the id is known.
    public var sender: String?
    /// The sender's id of it.
    public var id: String

    /// A character that occurs in no user id and no message id.
    private static let separator: Character = "\u{1F}"

    /// Creates a name of a message.
    public init(sender: String?, id: String) {
        (self.sender, self.id) = (sender, id)
    }

    /// Reads the text that ``text`` wrote, or an id.
    public init(_ text: String) {
        guard let index = text.firstIndex(of: Self.separator) else {
            (sender, id) = (nil, text)
            return
        }
        (sender, id) = (String(text[..<index]), String(text[text.index(after: index)...]))
    }

    /// The name as one text.
    public var text: String { sender.map { "\($0)\(Self.separator)\(id)" } ?? id }

    /// True if it is a name of that message.
    public func matches(_ message: LocalMessage) -> Bool {
        !message.id.isEmpty && message.id == id && (sender == nil || sender == message.sender)
    }
}

extension LocalMessage {
    /// Its name, unique among all messages.
    public var name: String { MessageName(sender: sender, id: id).text }
}
