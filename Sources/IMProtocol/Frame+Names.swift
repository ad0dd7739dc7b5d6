// The names of frames in commands, recordings and JSON.

extension FrameBody {
    /// The name of the frame, such as `login-ack`.
    public var name: String {
        switch self {
        case .login: "login"
        case .loginAck: "login-ack"
        case .logout: "logout"
        case .logoutAck: "logout-ack"
        case .heartbeat: "heartbeat"
        case .heartbeatAck: "heartbeat-ack"
        case .kicked: "kicked"
        case .kickedAck: "kicked-ack"
        case .kick: "kick"
        case .kickAck: "kick-ack"
        case .sync: "sync"
        case .syncPhase: "sync-phase"
        case .syncDone: "sync-done"
        case .devicesChanged: "devices-changed"
        case .renewToken: "renew-token"
        case .renewTokenAck: "renew-token-ack"
        case .tokenNotice: "token-notice"
        case .send: "send"
        case .sendAck: "send-ack"
        case .message: "message"
        case .messageAck: "message-ack"
        case .join: "join"
        case .joinAck: "join-ack"
        case .leave: "leave"
        case .leaveAck: "leave-ack"
        case .memberChanged: "member-changed"
        case .goodbye: "goodbye"
        case .accountCall: "account-call"
        case .accountCallAck: "account-call-ack"
        case .operation: "operation"
        case .operationAck: "operation-ack"
        case .operated: "operated"
        case .operatedAck: "operated-ack"
        case .setAttributes: "set-attributes"
        case .setAttributesAck: "set-attributes-ack"
        case .ask: "ask"
        case .answer: "answer"
        case .watch: "watch"
        case .watchAck: "watch-ack"
        case .presence: "presence"
        case .tree: "tree"
        case .treeAck: "tree-ack"
        case .treeData: "tree-data"
        case .treeCancelled: "tree-cancelled"
        case .syncAck: "sync-ack"
        case .settle: "settle"
        case .settleAck: "settle-ack"
        case .resync: "resync"
        case .resyncAck: "resync-ack"
        case .fetchChanges: "fetch-changes"
        case .changes: "changes"
        case .change: "change"
        case .changeAck: "change-ack"
        }
    }

    /// The names of all frames, for completion and for checking a user's input.
    public static let names = [
        "login", "login-ack", "logout", "logout-ack", "heartbeat", "heartbeat-ack", "kicked", "kicked-ack", "kick",
        "kick-ack", "sync", "sync-phase", "sync-done", "devices-changed", "renew-token", "renew-token-ack",
        "token-notice", "send", "send-ack", "message", "message-ack", "join", "join-ack", "leave", "leave-ack",
        "member-changed", "goodbye", "account-call", "account-call-ack", "operation", "operation-ack", "operated",
        "operated-ack", "set-attributes", "set-attributes-ack", "ask", "answer", "watch", "watch-ack", "presence",
        "tree", "tree-ack", "tree-data", "settle", "settle-ack", "sync-ack", "resync",
        "resync-ack", "fetch-changes", "changes", "change", "change-ack", "tree-cancelled",
    ]

    /// The name of the frame whose body has this field number in `im/v1/frame.proto`; nil if there is none.
    package static func name(ofField number: UInt64) -> String? {
        switch number {
        case 2...44: names[Int(number) - 2]
        case 60: "sync-ack"
        case 51: "settle"
        case 52: "settle-ack"
        case 56: "resync"
        case 57: "resync-ack"
        case 61: "fetch-changes"
        case 62: "changes"
        case 63: "change"
        case 64: "change-ack"
        case 65: "tree-cancelled"
        default: nil
        }
    }
}
