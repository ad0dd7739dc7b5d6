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

/// What the device keeps of the user's conversations. It is complete when the sync has ended (NIM-14).
public protocol NIMConversationManager: AnyObject {
    /// The conversations, nil while no user's data is open (C-13).
    func allRecentSessions() -> [NIMRecentSession]?
    /// How many messages nobody has read.
    func allUnreadCount() -> Int
}

/// The conversations over what the machine keeps.
final class ConversationManager: NIMConversationManager, @unchecked Sendable {
    private unowned let client: SDKClient

    init(_ client: SDKClient) { self.client = client }

    func allRecentSessions() -> [NIMRecentSession]? {
        guard client.isDataOpen, let rows = client.ask(.items)?.rows else { return nil }
        var sessions: [(name: String, messages: [NIMMessage])] = []
        for row in rows {
            let fields = Dictionary(row.fields.map { ($0.name, $0.value) }) { first, _ in first }
            guard fields["kind"] == "message", let id = fields["id"], let slash = id.firstIndex(of: "/") else {
                continue
            }
            let message = NIMMessage()
            message.text = fields["text"]
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
}
