import IMProtocol
import OrderedCollections

/// The stored data of one user: finds, sorts and changes entries, in memory or in a database on disk. The extensions
/// decide what a change does and what an answer contains, once for all of them.
package protocol UserRecords {
    /// The errors of the storage; `Never` in memory.
    associatedtype Failure: Error

    var rows: AnswerRows { get }

    // MARK: Entries

    func entry(_ table: EntryTable, _ name: String) throws(Failure) -> LocalChange?
    /// Nil if it never had an entry.
    func count(_ table: EntryTable) throws(Failure) -> Int?
    /// The entries after a number, in the order of their numbers.
    ///
    /// - Parameter flag: the number of the last entry of the page before; 0 for all.
    func entries(
        _ table: EntryTable, after flag: UInt32, newestFirst: Bool, most: Int
    ) throws(Failure) -> [EntryTable.Entry]
    /// Adds an entry, or replaces the one with that name.
    ///
    /// - Parameter serial: the number that the server assigned; automatic numbers continue after it.
    mutating func set(_ table: EntryTable, _ name: String, _ change: LocalChange, serial: UInt32?) throws(Failure)
    mutating func remove(_ table: EntryTable, _ name: String) throws(Failure)
    /// Removes all entries, and restarts their numbers.
    mutating func removeAll(_ table: EntryTable) throws(Failure)

    // MARK: Conversations

    func known(_ id: ConversationID) throws(Failure) -> LocalConversation?
    /// A conversation; a new one if it does not exist.
    mutating func begun(_ id: ConversationID) throws(Failure) -> LocalConversation
    mutating func save(_ conversation: LocalConversation)
    /// All conversations, in the order in which they began.
    func allConversations() throws(Failure) -> [LocalConversation]
    /// The conversations of the list after a position, in its order.
    func listed(
        after position: Position?, most: Int, where condition: (LocalConversation) -> Bool
    ) throws(Failure) -> [LocalConversation]

    // MARK: Messages

    /// The message with that name or id, or with that number in the database: `#12`. If two users have used the same
    /// id, the first message.
    func message(_ name: String) throws(Failure) -> LocalMessage?
    /// The stored message of the same sender with the same id.
    func stored(_ message: LocalMessage) throws(Failure) -> LocalMessage?
    func lastMessage(of conversation: LocalConversation) throws(Failure) -> LocalMessage?
    /// The messages of a range that match, in its order.
    func messages(_ range: MessageRange, where filter: MessageFilter?) throws(Failure) -> [LocalMessage]
    /// The matches in every conversation, newest first; nil if conversations are better searched one after the other.
    func matchesByConversation(_ filter: MessageFilter) throws(Failure) -> [ConversationID: [LocalMessage]]?
    func readers(of message: LocalMessage) throws(Failure) -> OrderedSet<String>

    /// Assigns a number to a message and inserts it.
    @discardableResult
    mutating func insert(_ message: LocalMessage, in conversation: LocalConversation) throws(Failure) -> LocalMessage
    /// Applies what the server sends later about a message that was sent from here.
    ///
    /// - Returns: true if its position changed.
    mutating func update(_ known: LocalMessage, _ message: LocalMessage) throws(Failure) -> Bool
    mutating func delete(_ message: LocalMessage) throws(Failure)
    /// Deletes the messages of a conversation up to a position.
    ///
    /// - Returns: the number of unread ones.
    mutating func delete(in conversation: LocalConversation, through boundary: Position) throws(Failure) -> Int
    /// Replaces a message by a revoked one without contents.
    mutating func revoke(_ message: LocalMessage) throws(Failure)
    mutating func setLocalExtendedData(_ text: String, of message: LocalMessage) throws(Failure)
    mutating func addReader(_ user: String, of message: LocalMessage) throws(Failure)
    mutating func set(_ reaction: LocalMessage.Reaction, of message: LocalMessage, isOn: Bool) throws(Failure)
    /// Marks the messages of a conversation up to a time as read.
    ///
    /// - Returns: their number.
    mutating func markRead(in conversation: LocalConversation, upTo time: Int64) throws(Failure) -> Int

    /// True if it was removed by name, so that no sync restores it.
    func isRemoved(_ message: LocalMessage) throws(Failure) -> Bool
    mutating func setRemoved(_ name: String) throws(Failure)
    /// An import restores it.
    mutating func unsetRemoved(_ message: LocalMessage) throws(Failure)
    /// True if the same message was inserted on this device; it has no id.
    func hasInserted(_ message: LocalMessage) throws(Failure) -> Bool

    // MARK: Files

    mutating func setDownloaded(_ message: LocalMessage, at time: Int64?) throws(Failure)
    /// The sizes of downloaded files by conversation and kind.
    ///
    /// - Parameter time: of the last download, in milliseconds since 1970; 0 for all.
    func cachedFiles(upTo time: Int64) throws(Failure) -> [(ConversationID, LocalMessage.Kind, size: Int64)]
    mutating func clearCache(upTo time: Int64) throws(Failure)
}

/// A table of entries with names and unique numbers, in the order of their arrival.
package enum EntryTable: Hashable, Sendable, Codable {
    case user, friend, friendApplication, blacklist, group
    case member(of: String)
    case groupApplication, call

    /// The change that stored a value, with its number.
    package struct Entry: Hashable, Sendable, Codable {
        package var serial: UInt32
        package var change: LocalChange

        package init(serial: UInt32, change: LocalChange) {
            self.serial = serial
            self.change = change
        }
    }
}

/// A range of messages, in the order of their positions.
package struct MessageRange {
    /// The only conversation; nil for all.
    package var conversation: LocalConversation?
    /// The position before the range.
    package var after: Position?
    package var oldestFirst = false
    /// The maximum number of messages.
    package var most = Int.max

    /// All messages, newest first.
    package static var all: MessageRange { MessageRange() }

    /// True if one message precedes the other.
    package func isBefore(_ one: LocalMessage, _ other: LocalMessage) -> Bool {
        oldestFirst ? one.position < other.position : other.position < one.position
    }
}
