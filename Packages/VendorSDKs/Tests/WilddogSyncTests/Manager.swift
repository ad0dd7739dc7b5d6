import Foundation
import Wilddog

/// A session manager as apps write it over the tree, which has no users. A user who logs in writes the id of the
/// session, and ends the session when another id is stored there.
@MainActor
final class SessionManager {
    enum State: Equatable {
        case loggedOut
        case online(String)
        case kicked
    }

    enum LoginError: Error { case taken }

    private(set) var state = State.loggedOut
    private(set) var isConnected = false
    private(set) var log: [String] = []
    private let root: WDGSyncReference
    private var session: WDGSyncReference?
    private var handle: WDGSyncHandle = 0

    init() {
        WDGApp.configure(with: WDGOptions(syncURL: "https://samplechat.wilddogio.com"))
        root = WDGSync.sync().reference()
        root.child(".info/connected").observe(.value) { [weak self] snapshot in
            let isConnected = snapshot.value as? Bool ?? false
            MainActor.assumeIsolated { self?.connected(isConnected) }
        }
    }

    var isOnline: Bool { if case .online = state { isConnected } else { false } }

    /// With `await`: the stored session is the user's, or there is none.
    func login(_ user: String, forced: Bool = false) async throws {
        let place = root.child("sessions").child(user)
        let own = place.childByAutoId().key
        let (isCommitted, snapshot) = try await place.runTransactionBlock { data in
            if data.value != nil, !forced { return .abort() }
            data.value = own
            return .success(withValue: data)
        }
        guard isCommitted, snapshot.value as? String == own else { throw LoginError.taken }
        session = place
        state = .online(own)
        arm()
        handle = place.observe(.value) { [weak self] snapshot in
            let owner = snapshot.value as? String
            MainActor.assumeIsolated { self?.owned(by: owner) }
        }
        try await presence(user).setValue(["online": true, "since": WDGServerValue.timestamp()])
        log.append("login \(user)")
    }

    /// With blocks.
    func logout() {
        guard let session, case .online = state else { return }
        session.removeObserver(withHandle: handle)
        session.cancelDisconnectOperations()
        presence(session.key).onDisconnectRemoveValue { _, _ in }
        presence(session.key).updateChildValues(["online": false])
        session.removeValue { [weak self] error, _ in
            let isDone = error == nil
            MainActor.assumeIsolated { self?.log.append("logout \(isDone)") }
        }
        self.session = nil
        state = .loggedOut
    }

    func send(_ text: String, to room: String) {
        root.child("rooms/\(room)").childByAutoId().setValue(["text": text, "at": WDGServerValue.timestamp()])
    }

    func listen(to room: String) {
        root.child("rooms/\(room)").queryOrdered(byChild: "at").queryLimited(toLast: 20)
            .observe(.childAdded) { [weak self] snapshot in
                let text = (snapshot.value as? [String: Any])?["text"] as? String ?? "?"
                MainActor.assumeIsolated { self?.log.append("heard \(text)") }
            }
    }

    private func presence(_ user: String) -> WDGSyncReference { root.child("presence").child(user) }

    private func connected(_ isConnected: Bool) {
        self.isConnected = isConnected
        log.append(isConnected ? "connected" : "disconnected")
        // An onDisconnect operation runs once, so it has to be set on every connection.
        if isConnected { arm() }
    }

    private func arm() {
        guard let session, case .online = state else { return }
        session.onDisconnectRemoveValue()
        presence(session.key).onDisconnectUpdateChildValues(["online": false])
    }

    private func owned(by owner: String?) {
        guard case .online(let own) = state, let session, owner != own else { return }
        // No owner: the server ran the onDisconnect operations of a broken connection.
        if owner == nil {
            session.setValue(own)
            return
        }
        session.removeObserver(withHandle: handle)
        session.cancelDisconnectOperations()
        presence(session.key).cancelDisconnectOperations()
        self.session = nil
        state = .kicked
        log.append("kicked")
    }
}
