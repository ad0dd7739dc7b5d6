import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMTree
import SansIO
import Testing

@testable import IMCheckers
@testable import IMExplorer

/// Helpers for tests that create events by hand and pass them to checkers.
protocol CheckerScript {}

extension CheckerScript {
    var link: ConnectionID { ConnectionID(1) }

    func event(_ milliseconds: Int64, _ content: SessionEvent.Content, node: String = "phone") -> SessionEvent {
        SessionEvent(number: 0, time: .zero + .milliseconds(milliseconds), node: node, content: content)
    }

    func login(_ id: UInt32 = 1, credential: String = "") -> SessionEvent.Content {
        .input(.clientCommand(CommandID(id), .login(user: "alice", credential: credential, mode: .manual)))
    }

    func command(_ id: UInt32, _ command: ClientCommand) -> SessionEvent.Content {
        .input(.clientCommand(CommandID(id), command))
    }

    func done(_ id: UInt32, _ status: Status, rows: [AnswerRow] = []) -> SessionEvent.Content {
        .effect(.complete(CommandID(id), Completion(status, rows: rows)))
    }

    var accepted: Frame { Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))) }

    /// The events of a client that is online over its first connection.
    func online(_ state: ClientState = .online) -> [(Int64, SessionEvent.Content)] {
        [
            (0, login()), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
            (2, .input(.frame(link, accepted))),
            (2, .effect(.transition(StateChange(from: .connecting, to: state, reason: .loginSucceeded)))),
        ]
    }

    func policy(_ profile: String) throws -> ClientPolicy { try #require(Dialects.named(profile)).clientPolicy }

    func serverPolicy(_ profile: String) throws -> ServerPolicy {
        try #require(Dialects.named(profile)).serverPolicy
    }

    /// - Parameter epoch: the server's clock at the start, in milliseconds since 1970.
    func traced(
        node: Int = 0, epoch: Int64 = 0, isDataOpen: Bool = false, _ contents: [(Int64, SessionEvent.Content)],
        _ observe: (SessionEvent, ClientTrace) -> Void
    ) {
        let trace = ClientTrace(node: node, epochMilliseconds: epoch)
        trace.isDataOpen = isDataOpen
        for (time, content) in contents {
            let event = event(time, content)
            trace.note(event)
            observe(event, trace)
            trace.finish(event)
        }
    }

    /// Passes events of the server to the trace and to `observe`.
    func served(
        epoch: Int64 = 0, policy: ServerPolicy? = nil, _ contents: [SessionEvent.Content],
        _ observe: (SessionEvent, ServerTrace) -> Void
    ) {
        let trace = ServerTrace()
        trace.epochMilliseconds = epoch
        trace.currentPolicy = { policy }
        for content in contents {
            let event = event(0, content, node: "server")
            trace.note(event)
            observe(event, trace)
        }
    }

    /// The trace of a client on which the user is logged in.
    func trace(of user: String?, on device: String = "phone-1") -> ClientTrace {
        let trace = ClientTrace(device: device)
        guard let user else { return trace }
        trace.note(event(0, command(1, .login(user: user, credential: "", mode: .manual))))
        trace.note(event(0, .effect(.connect(link))))
        return trace
    }

    /// The trace of a server whose tree is `root`.
    func trace(root: TreeNode) -> ServerTrace {
        let trace = ServerTrace()
        trace.treeRoot = { root }
        return trace
    }

    func request(credential: String = "") -> LoginRequest {
        LoginRequest(
            application: "nim", user: "alice", device: Device(id: "phone-1", platform: .ios), mode: .manual, epoch: 0,
            credential: .reference(credential))
    }
}
