import IMClient
import IMProtocol
import IMServer

/// ZEGO ZIM 3, iOS: ``ZIMDialect`` with one callback for messages of users and groups, and without the export and
/// import of local messages.
public struct ZIM3Dialect: Dialect {
    private let base = ZIMDialect()

    /// Makes the dialect, which has no state.
    public init() {}

    /// The profile's name in commands and recordings.
    public let profile = "zim@3"
    /// The name that the vendor gives the product.
    public let title = "ZEGO ZIM 3"

    /// The client policy of ZIM 2. Version 3.0.0 removed the import and export of local messages.
    public var clientPolicy: ClientPolicy {
        var policy = base.clientPolicy
        policy.profile = profile
        policy.removedCalls = [.importLocalMessages, .exportLocalMessages]
        return policy
    }

    /// The documented settings of ZIM 2.
    public var documentedSettings: [String: String] { base.documentedSettings }

    /// The measured settings of ZIM 2.
    public var measuredSettings: [String: String] { base.measuredSettings }

    /// The server policy of ZIM 2.
    public var serverPolicy: ServerPolicy {
        var policy = base.serverPolicy
        policy.profile = profile
        return policy
    }

    /// The callbacks of ZIM 2, with these differences: one callback reports messages of users and of groups, and no
    /// callback reports the progress of an export or import.
    public func callback(for effect: ClientEffect) -> Callback? {
        switch effect {
        case .notify(.messageReceived(let message)):
            return Callback(
                "messageReceivedWithResult",
                [
                    ("conversationID", message.isToGroup ? message.to : message.from),
                    ("conversationType", Self.conversationTypes[message.isToGroup ? 1 : 0].description),
                    ("senderUserID", message.from), ("text", message.text),
                ])
        case .notify(.dataProgress): return nil
        default: return base.callback(for: effect)
        }
    }

    private static let conversationTypes = [Code(0, "ZIMConversationTypePeer"), Code(2, "ZIMConversationTypeGroup")]

    /// The codes of ZIM 2: the vendor's upgrade guide lists no changes of codes.
    public func code(for status: Status, of call: CallKind) -> Code { base.code(for: status, of: call) }

    /// The state names of ZIM 2.
    public func name(of state: ClientState) -> String? { base.name(of: state) }

    /// The callbacks of ZIM 2 that version 3 has not removed, and the new one of version 3.
    public var callbacks: [CallbackShape] {
        let removed = ["peerMessageReceived", "groupMessageReceived", "progress"]
        return base.callbacks.filter { !removed.contains($0.name) } + [
            CallbackShape(
                "messageReceivedWithResult",
                [
                    ("conversationID", []), ("conversationType", Self.conversationTypes.map(\.description)),
                    ("senderUserID", []), ("text", []),
                ])
        ]
    }
}
