import IMClient
import IMProtocol
import IMServer
import IMTree
import SansIO

/// Wilddog Sync, iOS: `WDGSync` and its references.
public struct WilddogDialect: Dialect {
    /// Makes the dialect, which has no state.
    public init() {}

    /// The profile's name in commands and recordings.
    public let profile = "wilddog"
    /// The name that the vendor gives the product.
    public let title = "Wilddog Sync"

    /// The SDK has no feature except the tree. It sends a heartbeat every 20 s (SYNC-9).
    public var clientPolicy: ClientPolicy {
        var policy = ClientPolicy(profile: profile, retryDelays: [1, 2, 4, 8, 16, 30].map(Interval.seconds))
        policy.features = [.tree]
        // The time limit of an attempt and the delays of retries are assumed, because the vendor documents neither.
        policy.attemptTimeLimit = .seconds(10)
        policy.retryJitterPerMille = 300
        // The vendor documents the interval (SYNC-9). The time limit for the answer is assumed.
        policy.heartbeatInterval = .seconds(20)
        policy.heartbeatAnswerLimit = .seconds(20)
        return policy
    }

    /// The settings whose values the vendor documents, each with the id of the rule that quotes the document.
    public var documentedSettings: [String: String] {
        ["heartbeat-interval-ms": "SYNC-9"]
    }

    /// No device excludes another one. The server ends a connection after 60 s of silence (SYNC-9). A client may send
    /// 120 changes in 5 s; reads have no limit.
    public var serverPolicy: ServerPolicy {
        var policy = ServerPolicy(profile: profile, exclusion: .none)
        // Assumed, because the vendor does not document the server's silence limit (SYNC-9).
        policy.silenceLimit = .seconds(60)
        policy.breakWaitsForSilence = true
        policy.heartbeatInterval = .seconds(20)
        policy.admitsWithoutCredential = true
        // More than 120 changes in 5 s are refused with 26103. Reads do not count.
        policy.treeWritesMax = 120
        policy.treeWritesWindow = .seconds(5)
        return policy
    }

    /// The callback for an event of a listener. The state of the connection is also a value of the tree, at
    /// `.info/connected` (SYNC-5). Nil for all other effects.
    public func callback(for effect: ClientEffect) -> Callback? {
        switch effect {
        case .notify(.treeValue(let path, let node, let query)):
            return Callback("valueChanged", [("path", path), ("value", node.description)] + field(for: query))
        case .notify(.treeChild(let notice)):
            let siblings = notice.kind == .childRemoved ? [] : [("previousSibling", notice.previousKey ?? "")]
            return Callback(
                name(of: notice.kind),
                [("path", notice.path), ("key", notice.key), ("value", notice.node.description)] + siblings
                    + field(for: notice.query))
        case .notify(.treeCancelled(let path, let query, let status)):
            return Callback(
                "cancelled", [("path", path), ("error", code(for: status, of: .tree).description)] + field(for: query))
        default: return nil
        }
    }

    private func field(for query: TreeQuery?) -> [(String, String)] {
        query.map { [("query", $0.description)] } ?? []
    }

    private func name(of kind: TreeEventKind) -> String {
        switch kind {
        case .childAdded: "childAdded"
        case .childRemoved: "childRemoved"
        case .childChanged: "childChanged"
        case .childMoved: "childMoved"
        case .value: "valueChanged"
        }
    }

    /// Always nil: the vendor has no names for states. It only reports whether the client is connected (SYNC-5).
    public func name(of state: ClientState) -> String? { nil }

    /// The code for a status, with a number from the vendor's documentation. It does not depend on the kind of call.
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
        case .valueTooLarge: Code(26_105, "ValueTooLarge")
        case .invalidArgument, .textTooLong: Code(26_106, "InvalidPath")
        case .transactionStale: Code(26_201, "TransactionHashMismatch")
        case .transactionRetries: Code(26_203, "TooManyRetries")
        case .transactionOverridden: Code(26_204, "OverriddenBySet")
        case .notFound, .groupNotFound, .memberNotFound, .conversationNotFound:
            Code(26_301, "PriorityOnNonexistentNode")
        case .credentialExpired, .credentialTooShort, .passwordChanged: Code(26_801, "TokenExpired")
        case .wrongCredential: Code(26_802, "TokenInvalid")
        case .loggedInElsewhere, .alreadyJoined, .deviceChanged, .loginInProgress, .alreadyLoggedIn,
            .otherUserLoggedIn, .retryLimitReached, .kicked, .replacedByLogin, .cancelled, .dataUnavailable,
            .tooLate, .callbackFailed:
            Code(29_999, "Unknown")
        }
    }

    /// The callbacks of a listener. The values of `path` are the paths that every client can listen to.
    public var callbacks: [CallbackShape] {
        let children = ["childAdded", "childRemoved", "childChanged", "childMoved"].map { name in
            CallbackShape(
                name,
                [("path", []), ("key", []), ("value", [])] + (name == "childRemoved" ? [] : [("previousSibling", [])])
                    + [("query", [])])
        }
        return [
            CallbackShape(
                "valueChanged",
                [("path", [".info/connected", ".info/serverTimeOffset"]), ("value", []), ("query", [])])
        ] + children + [CallbackShape("cancelled", [("path", []), ("error", []), ("query", [])])]
    }
}
