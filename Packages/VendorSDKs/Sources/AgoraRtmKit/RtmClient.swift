import Foundation
import IMClient
import IMProfiles
import IMProtocol
import SimulatedApp

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The state that all kits of a process share: the machine, and the vendor SDK's own state. The dialect decides which
/// callbacks are made, with which numbers.
final class RtmClient: @unchecked Sendable {
    let dialect: any Dialect
    private weak var client: SDKClient?
    private let kits = DelegateList<AgoraRtmKit>()
    private var callbackDepth = 0
    /// The user's own attributes that the server last accepted.
    var ownAttributes: [AnswerField] = []
    /// Calls on attributes; the first one is in progress. Each one works on the result of the one before.
    var attributeCalls: [(RtmClient) -> Void] = []
    /// The subscribed users, in the order of subscription.
    var watched: [String] = []
    private var lastMediaRequest: Int64 = 0

    private init(_ client: SDKClient) {
        self.client = client
        dialect = client.simulation.dialect
        if dialect.profile == AgoraRTM2Dialect().profile {
            client.violated("RTM-1", "AgoraRtmKit in a simulation of '\(dialect.profile)': use 'agora-rtm'")
        }
    }

    /// The client of the process in which the calling code runs.
    static func current() -> RtmClient {
        SDKClient.current(for: "AgoraRtmKit").singleton { client in
            let made = RtmClient(client)
            client.observe { [weak made] in made?.handleNotice($0) }
            return made
        }
    }

    func add(_ kit: AgoraRtmKit) {
        var count = 0
        kits.notify { _ in count += 1 }
        if count > 0 {
            client?.simulation.note("one more AgoraRtmKit in this process: all are one client here, and all are told")
        }
        kits.add(kit)
    }

    // MARK: Commands

    /// Gives the machine a command. Its completion comes later, and counts as a callback.
    func perform(_ command: ClientCommand, completion: @escaping (Completion) -> Void) {
        client?.perform(command) { [weak self] outcome in
            self?.callBack { completion(outcome) }
        }
    }

    /// Like `perform(_:completion:)`, for a call that needs no machine.
    func later(_ body: @escaping () -> Void) {
        client?.enqueue("a completion") { [weak self] in self?.callBack(body) }
    }

    /// The vendor's code for the result of a call.
    func code<Code: RawRepresentable<Int>>(_ status: Status, of call: CallKind, otherwise: Code) -> Code {
        Code(rawValue: dialect.code(for: status, of: call).number) ?? otherwise
    }

    /// The name of a token. Without one, the user is admitted as by a server that requires none.
    func credential(_ token: String?, of user: String) -> String {
        guard let client else { return "" }
        return client.keep(token: token ?? client.simulation.token(for: user))
    }

    /// Numbers the uploads and downloads of the process.
    func nextMediaRequest() -> Int64 {
        lastMediaRequest += 1
        return lastMediaRequest
    }

    var isLoggedIn: Bool { [.online, .reconnecting].contains(client?.state) }

    /// True if the SDK called the running code.
    var isInCallback: Bool { callbackDepth > 0 }

    /// Writes a note into the session.
    func note(_ text: String) { client?.note(text) }

    /// The app broke a rule.
    func violated(_ rule: String, _ text: String) { client?.violated(rule, text) }

    /// Reports a login that the SDK does not need or refuses.
    func checkLogin() {
        switch client?.state {
        case .kicked: violated("RTM-6", "a login in Aborted without a logout before it")
        case .reconnecting: violated("RTM-3", "a login in Reconnecting: the SDK retries by itself")
        default: break
        }
    }

    // MARK: Callbacks

    private func callBack(_ body: () -> Void) {
        callbackDepth += 1
        body()
        callbackDepth -= 1
    }

    private func handleNotice(_ appNotice: SDKClient.AppNotice) {
        let effect: ClientEffect
        switch appNotice {
        case .notified(let notification): effect = .notify(notification)
        case .changed(let change):
            effect = .transition(change)
            // Both end with the login (RTM-4, C-4).
            if change.to == .loggedOut || change.to == .kicked {
                ownAttributes = []
                watched = []
            }
        }
        guard let callback = dialect.callback(for: effect) else { return }
        kits.notify { kit in callBack { notify(kit, callback) } }
    }

    private func notify(_ kit: AgoraRtmKit, _ callback: Callback) {
        let delegate = kit.agoraRtmDelegate
        switch callback.name {
        case "connectionStateChanged":
            guard let state = callback.number("state").flatMap(AgoraRtmConnectionState.init),
                let reason = callback.number("reason").flatMap(AgoraRtmConnectionChangeReason.init)
            else { return }
            delegate?.rtmKit(kit, connectionStateChanged: state, reason: reason)
        case "messageReceived":
            delegate?.rtmKit(kit, messageReceived: message(callback), fromPeer: callback["fromPeer"])
        case "peersOnlineStatusChanged":
            guard let state = callback.number("state").flatMap(AgoraRtmPeerOnlineState.init) else { return }
            delegate?.rtmKit(kit, peersOnlineStatusChanged: [AgoraRtmPeerOnlineStatus(callback["peer"], state)])
        case "rtmKitTokenDidExpire": delegate?.rtmKitTokenDidExpire(kit)
        case "channelMessageReceived":
            kit.channel(named: callback["channel"])?.received(message(callback), from: callback["fromMember"])
        case "memberJoined": kit.channel(named: callback["channel"])?.memberJoined(callback["member"])
        case "memberLeft": kit.channel(named: callback["channel"])?.memberLeft(callback["member"])
        default: break
        }
    }

    private func message(_ callback: Callback) -> AgoraRtmMessage {
        AgoraRtmMessage(received: callback["text"], at: Date())
    }
}

extension String {
    /// True if it is a valid name of a user or a channel: 1 to 64 bytes of the characters that the vendor allows, and
    /// not `null`.
    var isRtmName: Bool {
        let marks = " !#$%&()+-:;<=.>?@[]^_{}|~,"
        return !isEmpty && utf8.count <= 64 && self != "null"
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: marks.utf8.contains(byte)
                }
            }
    }
}
