import IMClient
import IMDebugger
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

/// An event that the log does not show: of the network, the server, the device, the account or other devices.
struct HiddenEvent: Hashable, Sendable {
    enum Action: Hashable, Sendable {
        case net(NetAction)
        case serverDown, serverUp, serverRestart
        case sleep(Milliseconds)
        /// An operator ends the device's login.
        case serverKick
        case ban, removal, password, revocation
        /// The account is created before its first login.
        case account
        /// Actions of another device of the account.
        case login(device: String, Platform)
        case logout(device: String)
        case kick(by: String)
        case operate(device: String, OperationKind, target: String)
        /// Actions of another user.
        case peerLogin(String)
        case peerLogout(String)
        case peerSend(String, text: String, channel: String?)
        case peerJoin(String, channel: String)
        case peerLeave(String, channel: String)
        /// Another device writes to the tree.
        case write(path: String, value: String)
        case policy(String, String)
        /// A call that the log lacks.
        case call(AppCall)
    }

    var time: Milliseconds
    var action: Action

    init(_ time: Milliseconds, _ action: Action) {
        self.time = time
        self.action = action
    }

    /// True if the event is a call of the app that the log lacks.
    var isCall: Bool { if case .call = action { true } else { false } }

    /// The client that performs the event, if it is not the observed one. Another user has one client, which has the
    /// user's name.
    var client: (name: String, platform: Platform)? {
        switch action {
        case .login(let device, let platform): (device, platform)
        case .peerLogin(let user), .peerSend(let user, _, _), .peerJoin(let user, _), .peerLeave(let user, _),
            .peerLogout(let user):
            (user, .android)
        case .write: (Self.writer, .ios)
        default: nil
        }
    }

    /// The name of the client that writes to the tree.
    static let writer = "pad"

    /// The step that performs the event in the simulated world. Nil if the simulated world has no such step.
    func step(_ app: ObservedApp) -> CandidateStep? {
        let phone = ObservedApp.client
        func on(_ node: String, _ action: ScenarioStep.Action, _ text: String) -> CandidateStep {
            CandidateStep(time, ScenarioStep(node, action), "@\(node) \(text)")
        }
        func server(_ command: ServerCommand, _ text: String) -> CandidateStep {
            CandidateStep(time, .server(command), "server \(text)")
        }
        func process(_ action: WorldCore.ServerAction, _ text: String) -> CandidateStep {
            CandidateStep(time, ScenarioStep(WorldCore.serverName, .serverProcess(action)), "server \(text)")
        }
        let user = app.user
        switch action {
        case .net(let action): return on(phone, .net(action), action.command)
        case .serverDown: return process(.down, "down")
        case .serverUp: return process(.up, "up")
        case .serverRestart: return process(.restart, "restart")
        case .sleep(let length): return on(phone, .app(.sleep(.milliseconds(length))), "app sleep \(length)ms")
        case .serverKick:
            // The server's command contains the id of the device. `CandidateRun.perform` replaces the client's name by
            // it.
            return server(.kick(user: user, device: phone), "kick \(user) \(phone)")
        case .account: return server(.addAccount(user), "account add \(user)")
        case .ban: return server(.banAccount(user), "account ban \(user)")
        case .removal: return server(.deleteAccount(user), "account delete \(user)")
        case .password: return CandidateStep(time, password: "new\(time % 100_000)", of: user)
        case .revocation: return server(.revokeTokens(user: user), "account revoke \(user)")
        case .login(let device, _): return on(device, .login(user: user, .manual, lifetime: nil), "login \(user)")
        case .logout(let device): return on(device, .command(.logout(keepsPush: false)), "logout")
        case .kick(let device):
            return app.profile == "agora-chat"
                ? on(
                    device, .accountCall(user: user, .kick(device: phone)), "kick \(phone) --user \(user)")
                : on(device, .kickClient(phone), "kick \(phone)")
        case .operate(let device, let kind, let target):
            return on(device, .command(.operate(kind, target: target, ext: "")), "act \(kind.name) \(target)")
        case .peerLogin(let peer): return on(peer, .login(user: peer, .manual, lifetime: nil), "login \(peer)")
        case .peerLogout(let peer): return on(peer, .command(.logout(keepsPush: false)), "logout")
        case .peerSend(let peer, let text, let channel):
            return on(
                peer, .command(.send(to: channel ?? user, text: text, isToChannel: channel != nil)),
                "send \(channel ?? user) \(Quoting.word(text))" + (channel == nil ? "" : " --channel"))
        case .peerJoin(let peer, let channel): return on(peer, .command(.join(channel: channel)), "join \(channel)")
        case .peerLeave(let peer, let channel): return on(peer, .command(.leave(channel: channel)), "leave \(channel)")
        case .write(let path, let value):
            return TreeJSON.node(value).map {
                on(Self.writer, .command(.tree(.set(path: path, $0))), "sync set \(path) \(Quoting.word(value))")
            }
        case .policy(let key, let value): return server(.setPolicy(key: key, value: value), "policy \(key)=\(value)")
        case .call(let call): return call.step(of: phone, at: time)
        }
    }
}
