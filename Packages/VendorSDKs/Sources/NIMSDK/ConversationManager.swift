import AppStandIns
import Foundation
import IMClient
import IMProtocol
import SimulatedApp

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The conversations in the machine's local data. The machine does not store which messages are read: the SDK stores
/// that in a file of the device, and the session has a mark.
final class ConversationManager: NIMConversationManager, @unchecked Sendable {
    /// A stored message: sender, id and text.
    private struct StoredMessage {
        let from: String
        let id: String
        let text: String

        /// - Parameter name: the sender and the id, with `/` between.
        init?(_ name: String, _ text: String) {
            guard let slash = name.firstIndex(of: "/") else { return nil }
            from = String(name[..<slash])
            id = String(name[name.index(after: slash)...])
            self.text = text
        }

        var name: String { "\(from)/\(id)" }

        var message: NIMMessage {
            let message = NIMMessage()
            message.text = text
            message.messageId = id
            message.from = from
            message.session = NIMSession(from, type: .P2P)
            message.deliveryState = .deliveried
            message.isReceivedMsg = true
            return message
        }
    }

    private unowned let client: SDKClient
    private let delegates = DelegateList<any NIMConversationManagerDelegate>()

    init(_ client: SDKClient) {
        self.client = client
        client.observe { [weak self] in self?.handleNotice($0) }
    }

    // MARK: Stored conversations

    func allRecentSessions() -> [NIMRecentSession]? { queriedMessages().map(sessions) }

    func recentSession(by session: NIMSession) -> NIMRecentSession? {
        queriedMessages().flatMap { sessions(of: $0).first { $0.session == session } }
    }

    func messages(in session: NIMSession, message: NIMMessage?, limit: Int) -> [NIMMessage]? {
        guard let all = messages(in: session) else { return nil }
        let end = message.map { before in all.firstIndex { $0.id == before.messageId } ?? 0 } ?? all.count
        return all[..<end].suffix(max(0, limit)).map(\.message)
    }

    func messages(in session: NIMSession, messageIds: [String]) -> [NIMMessage]? {
        messages(in: session)?.filter { messageIds.contains($0.id) }.map(\.message)
    }

    private func messages(in session: NIMSession) -> [StoredMessage]? {
        queriedMessages()?.filter { session.sessionType == .P2P && $0.from == session.sessionId }
    }

    func allUnreadCount() -> Int { allRecentSessions()?.reduce(0) { $0 + $1.unreadCount } ?? 0 }

    func allUnreadCount(_ notify: Bool) -> Int { allUnreadCount() }

    /// A query of the app, which the session records. Nil while no data is open.
    private func queriedMessages() -> [StoredMessage]? {
        guard client.isDataOpen, let rows = client.ask(.items)?.rows else { return nil }
        return rows.compactMap { row in
            let fields = Dictionary(row.fields.map { ($0.name, $0.value) }) { first, _ in first }
            guard fields["kind"] == "message", let id = fields["id"] else { return nil }
            return StoredMessage(id, fields["text"] ?? "")
        }
    }

    /// A query of the SDK itself, which is no call of the app.
    private var kept: [StoredMessage] {
        guard client.isDataOpen else { return [] }
        let items = client.kept.items.filter { $0.user == client.user && $0.kind == .message }
        return items.compactMap { StoredMessage($0.id, $0.text) }
    }

    private func sessions(of messages: [StoredMessage]) -> [NIMRecentSession] {
        let read = read
        var names: [String] = []
        for message in messages where !names.contains(message.from) { names.append(message.from) }
        return names.compactMap { name in
            let own = messages.filter { $0.from == name }
            guard let last = own.last else { return nil }
            return NIMRecentSession(
                session: NIMSession(name, type: .P2P), lastMessage: last.message,
                unreadCount: own.count { !read.contains($0.name) }, isNew: own.count == 1)
        }
    }

    // MARK: Read messages

    func markAllMessagesRead(in session: NIMSession) {
        guard client.isDataOpen, session.sessionType == .P2P else { return }
        client.note("markAllMessagesRead(in: \(session.sessionId))")
        guard mark(where: { $0.from == session.sessionId }) else { return }
        client.enqueue("a callback") { [weak self] in self?.tellOfChange(in: session.sessionId) }
    }

    func markAllMessagesRead(in session: NIMSession, completion: @escaping ((any Error)?) -> Void) {
        markAllMessagesRead(in: session)
        client.enqueue("a completion") { completion(nil) }
    }

    func batchMarkMessagesRead(in sessions: [NIMSession]) {
        guard client.isDataOpen else { return }
        let names = sessions.filter { $0.sessionType == .P2P }.map(\.sessionId)
        client.note("batchMarkMessagesRead(in: \(names))")
        guard mark(where: { names.contains($0.from) }) else { return }
        client.enqueue("a callback") { [weak self] in
            self?.delegates.notify { $0.onBatchMarkMessagesRead(in: sessions) }
        }
    }

    func batchMarkMessagesRead(
        in sessions: [NIMSession], completion: @escaping (_ error: (any Error)?, _ sessions: [NIMSession]?) -> Void
    ) {
        batchMarkMessagesRead(in: sessions)
        client.enqueue("a completion") { completion(nil, nil) }
    }

    func markAllMessagesRead() {
        guard client.isDataOpen else { return }
        client.note("markAllMessagesRead()")
        guard mark(where: { _ in true }) else { return }
        client.enqueue("a callback") { [weak self] in self?.delegates.notify { $0.allMessagesRead() } }
    }

    /// - Returns: true if any of them was unread.
    private func mark(where isMeant: (StoredMessage) -> Bool) -> Bool {
        let old = read
        let kept = kept
        // Drops the names of messages that the device no longer stores.
        let new = Set(kept.filter { isMeant($0) || old.contains($0.name) }.map(\.name))
        read = new
        return !new.isSubset(of: old)
    }

    /// The names of the user's read messages.
    private var read: Set<String> {
        get {
            let text = client.storage?.files[path].map { String(decoding: $0, as: UTF8.self) } ?? ""
            return Set(text.split(separator: "\n").map(String.init))
        }
        set { client.storage?.files[path] = Data(newValue.sorted().joined(separator: "\n").utf8) }
    }

    private var path: String { "NIMSDK/read/\(client.user ?? "")" }

    // MARK: Delegates

    func add(_ delegate: any NIMConversationManagerDelegate) { delegates.add(delegate) }

    func remove(_ delegate: any NIMConversationManagerDelegate) { delegates.remove(delegate) }

    private func handleNotice(_ appNotice: SDKClient.AppNotice) {
        guard case .notified(.messageReceived(let message)) = appNotice, !message.isToChannel else { return }
        tellOfChange(in: message.from)
    }

    private func tellOfChange(in name: String) {
        let sessions = sessions(of: kept)
        guard let session = sessions.first(where: { $0.session?.sessionId == name }) else { return }
        let unread = sessions.reduce(0) { $0 + $1.unreadCount }
        delegates.notify {
            session.isNew && session.unreadCount > 0
                ? $0.didAdd(session, totalUnreadCount: unread) : $0.didUpdate(session, totalUnreadCount: unread)
        }
    }
}
