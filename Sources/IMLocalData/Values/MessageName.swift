/// How changes name a message: by its sender and its id, since each user chooses the ids of their own messages (C-14). A
/// name without a sender is the id alone: it stands for the first message that came with that id.
public struct MessageName: Hashable, Sendable {
    /// Who said it; nil where only the id is known.
    public var sender: String?
    /// The sender's name of it.
    public var id: String

    /// No name of a user has it, nor an id.
    private static let separator: Character = "\u{1F}"

    /// A name of a message.
    public init(sender: String?, id: String) {
        (self.sender, self.id) = (sender, id)
    }

    /// Reads what ``text`` wrote, or an id.
    public init(_ text: String) {
        guard let index = text.firstIndex(of: Self.separator) else {
            (sender, id) = (nil, text)
            return
        }
        (sender, id) = (String(text[..<index]), String(text[text.index(after: index)...]))
    }

    /// The name in one text.
    public var text: String { sender.map { "\($0)\(Self.separator)\(id)" } ?? id }

    /// Whether it is a name of that message.
    public func matches(_ message: LocalMessage) -> Bool {
        !message.id.isEmpty && message.id == id && (sender == nil || sender == message.sender)
    }
}

extension LocalMessage {
    /// Its name among all messages: no other one has it.
    public var name: String { MessageName(sender: sender, id: id).text }
}
