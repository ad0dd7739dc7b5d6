import Foundation
import IMClient
import IMProtocol
import SimulatedApp

/// A conversation of the user, as the device keeps it.
public final class NIMRecentSession: @unchecked Sendable {
    public let session: NIMSession?
    public let lastMessage: NIMMessage?
    public let unreadCount: Int

    init(session: NIMSession, lastMessage: NIMMessage, unreadCount: Int) {
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
    /// How many messages nobody has read.
    func allUnreadCount() -> Int
    /// A delegate, which is not kept alive. Several are told in the order in which they came.
    func add(_ delegate: any NIMConversationManagerDelegate)
    func remove(_ delegate: any NIMConversationManagerDelegate)
}

/// The conversations over what the machine keeps.
final class ConversationManager: NIMConversationManager, @unchecked Sendable {
    private unowned let client: SDKClient
    private let delegates = DelegateList<any NIMConversationManagerDelegate>()

    init(_ client: SDKClient) {
        self.client = client
        client.observe { [weak self] in self?.heard($0) }
    }

    func allRecentSessions() -> [NIMRecentSession]? {
        guard client.isDataOpen, let rows = client.ask(.items)?.rows else { return nil }
        return Self.sessions(
            of: rows.compactMap { row in
                let fields = Dictionary(row.fields.map { ($0.name, $0.value) }) { first, _ in first }
                guard fields["kind"] == "message", let id = fields["id"] else { return nil }
                return (id, fields["text"] ?? "")
            })
    }

    private static func sessions(of items: [(id: String, text: String)]) -> [NIMRecentSession] {
        var sessions: [(name: String, messages: [NIMMessage])] = []
        for (id, text) in items {
            guard let slash = id.firstIndex(of: "/") else { continue }
            let message = NIMMessage()
            message.text = text
            message.messageId = String(id[id.index(after: slash)...])
            message.from = String(id[..<slash])
            if let place = sessions.firstIndex(where: { $0.name == message.from }) {
                sessions[place].messages.append(message)
            } else {
                sessions.append((String(id[..<slash]), [message]))
            }
        }
        return sessions.compactMap { name, messages in
            messages.last.map {
                NIMRecentSession(
                    session: NIMSession(name, type: .P2P), lastMessage: $0, unreadCount: messages.count)
            }
        }
    }

    func allUnreadCount() -> Int { allRecentSessions()?.reduce(0) { $0 + $1.unreadCount } ?? 0 }

    func add(_ delegate: any NIMConversationManagerDelegate) { delegates.add(delegate) }

    func remove(_ delegate: any NIMConversationManagerDelegate) { delegates.remove(delegate) }

    private func heard(_ news: SDKClient.News) {
        guard case .told(.messageReceived(let message)) = news, !message.isToChannel else { return }
        // What the SDK itself looks at is no call of the app.
        let items = client.kept.items.filter { $0.user == client.user && $0.kind == .message }
        let sessions = Self.sessions(of: items.map { ($0.id, $0.text) })
        guard let session = sessions.first(where: { $0.session?.sessionId == message.from }) else { return }
        let unread = sessions.reduce(0) { $0 + $1.unreadCount }
        delegates.tell {
            session.unreadCount == 1
                ? $0.didAdd(session, totalUnreadCount: unread) : $0.didUpdate(session, totalUnreadCount: unread)
        }
    }
}
