import IMClient
import IMProtocol
import IMSession

/// A message for which no network came in time can be sent again (ZIM-10).
struct FailedMessageOracle {
    private var sends: Set<CommandID> = []
    private var resends: Set<CommandID> = []
    /// Whether one has failed that nothing was done about.
    private var hasFailed = false

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = FailedMessageOracle()
        case .input(.clientCommand(let id, .send)): sends.insert(id)
        case .input(.clientCommand(let id, .resend)):
            if hasFailed { resends.insert(id) }
            hasFailed = false
        case .effect(.complete(let id, let completion)):
            if sends.remove(id) != nil, completion.status == .timeout { hasFailed = true }
            // The server says so, too, of whom a message is for.
            guard resends.remove(id) != nil, completion.status == .notFound, case .clientCommand(id, _)? = trace.input
            else { return }
            faults.append(Violation(.messages, "ZIM-10", "a message that failed cannot be sent again"))
        case .effect(.transition(let change)):
            // Another user's messages are none of the next one's.
            if [.loggedOut, .kicked, .tokenExpired].contains(change.to) { self = FailedMessageOracle() }
        default: break
        }
    }
}
