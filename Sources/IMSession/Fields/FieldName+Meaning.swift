import IMClient
import IMProtocol

extension FieldName {
    /// The meaning of the field, for the help; nil if the name of the field explains it.
    package var meaning: String? {
        switch self {
        case .user: "the account"
        case .device: "the device's id"
        case .platform: "the device's platform"
        case .request: "the number that a frame and its answer share"
        case .epoch: "the number of the login"
        case .credential: "the name of the secret"
        case .mode: "the kind of login"
        case .by: "the device that caused a kick"
        case .kicked: "the reason of a kick"
        case .step: "a step of the login"
        case .link: "the change of a link"
        case .fault: "why a link failed or closed"
        case .network: "the change of the network"
        case .app: "the change of the app's process"
        case .sleptMs: "how long the app slept"
        case .said: "the number of counted frames that a side sent before this one"
        case .phase: "a part of the sync"
        case .presence: "the user's presence"
        case .id: "the number or name of a command, message or item"
        case .operation: "an account operation"
        case .path: "a path of the tree"
        case .value: "the value at the path"
        case .members: "the users in a channel"
        case .member: "a user in a channel"
        case .message: "the text of a received message"
        case .error: "why an event or a frame cannot be read; a callback's error"
        case .synced: "the part that was synced"
        case .what: "the subject of a query"
        default: nil
        }
    }

    /// The values that a field with a ``meaning`` can have; empty if any value is possible.
    package var values: [String] {
        switch self {
        case .platform: Platform.words
        case .mode: LoginMode.words
        case .kicked: KickReason.words
        case .step: LoginStep.words
        case .link: ["connect", "opened", "failed", "close", "closed"]
        case .fault: LinkError.words
        case .network: NetworkChange.words
        case .app: ["background", "foreground", "woke"]
        case .phase: FramePhase.words
        case .presence: PresenceChange.words
        case .operation: OperationKind.words
        case .synced: SyncPhase.words
        case .what: ClientQuery.words
        default: []
        }
    }
}
