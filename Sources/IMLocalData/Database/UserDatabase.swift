import OrderedCollections
import SansIO

/// The data of one user on one device (ZIM-9), as a value in memory: the database of simulated worlds, and the
/// reference for a database on disk.
///
/// It depends only on the changes from the server and the calls of ``answer(_:)``: the same changes and calls in the
/// same order give the same answers.
public struct UserDatabase: Hashable, Sendable, Codable {
    /// The user who owns the data.
    public let owner: String
    var tables: [EntryTable: LocalTable] = [:]
    var conversations: OrderedDictionary<ConversationID, LocalConversation> = [:]
    /// In the order of their positions.
    var messages: OrderedDictionary<ConversationID, [LocalMessage]> = [:]
    /// The conversation of each message, by its id and by its number; for an id of several users, that of the first
    /// message.
    var places: OrderedDictionary<String, ConversationID> = [:]
    /// Messages that were deleted here one by one; no sync restores them.
    var removed: OrderedSet<String> = []
    /// The server's number of the last applied change; 0 before the first.
    public private(set) var position: UInt64 = 0
    var lastLocalID: Int64 = 0
    var lastConversation: UInt32 = 0

    /// Creates an empty database.
    public init(owner: String) {
        self.owner = owner
    }

    // MARK: Changes

    /// Applies the changes of a part of a sync, or of an event.
    ///
    /// - Parameter position: the server's number of the last of them.
    public mutating func apply(_ changes: [LocalChange], upTo position: UInt64) {
        for change in changes { apply(change) }
        self.position = max(self.position, position)
    }

    /// Applies a change; one that was already applied has no effect.
    public mutating func apply(_ change: LocalChange) { take(change) }

    /// Answers a call (ZIM-9), and makes its changes.
    ///
    /// - Returns: the answer; ``Status/invalidArgument`` for invalid arguments, and then nothing has changed;
    ///   ``Status/unsupported`` for a call that needs more than the database: the server, or a folder.
    public mutating func answer(_ request: LocalRequest) -> LocalAnswer { perform(request) }

    /// All messages, in order of insertion; messages inserted on this device only are included.
    public var exportedMessages: [LocalMessage] {
        messages.values.flatMap { $0 }.sorted { $0.localID < $1.localID }.map(\.exported)
    }

    /// Adds the messages that are missing here. They do not count as unread, and deleted ones are restored.
    ///
    /// - Returns: the number of added messages.
    public mutating func importMessages(_ imported: [LocalMessage]) -> Int {
        var new = 0
        for message in imported where take(imported: message) { new += 1 }
        return new
    }

    // MARK: Finding messages

    /// The name of a message by its number in the database, for a message that may have no id.
    static func name(of localID: Int64) -> String { "#\(localID)" }

    /// The key in ``places`` of an id that messages of several users have, or had.
    static func sharedName(of id: String) -> String { MessageName(sender: "", id: id).text }

    /// The message of that name or id, or with that number.
    package func message(_ name: String) -> LocalMessage? {
        place(of: name).flatMap { messages[$0.conversation]?[$0.index] }
    }

    private func place(of name: String) -> (conversation: ConversationID, index: Int)? {
        let asked = MessageName(name)
        guard let first = places[asked.id] else { return nil }
        func isAsked(_ message: LocalMessage) -> Bool {
            asked.matches(message) || Self.name(of: message.localID) == name
        }
        guard places[Self.sharedName(of: asked.id)] != nil else {
            return messages[first]?.firstIndex(where: isAsked).map { (first, $0) }
        }
        return firstPosition(where: isAsked)
    }

    /// The position of the first inserted message that matches.
    private func firstPosition(where isWanted: (LocalMessage) -> Bool) -> (conversation: ConversationID, index: Int)? {
        var found: (conversation: ConversationID, index: Int)?
        var lowest = Int64.max
        for (conversation, list) in messages {
            for index in list.indices where list[index].localID < lowest && isWanted(list[index]) {
                (found, lowest) = ((conversation, index), list[index].localID)
            }
        }
        return found
    }

    /// Removes the position of a removed message. Another user may have used the same id.
    mutating func removePosition(of message: LocalMessage) {
        places[Self.name(of: message.localID)] = nil
        guard !message.id.isEmpty else { return }
        let isShared = places[Self.sharedName(of: message.id)] != nil
        places[message.id] = isShared ? firstPosition { $0.id == message.id }?.conversation : nil
    }
}

extension [LocalMessage] {
    /// The index of the first message at or after the position.
    func place(of position: Position) -> Int {
        partitioningIndex { $0.position >= position }
    }
}
