import OrderedCollections
import SansIO

/// The data of one user on one device (ZIM-9), as a value in memory. Simulated worlds use it as their database, and
/// tests compare a database on disk with it.
///
/// The answers depend only on the changes from the server and on the earlier calls of ``answer(_:)``, in their order.
public struct UserDatabase: Hashable, Sendable, Codable {
    /// The user who owns the data.
    public let owner: String
    var tables: [EntryTable: LocalTable] = [:]
    var conversations: OrderedDictionary<ConversationID, LocalConversation> = [:]
    /// The messages of each conversation, sorted by position.
    var messages: OrderedDictionary<ConversationID, [LocalMessage]> = [:]
    /// The conversation of each message. The keys are the message's id and the name of its local number, such as `#12`.
    /// If messages of several users have the same id, the id leads to the conversation of the first of these messages.
    var places: OrderedDictionary<String, ConversationID> = [:]
    /// The names of messages that were deleted by name on this device. A sync does not restore them.
    var removed: OrderedSet<String> = []
    /// The server's number of the last applied change; 0 before the first change.
    public private(set) var position: UInt64 = 0
    var lastLocalID: Int64 = 0
    var lastConversation: UInt32 = 0

    /// Creates an empty database.
    public init(owner: String) {
        self.owner = owner
    }

    // MARK: Changes

    /// Applies the changes of an event or of a part of a sync.
    ///
    /// - Parameter position: the server's number of the last of these changes.
    public mutating func apply(_ changes: [LocalChange], upTo position: UInt64) {
        for change in changes { apply(change) }
        self.position = max(self.position, position)
    }

    /// Applies a change. A change that was already applied has no effect.
    public mutating func apply(_ change: LocalChange) { applyChange(change) }

    /// Answers a call (ZIM-9), and makes the changes that the call requests.
    ///
    /// - Returns: the answer. Its status is ``Status/invalidArgument`` if an argument is invalid, and
    ///   ``Status/unsupported`` if the call needs the server or a folder. In both cases the data is unchanged.
    public mutating func answer(_ request: LocalRequest) -> LocalAnswer { perform(request) }

    /// All messages in order of insertion, including messages that exist on this device only.
    public var exportedMessages: [LocalMessage] {
        messages.values.flatMap { $0 }.sorted { $0.localID < $1.localID }.map(\.exported)
    }

    /// Adds the messages that the database lacks, even if they were deleted here earlier. Added messages do not count
    /// as unread.
    ///
    /// - Returns: the number of added messages.
    public mutating func importMessages(_ imported: [LocalMessage]) -> Int {
        var new = 0
        for message in imported where addImported(message) { new += 1 }
        return new
    }

    // MARK: Finding messages

    /// The name of the message with a local number: `#12`. Messages without an id have only this name.
    static func name(of localID: Int64) -> String { "#\(localID)" }

    /// The key in ``places`` that is set if messages of several users have or had this id.
    static func sharedName(of id: String) -> String { MessageName(sender: "", id: id).text }

    /// The message with this name or id, or with this local number (`#12`).
    package func message(_ name: String) -> LocalMessage? {
        index(ofMessage: name).flatMap { messages[$0.conversation]?[$0.index] }
    }

    private func index(ofMessage name: String) -> (conversation: ConversationID, index: Int)? {
        let wanted = MessageName(name)
        guard let first = places[wanted.id] else { return nil }
        func isWanted(_ message: LocalMessage) -> Bool {
            wanted.matches(message) || Self.name(of: message.localID) == name
        }
        guard places[Self.sharedName(of: wanted.id)] != nil else {
            return messages[first]?.firstIndex(where: isWanted).map { (first, $0) }
        }
        return firstIndex(where: isWanted)
    }

    /// The conversation and the index of the matching message that was inserted first.
    private func firstIndex(where isWanted: (LocalMessage) -> Bool) -> (conversation: ConversationID, index: Int)? {
        var found: (conversation: ConversationID, index: Int)?
        var lowest = Int64.max
        for (conversation, list) in messages {
            for index in list.indices where list[index].localID < lowest && isWanted(list[index]) {
                (found, lowest) = ((conversation, index), list[index].localID)
            }
        }
        return found
    }

    /// Removes a deleted message from ``places``. If another user's message has the same id, the id then leads to that
    /// message.
    mutating func removePosition(of message: LocalMessage) {
        places[Self.name(of: message.localID)] = nil
        guard !message.id.isEmpty else { return }
        let isShared = places[Self.sharedName(of: message.id)] != nil
        places[message.id] = isShared ? firstIndex { $0.id == message.id }?.conversation : nil
    }
}

extension [LocalMessage] {
    /// The index of the first message at or after the position, in a list that is sorted by position.
    func firstIndex(atOrAfter position: Position) -> Int {
        partitioningIndex { $0.position >= position }
    }
}
