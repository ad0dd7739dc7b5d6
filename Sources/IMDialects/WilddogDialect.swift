import IMClient
import IMProtocol
import IMServer
import SansIO

/// Wilddog Sync, iOS: `WDGSync` and its references.
public struct WilddogDialect: Dialect {
    /// A dialect has no state.
    public init() {}

    /// `wilddog`.
    public let profile = "wilddog"
    /// The name that the vendor gives the product.
    public let title = "Wilddog Sync"

    /// The tree and nothing else; heartbeat 20 s (SYNC-9).
    public var clientPolicy: ClientPolicy {
        ClientPolicy(
            profile: profile, features: [.tree],
            // The vendor says neither how long an attempt may take nor how retries are spaced: these are ours.
            attemptTimeLimit: .seconds(10), retryDelays: [1, 2, 4, 8, 16, 30].map(Interval.seconds),
            retryJitterPerMille: 300,
            // SYNC-9.
            heartbeatInterval: .seconds(20), heartbeatAnswerLimit: .seconds(20))
    }

    /// Nobody excludes anybody; 60 s of silence end a connection (SYNC-9); 120 changes in 5 s, reads exempt.
    public var serverPolicy: ServerPolicy {
        ServerPolicy(
            profile: profile, exclusion: .none,
            // SYNC-9; the vendor does not say how long its server waits.
            silenceLimit: .seconds(60), heartbeatInterval: .seconds(20), admitsWithoutCredential: true,
            // 26103: 120 operations in 5 s, reads exempt.
            treeWritesMax: 120, treeWritesWindow: .seconds(5))
    }

    /// Everything is told through values of the tree, the connection at `.info/connected` (SYNC-5) included.
    public func callback(for effect: ClientEffect) -> Callback? {
        guard case .notify(.treeValue(let path, let value)) = effect else { return nil }
        return Callback("valueChanged", [("path", path), ("value", value.text)])
    }

    /// Always nil: the vendor tells whether there is a connection, and no more (SYNC-5).
    public func name(of state: ClientState) -> String? { nil }

    /// A number from the vendor's documentation, 26001 and following; every call has the same.
    public func code(for status: Status, of call: CallKind) -> Code {
        switch status {
        case .ok, .stored: Code(0, "Ok")
        case .serverError, .timeout, .protocolViolation: Code(26_001, "OperationFailed")
        case .rateLimited, .channelRateLimited: Code(26_103, "TooManyRequests")
        case .connectionFailed, .networkUnavailable: Code(26_003, "Unavailable")
        case .forbidden, .banned, .accountRemoved, .unsupported, .notLoggedIn, .autologinNotAllowed,
            .offlineLoginNotAllowed:
            Code(26_101, "PermissionDenied")
        case .limitExceeded, .tooManyDevices, .accountLimit: Code(26_102, "QuotaExceeded")
        case .requestTooLarge: Code(26_104, "RequestTooLarge")
        // The vendor's limit for a leaf is 1 MB, ours is what a frame holds; who meets it is told the same.
        case .valueTooLarge: Code(26_105, "ValueTooLarge")
        case .invalidArgument, .textTooLong: Code(26_106, "InvalidPath")
        case .credentialExpired, .credentialTooShort, .passwordChanged: Code(26_801, "TokenExpired")
        case .wrongCredential: Code(26_802, "TokenInvalid")
        case .loggedInElsewhere, .notFound, .alreadyJoined, .deviceChanged, .loginInProgress, .alreadyLoggedIn,
            .otherUserLoggedIn, .retryLimitReached, .kicked, .replacedByLogin, .cancelled, .dataUnavailable:
            Code(29_999, "Unknown")
        }
    }

    /// The only callback, with the paths that every client has.
    public var callbacks: [CallbackShape] {
        [CallbackShape("valueChanged", [("path", [".info/connected", ".info/serverTimeOffset"]), ("value", [])])]
    }
}
