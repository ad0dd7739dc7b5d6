@_exported import FirebaseCore
import Foundation
import SimulatedApp
import WilddogCore

// Firebase's accounts over Wilddog's: the simulated tree has no accounts, and its rules see no user. All of it lives on
// the job thread of virtual time, so it is Sendable.

/// A test double of Firebase's accounts. Not affiliated with the vendor.
public final class Auth: NSObject, @unchecked Sendable {
    private let auth: WDGAuth

    private init(_ auth: WDGAuth) { self.auth = auth }

    /// The instance of the process in which the calling code runs.
    public class func auth() -> Auth {
        SDKClient.current(for: "Auth.auth()").singleton { _ in Auth(.current) }
    }

    /// Like `auth()`: all apps of a process share the instance.
    public class func auth(app: FirebaseApp) -> Auth { auth() }

    /// The signed-in user. Nil if nobody is signed in. A user stays signed in when the process ends.
    public var currentUser: User? { auth.currentUser }

    /// Without effect: there is no server but the simulated one.
    public func useEmulator(withHost host: String, port: Int) {}

    // MARK: Users

    public func createUser(
        withEmail email: String, password: String, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        auth.createUser(withEmail: email, password: password, completion: Self.result(completion))
    }

    public func signIn(
        withEmail email: String, password: String, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        auth.signIn(withEmail: email, password: password, completion: Self.result(completion))
    }

    public func signIn(
        withCustomToken token: String, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        auth.signIn(withCustomToken: token, completion: Self.result(completion))
    }

    public func signInAnonymously(completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil) {
        auth.signInAnonymously(completion: Self.result(completion))
    }

    /// Completes without an error if there is a network. No mail is sent.
    public func sendPasswordReset(withEmail email: String, completion: (((any Error)?) -> Void)? = nil) {
        auth.answer { completion?($0.map(AuthErrorCode.error)) }
    }

    public func signOut() throws { try auth.signOut() }

    // MARK: Listeners

    @discardableResult
    public func addStateDidChangeListener(
        _ listener: @escaping (Auth, User?) -> Void
    ) -> AuthStateDidChangeListenerHandle {
        auth.addAuthStateDidChangeListener { [unowned self] in listener(self, $1) } ?? NSObject()
    }

    public func removeStateDidChangeListener(_ listenerHandle: AuthStateDidChangeListenerHandle) {
        auth.removeAuthStateDidChangeListener(listenerHandle)
    }

    private static func result(
        _ completion: ((AuthDataResult?, (any Error)?) -> Void)?
    ) -> WDGAuthResultCallback {
        { user, error in completion?(user.map(AuthDataResult.init), error.map(AuthErrorCode.error)) }
    }
}

public typealias User = WDGUser
public typealias UserProfileChangeRequest = WDGUserProfileChangeRequest
public typealias AuthStateDidChangeListenerHandle = NSObject

/// The result of a call that signs a user in.
public final class AuthDataResult: NSObject, @unchecked Sendable {
    public let user: User

    init(_ user: User) { self.user = user }
}

extension WDGUser {
    public var phoneNumber: String? { phone }
    /// Always false: no mail is sent.
    public var isEmailVerified: Bool { false }

    public func createProfileChangeRequest() -> UserProfileChangeRequest { profileChangeRequest() }

    public func updatePassword(to password: String, completion: (((any Error)?) -> Void)? = nil) {
        updatePassword(password, completion: completion)
    }

    public func sendEmailVerification() { sendEmailVerification(completion: nil) }
}

// MARK: Errors

// swift-format-ignore: AlwaysUseLowerCamelCase
public let AuthErrorDomain = "FIRAuthErrorDomain"

/// Codes of ``AuthErrorDomain``: those that can occur here, with the vendor's numbers.
public enum AuthErrorCode: Int, Error, Sendable {
    case emailAlreadyInUse = 17_007
    case wrongPassword = 17_009
    case userNotFound = 17_011
    case networkError = 17_020
    case internalError = 17_999

    /// The name of newer versions.
    public typealias Code = AuthErrorCode

    /// The vendor's error for one of Wilddog's.
    static func error(_ error: any Error) -> any Error {
        let code: AuthErrorCode =
            switch WDGAuthErrorCode(rawValue: (error as NSError).code) {
            case .userExists: .emailAlreadyInUse
            case .wrongPassword: .wrongPassword
            case .userNotFound: .userNotFound
            case .networkError: .networkError
            case nil: .internalError
            }
        return NSError(domain: AuthErrorDomain, code: code.rawValue)
    }
}
