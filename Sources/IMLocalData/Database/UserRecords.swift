import IMProtocol
import OrderedCollections

/// The stored data of one user, in memory or in a database on disk. A storage implements these methods, which find,
/// sort and change entries. The extensions of the protocol apply changes and answer calls, in the same way for each
/// storage.
package protocol UserRecords {
    /// The errors of the storage; `Never` in memory.
    associatedtype Failure: Error

    var rows: AnswerRows { get }

    // MARK: Entries

    func entry(_ table: EntryTable, _ name: String) throws(Failure) -> LocalChange?
    /// The number of entries of a table; nil if the table never had an entry.
    func count(_ table: EntryTable) throws(Failure) -> Int?
    /// A page of the entries of a table, in the order of their serial numbers.
    ///
    /// - Parameters:
    ///   - flag: the serial number of the last entry of the previous page; 0 for the first page.
    ///   - newestFirst: true if the order is descending. The page then contains the entries with serial numbers below
    ///     `flag`.
    ///   - most: the maximum number of entries of the page.
    func entries(
        _ table: EntryTable, after flag: UInt32, newestFirst: Bool, most: Int
    ) throws(Failure) -> [EntryTable.Entry]
    /// Adds an entry, or replaces the entry with the same name.
    ///
    /// - Parameter serial: the serial number that the server assigned. If nil, a new entry gets the number after the
    ///   highest one.
    mutating func set(_ table: EntryTable, _ name: String, _ change: LocalChange, serial: UInt32?) throws(Failure)
    mutating func remove(_ table: EntryTable, _ name: String) throws(Failure)
    /// Removes all entries of a table. The next entry has the serial number 1 again.
    mutating func removeAll(_ table: EntryTable) throws(Failure)

    // MARK: Conversations

    /// The stored conversation; nil if none is stored.
    func storedConversation(_ id: ConversationID) throws(Failure) -> LocalConversation?
    /// The stored conversation. If none is stored, it is created.
    mutating func findOrCreate(_ id: ConversationID) throws(Failure) -> LocalConversation
    mutating func save(_ conversation: LocalConversation)
    /// All conversations, in the order in which they were created.
    func allConversations() throws(Failure) -> [LocalConversation]
    /// The listed conversations after a position, in the order of the list.
    func listed(
        after position: Position?, most: Int, where condition: (LocalConversation) -> Bool
    ) throws(Failure) -> [LocalConversation]

    // MARK: Messages

    /// The message with this name or id, or with this local number (`#12`). If messages of two users have the same id,
    /// the one that was inserted first.
    func message(_ name: String) throws(Failure) -> LocalMessage?
    /// The stored message with the same sender and id as `message`.
    func stored(_ message: LocalMessage) throws(Failure) -> LocalMessage?
    func lastMessage(of conversation: LocalConversation) throws(Failure) -> LocalMessage?
    /// The messages of a range that match the filter, in the order of the range.
    func messages(_ range: MessageRange, where filter: MessageFilter?) throws(Failure) -> [LocalMessage]
    /// The messages that match the filter, grouped by conversation, newest first. Nil if the storage has no faster way
    /// than a search in each conversation.
    func matchesByConversation(_ filter: MessageFilter) throws(Failure) -> [ConversationID: [LocalMessage]]?
    func readers(of message: LocalMessage) throws(Failure) -> OrderedSet<String>

    /// Assigns a local number to a message, and inserts it.
    @discardableResult
    mutating func insert(_ message: LocalMessage, in conversation: LocalConversation) throws(Failure) -> LocalMessage
    /// Gives a stored message the status, and if it lacks them also the sequence number and time, of the server's copy.
    ///
    /// - Parameters:
    ///   - known: the stored message, which was sent from this device.
    ///   - message: the server's copy of it.
    /// - Returns: true if the position of the message changed.
    mutating func update(_ known: LocalMessage, _ message: LocalMessage) throws(Failure) -> Bool
    mutating func delete(_ message: LocalMessage) throws(Failure)
    /// Deletes the messages of a conversation up to a position.
    ///
    /// - Returns: the number of deleted messages that were unread.
    mutating func delete(in conversation: LocalConversation, through boundary: Position) throws(Failure) -> Int
    /// Removes the contents of a message, and marks it as revoked.
    mutating func revoke(_ message: LocalMessage) throws(Failure)
    mutating func setLocalExtendedData(_ text: String, of message: LocalMessage) throws(Failure)
    mutating func addReader(_ user: String, of message: LocalMessage) throws(Failure)
    mutating func set(_ reaction: LocalMessage.Reaction, of message: LocalMessage, isOn: Bool) throws(Failure)
    /// Marks the messages of a conversation up to a time as read.
    ///
    /// - Returns: the number of messages that were unread before.
    mutating func markRead(in conversation: LocalConversation, upTo time: Int64) throws(Failure) -> Int

    /// True if the message was deleted by name on this device. A sync does not restore such a message.
    func isRemoved(_ message: LocalMessage) throws(Failure) -> Bool
    /// Stores that the message with this name was deleted.
    mutating func setRemoved(_ name: String) throws(Failure)
    /// Reverts ``setRemoved(_:)`` for a message that an import restores.
    mutating func unsetRemoved(_ message: LocalMessage) throws(Failure)
    /// True if an equal message without an id is stored (``LocalMessage/isSameInserted(as:)``).
    func hasInserted(_ message: LocalMessage) throws(Failure) -> Bool

    // MARK: Files

    mutating func setDownloaded(_ message: LocalMessage, at time: Int64?) throws(Failure)
    /// The total size of downloaded files, in bytes, for each conversation and kind of message.
    ///
    /// - Parameter time: only files downloaded up to this time, in milliseconds since 1970; 0 for all.
    func cachedFiles(upTo time: Int64) throws(Failure) -> [(ConversationID, LocalMessage.Kind, size: Int64)]
    mutating func clearCache(upTo time: Int64) throws(Failure)
}

/// A table of a user's data. Each entry of it has a name and a unique serial number.
package enum EntryTable: Hashable, Sendable, Codable {
    case user, friend, friendApplication, blacklist, group
    case member(of: String)
    case groupApplication, call

    /// An entry of a table: the change that set its value, and its serial number.
    package struct Entry: Hashable, Sendable, Codable {
        package var serial: UInt32
        package var change: LocalChange

        package init(serial: UInt32, change: LocalChange) {
            self.serial = serial
            self.change = change
        }
    }
}

/// A range of messages in the order of their positions.
package struct MessageRange {
    /// The conversation of the messages; nil for the messages of all conversations.
    package var conversation: LocalConversation?
    /// The range contains only messages after this position; nil to start with the first message.
    package var after: Position?
    package var oldestFirst = false
    /// The maximum number of messages.
    package var most = Int.max

    /// All messages, newest first.
    package static var all: MessageRange { MessageRange() }

    /// True if `one` precedes `other` in the order of this range.
    package func isBefore(_ one: LocalMessage, _ other: LocalMessage) -> Bool {
        oldestFirst ? one.position < other.position : other.position < one.position
    }
}
