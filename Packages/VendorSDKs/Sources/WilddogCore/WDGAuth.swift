import AppStandIns
import Foundation
import SimulatedApp
import VirtualTime

// Wilddog's accounts, as far as login code uses them. The simulated tree has no accounts: a user who was made in this
// simulation can sign in, any custom token is accepted, and rules of the tree see no user. An answer takes 100 ms, and
// needs a network.
//
// All of it lives on the job thread of virtual time, so it is Sendable.

// swift-format-ignore: AlwaysUseLowerCamelCase
public let WDGAuthErrorDomain = "WDGAuthErrorDomain"

/// Codes of ``WDGAuthErrorDomain``. Names and numbers are this project's own: the vendor's were not available.
public enum WDGAuthErrorCode: Int, Sendable {
    case userNotFound = 22_202
    case wrongPassword = 22_203
    case userExists = 22_201
    case networkError = 22_001
}

public typealias WDGAuthResultCallback = (WDGUser?, (any Error)?) -> Void
public typealias WDGUserProfileChangeCallback = ((any Error)?) -> Void
public typealias WDGSendEmailVerificationCallback = ((any Error)?) -> Void
public typealias WDGAuthStateDidChangeListenerBlock = (WDGAuth, WDGUser?) -> Void
public typealias WDGAuthStateDidChangeListenerHandle = NSObject

/// A signed-in user.
public final class WDGUser: NSObject, @unchecked Sendable {
    public let uid: String
    public let email: String?
    public let phone: String?
    public internal(set) var displayName: String?
    public var photoURL: URL?
    public let isAnonymous: Bool
    public let providerID = "wilddog"

    init(uid: String, email: String? = nil, phone: String? = nil, isAnonymous: Bool = false) {
        self.uid = uid
        self.email = email
        self.phone = phone
        self.isAnonymous = isAnonymous
    }

    public func sendEmailVerification(completion: WDGSendEmailVerificationCallback? = nil) { succeed(completion) }
    public func updatePassword(_ password: String, completion: WDGUserProfileChangeCallback? = nil) {
        succeed(completion)
    }
    public func profileChangeRequest() -> WDGUserProfileChangeRequest { WDGUserProfileChangeRequest(self) }

    fileprivate func succeed(_ completion: WDGUserProfileChangeCallback?) {
        WDGAuth.current.answer { completion?($0) }
    }
}

public final class WDGUserProfileChangeRequest: NSObject, @unchecked Sendable {
    public var displayName: String?
    public var photoURL: URL?
    private let user: WDGUser

    init(_ user: WDGUser) { self.user = user }

    public func commitChanges(completion: WDGUserProfileChangeCallback? = nil) {
        WDGAuth.current.answer { [self] error in
            if error == nil {
                user.displayName = displayName ?? user.displayName
                user.photoURL = photoURL ?? user.photoURL
            }
            completion?(error)
        }
    }
}

/// Signs users in. A user stays signed in when the process ends.
public final class WDGAuth: NSObject, @unchecked Sendable {
    private let client: SDKClient
    /// The signed-in user. Nil if nobody is signed in.
    public private(set) var currentUser: WDGUser?
    private var listeners: [(handle: NSObject, call: WDGAuthStateDidChangeListenerBlock)] = []
    private static let file = "wilddog-auth"

    private init(_ client: SDKClient) {
        self.client = client
        super.init()
        if let bytes = client.storage?.files[Self.file] {
            let parts = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\n")
            currentUser = WDGUser(uid: parts[0], email: parts.count > 1 && !parts[1].isEmpty ? parts[1] : nil)
        }
    }

    package static var current: WDGAuth {
        SDKClient.current(for: "WDGAuth.auth()").singleton { WDGAuth($0) }
    }

    /// The instance of the process in which the calling code runs.
    public static func auth() -> WDGAuth? { current }
    public static func auth(app: WDGApp) -> WDGAuth? { current }

    // MARK: Users

    public func createUser(withEmail email: String, password: String, completion: WDGAuthResultCallback? = nil) {
        create(email, password, WDGUser(uid: email.asKey, email: email), completion)
    }

    public func createUser(withPhone phone: String, password: String, completion: WDGAuthResultCallback? = nil) {
        create(phone, password, WDGUser(uid: phone.asKey, phone: phone), completion)
    }

    public func signIn(withEmail email: String, password: String, completion: WDGAuthResultCallback? = nil) {
        signIn(email, password, WDGUser(uid: email.asKey, email: email), completion)
    }

    public func signIn(withPhone phone: String, password: String, completion: WDGAuthResultCallback? = nil) {
        signIn(phone, password, WDGUser(uid: phone.asKey, phone: phone), completion)
    }

    public func signInAnonymously(completion: WDGAuthResultCallback? = nil) {
        answer { [self] error in
            finish(WDGUser(uid: "anonymous-\(client.storage?.files.count ?? 0)", isAnonymous: true), error, completion)
        }
    }

    public func signIn(withCustomToken token: String, completion: WDGAuthResultCallback? = nil) {
        answer { [self] in finish(WDGUser(uid: token.asKey), $0, completion) }
    }

    public func signOut() throws { change(nil) }

    // MARK: Listeners

    @discardableResult
    public func addAuthStateDidChangeListener(
        _ listener: @escaping WDGAuthStateDidChangeListenerBlock
    ) -> WDGAuthStateDidChangeListenerHandle? {
        let handle = NSObject()
        listeners.append((handle, listener))
        client.enqueue("a callback") { [weak self] in
            if let self { listener(self, currentUser) }
        }
        return handle
    }

    public func removeAuthStateDidChangeListener(_ listenerHandle: WDGAuthStateDidChangeListenerHandle) {
        listeners.removeAll { $0.handle === listenerHandle }
    }

    // MARK: The simulated server

    private func create(_ name: String, _ password: String, _ user: WDGUser, _ completion: WDGAuthResultCallback?) {
        let accounts = Accounts.of(client.simulation.time)
        answer { [self] error in
            let known = error == nil && accounts.passwords[name] != nil
            if error == nil, !known { accounts.passwords[name] = password }
            finish(user, known ? Self.error(.userExists) : error, completion)
        }
    }

    private func signIn(_ name: String, _ password: String, _ user: WDGUser, _ completion: WDGAuthResultCallback?) {
        let accounts = Accounts.of(client.simulation.time)
        answer { [self] error in
            let found: (any Error)? =
                switch accounts.passwords[name] {
                case password: nil
                case nil: Self.error(.userNotFound)
                default: Self.error(.wrongPassword)
                }
            finish(user, error ?? found, completion)
        }
    }

    /// Completes after the duration of a request.
    package func answer(_ completion: @escaping ((any Error)?) -> Void) {
        client.simulation.time.enqueue(
            in: client.process, after: 100_000_000, label: EntryLabel("a completion of the SDK")
        ) { [weak self] in
            let isConnected = self?.client.storage?.network.interface != nil
            completion(isConnected ? nil : Self.error(.networkError))
        }
    }

    private func finish(_ user: WDGUser, _ error: (any Error)?, _ completion: WDGAuthResultCallback?) {
        if let error { return completion?(nil, error) ?? () }
        change(user)
        completion?(user, nil)
    }

    private func change(_ user: WDGUser?) {
        currentUser = user
        client.storage?.files[Self.file] = user.map { Data("\($0.uid)\n\($0.email ?? "")".utf8) }
        for listener in listeners { listener.call(self, user) }
    }

    private static func error(_ code: WDGAuthErrorCode) -> any Error {
        NSError(domain: WDGAuthErrorDomain, code: code.rawValue)
    }
}

extension String {
    /// A text that can be a key of the tree, because apps write below their user's id. Different texts give different
    /// keys.
    fileprivate var asKey: String {
        utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            return isPlain ? String(scalar) : "_\(String(byte, radix: 16))"
        }.joined()
    }
}

/// The accounts of a simulation.
private final class Accounts: @unchecked Sendable {
    var passwords: [String: String] = [:]

    static func of(_ time: VirtualScheduler) -> Accounts {
        if let known = time.attachments["WDGAuth"] as? Accounts { return known }
        let created = Accounts()
        time.attachments["WDGAuth"] = created
        return created
    }
}
