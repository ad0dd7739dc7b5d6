import IMClient
import IMProtocol
import IMSession

/// A message for which no network came in time can be sent again: of several the oldest first, and each of them (ZIM-10).
struct FailedMessageOracle {
    private let policy: ClientPolicy
    /// What they say, by the command that sends them.
    private var sends: [CommandID: String] = [:]
    /// What those say that failed, oldest first.
    private var failed: [String] = []
    /// The resend that is being answered.
    private var resend: CommandID?
    /// Behind a logout that is under way nothing can be sent again.
    private var isLeaving = false

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = FailedMessageOracle(policy)
        case .input(let input):
            resend = nil
            switch input {
            case .clientCommand(_, .logout): isLeaving = true
            case .clientCommand(let id, .send(_, let text, _)): sends[id] = text
            case .clientCommand(let id, .resend) where !isLeaving && !failed.isEmpty:
                resend = id
                sends[id] = failed.removeFirst()
            default: break
            }
        case .effect(.send(_, let frame)):
            guard let resend, let text = sends[resend], case .send(let message) = frame.body, message.text != text
            else { return }
            let words = "'\(message.text)', before '\(text)'"
            faults.append(Violation(.messages, "ZIM-10", "not the oldest message that failed is sent again", words))
        case .effect(.complete(let id, let completion)):
            let isServersWord = if case .frame? = trace.input { true } else { false }
            ended(id, completion.status, byServer: isServersWord, into: &faults)
        case .effect(.transition(let change)):
            // Another user's messages are none of the next one's.
            if change.to.isOver { self = FailedMessageOracle(policy) }
        default: break
        }
    }

    private mutating func ended(
        _ id: CommandID, _ status: Status, byServer: Bool, into faults: inout [Violation]
    ) {
        guard let text = sends.removeValue(forKey: id) else { return }
        if id == resend {
            switch status {
            case .notFound:
                faults.append(Violation(.messages, "ZIM-10", "a message that failed cannot be sent again"))
            // It was not taken, and stays where it is.
            case .networkUnavailable, .limitExceeded: failed.insert(text, at: 0)
            default: break
            }
        } else if status == .timeout || byServer && status == .limitExceeded {
            // Where there was no room on the server, there may be later.
            failed.append(text)
            if failed.count > policy.outboxCountMax { failed.removeFirst() }
        }
    }
}
