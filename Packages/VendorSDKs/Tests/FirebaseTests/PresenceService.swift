import Firebase
import Foundation

// Unchanged code of an app, with Firebase's names: it shows who is online.

/// Shows a user as online while one of the user's devices is connected.
final class PresenceService {
    static let shared = PresenceService()

    private(set) var isConnected = false
    private(set) var onlineUsers: [String] = []
    private(set) var log: [String] = []
    private let ref: DatabaseReference
    private var connectedHandle: DatabaseHandle?
    private var authHandle: AuthStateDidChangeListenerHandle?

    private init() {
        if FirebaseApp.app() == nil { FirebaseApp.configure() }
        Database.database().isPersistenceEnabled = false
        ref = Database.database().reference()
        authHandle = Auth.auth().addStateDidChangeListener { [weak self] _, user in
            if let user { self?.start(user.uid) } else { self?.stop() }
        }
    }

    func signUp(email: String, password: String) {
        Auth.auth().createUser(withEmail: email, password: password) { result, error in
            if let error = error as NSError? { self.log.append("sign-up \(error.code)") }
            if let user = result?.user { self.log.append("sign-up \(user.uid)") }
        }
    }

    func signIn(email: String, password: String) async {
        do {
            let result = try await Auth.auth().signIn(withEmail: email, password: password)
            log.append("sign-in \(result.user.uid)")
        } catch {
            let code = AuthErrorCode.Code(rawValue: (error as NSError).code)
            log.append(code == .wrongPassword ? "wrong password" : "\(error)")
        }
    }

    func signOut() {
        guard let uid = Auth.auth().currentUser?.uid else { return }
        ref.child("status/\(uid)").removeValue { error, ref in
            self.log.append("removed \(ref.key ?? "?") \(error == nil)")
            try? Auth.auth().signOut()
        }
    }

    func lastSeen(_ uid: String) async throws -> Int? {
        try await ref.child("lastSeen").child(uid).getData().value as? Int
    }

    private func start(_ uid: String) {
        let connected = Database.database().reference(withPath: ".info/connected")
        connectedHandle = connected.observe(.value) { [weak self] snapshot in
            guard let self else { return }
            self.isConnected = snapshot.value as? Bool ?? false
            guard self.isConnected else { return }
            // The onDisconnect operation is set before the value: a break between the two leaves no user online.
            let connection = self.ref.child("status").child(uid).childByAutoId()
            guard let key = connection.key else { return }
            connection.onDisconnectRemoveValue()
            self.ref.child("lastSeen/\(uid)").onDisconnectSetValue(ServerValue.timestamp())
            connection.setValue(["platform": "ios", "key": key])
        }
        ref.child("status").observe(
            .value,
            with: { snapshot in
                self.onlineUsers = snapshot.children.compactMap { ($0 as? DataSnapshot)?.key }
            })
    }

    private func stop() {
        if let connectedHandle {
            Database.database().reference(withPath: ".info/connected").removeObserver(withHandle: connectedHandle)
        }
        connectedHandle = nil
        ref.child("status").removeAllObservers()
        isConnected = false
        onlineUsers = []
    }
}
