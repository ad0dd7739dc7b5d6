import Foundation

/// A conversation of the user on the device.
public final class NIMRecentSession: NSObject, Sendable {
    public let session: NIMSession?
    public let lastMessage: NIMMessage?
    /// The number of unread messages.
    public let unreadCount: Int
    /// True if its last message is its first.
    let isNew: Bool

    init(session: NIMSession, lastMessage: NIMMessage, unreadCount: Int, isNew: Bool) {
        self.isNew = isNew
        self.session = session
        self.lastMessage = lastMessage
        self.unreadCount = unreadCount
    }
}

/// Receives changes of the conversations. All methods are optional.
public protocol NIMConversationManagerDelegate: AnyObject {
    func didAdd(_ recentSession: NIMRecentSession, totalUnreadCount: Int)
    func didUpdate(_ recentSession: NIMRecentSession, totalUnreadCount: Int)
    func didRemove(_ recentSession: NIMRecentSession, totalUnreadCount: Int)
    func messagesDeleted(in session: NIMSession)
    func allMessagesDeleted()
    func allMessagesRead()
    /// Several conversations were marked as read at once.
    func onBatchMarkMessagesRead(in sessions: [NIMSession])
}

extension NIMConversationManagerDelegate {
    public func didAdd(_ recentSession: NIMRecentSession, totalUnreadCount: Int) {}
    public func didUpdate(_ recentSession: NIMRecentSession, totalUnreadCount: Int) {}
    public func didRemove(_ recentSession: NIMRecentSession, totalUnreadCount: Int) {}
    public func messagesDeleted(in session: NIMSession) {}
    public func allMessagesDeleted() {}
    public func allMessagesRead() {}
    public func onBatchMarkMessagesRead(in sessions: [NIMSession]) {}
}

/// The user's conversations on the device. They are complete when the sync has ended (NIM-14).
public protocol NIMConversationManager: AnyObject {
    /// The conversations. Nil while no user's data is open (C-13).
    func allRecentSessions() -> [NIMRecentSession]?
    /// The conversation with somebody. Nil if it has no messages, and while no user's data is open.
    func recentSession(by session: NIMSession) -> NIMRecentSession?
    /// Messages of a conversation, the oldest first: the last ones before another one.
    ///
    /// - Parameters:
    ///   - message: the message that they precede; nil for the last ones of all.
    ///   - limit: the maximum number.
    /// - Returns: nil while no user's data is open.
    func messages(in session: NIMSession, message: NIMMessage?, limit: Int) -> [NIMMessage]?
    /// The messages of a conversation with one of the ids. Nil while no user's data is open.
    func messages(in session: NIMSession, messageIds: [String]) -> [NIMMessage]?
    /// The number of unread messages.
    func allUnreadCount() -> Int
    /// Like `allUnreadCount()`, optionally only for conversations that are not muted: none is muted here.
    func allUnreadCount(_ notify: Bool) -> Int
    /// Marks everything in a conversation as read; the delegates are notified of the change.
    func markAllMessagesRead(in session: NIMSession)
    /// Like `markAllMessagesRead(in:)`, with a completion. Its error is nil, because the device marks them.
    func markAllMessagesRead(in session: NIMSession, completion: @escaping ((any Error)?) -> Void)
    /// Marks everything in several conversations as read; the delegates are notified once.
    func batchMarkMessagesRead(in sessions: [NIMSession])
    /// Like `batchMarkMessagesRead(in:)`, with a completion. It reports no failed conversations, because the device
    /// marks them.
    func batchMarkMessagesRead(
        in sessions: [NIMSession], completion: @escaping (_ error: (any Error)?, _ sessions: [NIMSession]?) -> Void)
    /// Marks everything as read; the delegates are notified.
    func markAllMessagesRead()
    /// Adds a delegate. Weak. Several are notified in the order in which they were added.
    func add(_ delegate: any NIMConversationManagerDelegate)
    func remove(_ delegate: any NIMConversationManagerDelegate)
}
