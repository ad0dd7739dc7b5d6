import Foundation

/// A conversation of the user, as the device keeps it.
public final class NIMRecentSession: NSObject, Sendable {
    public let session: NIMSession?
    public let lastMessage: NIMMessage?
    /// How many of its messages nobody has read.
    public let unreadCount: Int
    /// Whether its last message is its first.
    let isNew: Bool

    init(session: NIMSession, lastMessage: NIMMessage, unreadCount: Int, isNew: Bool) {
        self.isNew = isNew
        self.session = session
        self.lastMessage = lastMessage
        self.unreadCount = unreadCount
    }
}

/// Is told what becomes of the conversations. All of it is optional.
public protocol NIMConversationManagerDelegate: AnyObject {
    func didAdd(_ recentSession: NIMRecentSession, totalUnreadCount: Int)
    func didUpdate(_ recentSession: NIMRecentSession, totalUnreadCount: Int)
    func didRemove(_ recentSession: NIMRecentSession, totalUnreadCount: Int)
    func messagesDeleted(in session: NIMSession)
    func allMessagesDeleted()
    func allMessagesRead()
}

extension NIMConversationManagerDelegate {
    public func didAdd(_ recentSession: NIMRecentSession, totalUnreadCount: Int) {}
    public func didUpdate(_ recentSession: NIMRecentSession, totalUnreadCount: Int) {}
    public func didRemove(_ recentSession: NIMRecentSession, totalUnreadCount: Int) {}
    public func messagesDeleted(in session: NIMSession) {}
    public func allMessagesDeleted() {}
    public func allMessagesRead() {}
}

/// What the device keeps of the user's conversations. It is complete when the sync has ended (NIM-14).
public protocol NIMConversationManager: AnyObject {
    /// The conversations, nil while no user's data is open (C-13).
    func allRecentSessions() -> [NIMRecentSession]?
    /// The conversation with somebody; nil where nothing was said, and while no user's data is open.
    func recentSession(by session: NIMSession) -> NIMRecentSession?
    /// Messages of a conversation, the oldest first: the last ones before another one.
    ///
    /// - Parameters:
    ///   - message: the one before which they came; nil for the last ones of all.
    ///   - limit: how many at most.
    /// - Returns: nil while no user's data is open.
    func messages(in session: NIMSession, message: NIMMessage?, limit: Int) -> [NIMMessage]?
    /// Those messages of a conversation that have one of the ids; nil while no user's data is open.
    func messages(in session: NIMSession, messageIds: [String]) -> [NIMMessage]?
    /// How many messages nobody has read.
    func allUnreadCount() -> Int
    /// The same, where asked for of conversations alone that are not muted: none is here.
    func allUnreadCount(_ notify: Bool) -> Int
    /// Everything that was said in a conversation is read; the delegates are told that it has changed.
    func markAllMessagesRead(in session: NIMSession)
    /// Everything is read; the delegates are told.
    func markAllMessagesRead()
    /// A delegate, which is not kept alive. Several are told in the order in which they came.
    func add(_ delegate: any NIMConversationManagerDelegate)
    func remove(_ delegate: any NIMConversationManagerDelegate)
}
