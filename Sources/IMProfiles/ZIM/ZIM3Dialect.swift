import IMClient
import IMProtocol
import IMServer

/// ZEGO ZIM 3: ``ZIMDialect`` with one callback for messages, and without export and import of local messages.
public struct ZIM3Dialect: Dialect {
    private let before = ZIMDialect()

    /// A dialect has no state.
    public init() {}

    /// `zim@3`.
    public let profile = "zim@3"
    /// The name that the vendor gives the product.
    public let title = "ZEGO ZIM 3"

    /// 3.0.0 removed the import and export of local messages.
    public var clientPolicy: ClientPolicy {
        var policy = before.clientPolicy
        policy.profile = profile
        policy.removedCalls = [.importLocalMessages, .exportLocalMessages]
        return policy
    }

    /// As in ZIM 2.
    public var documentedSettings: [String: String] { before.documentedSettings }

    /// As in ZIM 2.
    public var measuredSettings: [String: String] { before.measuredSettings }

    /// As in ZIM 2.
    public var serverPolicy: ServerPolicy {
        var policy = before.serverPolicy
        policy.profile = profile
        return policy
    }

    /// As in ZIM 2, but messages of users and groups come in one callback.
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
        default: return before.callback(for: effect)
        }
    }

    private static let conversationTypes = [Code(0, "ZIMConversationTypePeer"), Code(2, "ZIMConversationTypeGroup")]

    /// As in ZIM 2: the guide names no change of states, events and codes.
    public func code(for status: Status, of call: CallKind) -> Code { before.code(for: status, of: call) }

    /// As in ZIM 2.
    public func name(of state: ClientState) -> String? { before.name(of: state) }

    /// The callbacks of ZIM 2, without the removed ones.
    public var callbacks: [CallbackShape] {
        let removed = ["peerMessageReceived", "groupMessageReceived", "progress"]
        return before.callbacks.filter { !removed.contains($0.name) } + [
            CallbackShape(
                "messageReceivedWithResult",
                [
                    ("conversationID", []), ("conversationType", Self.conversationTypes.map(\.description)),
                    ("senderUserID", []), ("text", []),
                ])
        ]
    }
}
