import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import SansIO
import Testing

@testable import IMCheckers
@testable import IMExplorer

/// Helpers for tests that write events by hand and pass them to checkers.
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

    /// A client that is online over the first connection.
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

    func traced(_ contents: [(Int64, SessionEvent.Content)], _ observe: (SessionEvent, ClientTrace) -> Void) {
        let trace = ClientTrace()
        for (time, content) in contents {
            let event = event(time, content)
            trace.note(event)
            observe(event, trace)
            trace.settle(event)
        }
    }

    /// The same for the server.
    func served(_ contents: [SessionEvent.Content], _ observe: (SessionEvent, ServerTrace) -> Void) {
        let trace = ServerTrace()
        for content in contents {
            let event = event(0, content, node: "server")
            trace.note(event)
            observe(event, trace)
        }
    }

    func request(credential: String = "") -> LoginRequest {
        LoginRequest(
            application: "nim", user: "alice", device: Device(id: "phone-1", platform: .ios), mode: .manual, epoch: 0,
            credential: .reference(credential))
    }
}
