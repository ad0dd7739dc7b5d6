import IMClient
import IMProtocol
import IMSession

/// During an offline login that no server has accepted, calls that need the network fail at once (ZIM-3).
struct OfflineCallChecker {
    private var logins: Set<CommandID> = []
    /// True if the current login was offline and no server has accepted it.
    private var isUnseen = false
    /// The message that was sent during such a login, in the current input.
    private var sent: CommandID?

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = OfflineCallChecker()
        case .input(let input):
            if sent != nil {
                violations.append(Violation(.commands, "ZIM-3", "a message waits for a first connection"))
                sent = nil
            }
            handleInput(input, trace)
        case .effect(.complete(let id, let completion)):
            if id == sent { sent = nil }
            if logins.remove(id) != nil, completion.status == .ok { isUnseen = true }
        case .effect(.transition(let change)):
            if change.to.isOver { isUnseen = false }
        default: break
        }
    }

    private mutating func handleInput(_ input: NodeInput, _ trace: ClientTrace) {
        switch input {
        case .clientCommand(let id, .login(_, _, .offline, _, _)): logins.insert(id)
        case .clientCommand(let id, .send): if isUnseen { sent = id }
        case .frame(_, let frame) where !trace.isInputStale:
            if case .loginAck(let reply) = frame.body, reply.status == .ok { isUnseen = false }
        default: break
        }
    }
}
