/// The name by which a change refers to a message: its sender and its id. The id alone is not unique, because each
/// sender chooses the ids (C-14). A name without a sender means the first message that arrived with the id.
public struct MessageName: Hashable, Sendable {
    /// The sender; nil if only the id is known.
    public var sender: String?
    /// The id that the sender chose for the message.
    public var id: String

    /// A character that occurs in no user id and no message id.
    private static let separator: Character = "\u{1F}"

    /// Creates a name of a message.
    public init(sender: String?, id: String) {
        (self.sender, self.id) = (sender, id)
    }

    /// Parses the text of a name (``text``), or an id alone.
    public init(_ text: String) {
        guard let index = text.firstIndex(of: Self.separator) else {
            (sender, id) = (nil, text)
            return
        }
        (sender, id) = (String(text[..<index]), String(text[text.index(after: index)...]))
    }

    /// The name as one text.
    public var text: String { sender.map { "\($0)\(Self.separator)\(id)" } ?? id }

    /// True if this is a name of the message.
    public func matches(_ message: LocalMessage) -> Bool {
        !message.id.isEmpty && message.id == id && (sender == nil || sender == message.sender)
    }
}

extension LocalMessage {
    /// The message's name, which is unique among all messages that have an id.
    public var name: String { MessageName(sender: sender, id: id).text }
}
