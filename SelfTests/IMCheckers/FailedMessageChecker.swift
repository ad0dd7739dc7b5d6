import IMClient
import IMProtocol
import IMSession

/// A message that failed because no network came in time can be resent: the oldest first, and each of them (ZIM-10).
struct FailedMessageChecker: Checker {
    private let policy: ClientPolicy
    /// The texts, by the command that sends them.
    private var sends: [CommandID: String] = [:]
    /// The texts of the failed messages, oldest first.
    private var failed: [String] = []
    /// The resend that is being answered.
    private var resend: CommandID?
    /// During a logout nothing can be resent.
    private var isLeaving = false

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = FailedMessageChecker(policy)
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
            let detail = "'\(message.text)', not '\(text)'"
            violations.add(.messages, "ZIM-10", "the resent message is not the oldest failed one", detail)
        case .effect(.complete(let id, let completion)):
            let isServerFrame = if case .frame? = trace.input { true } else { false }
            ended(id, completion.status, byServer: isServerFrame, into: &violations)
        case .effect(.transition(let change)):
            // Messages of another user are not the next user's.
            if change.to.isOver { self = FailedMessageChecker(policy) }
        default: break
        }
    }

    private mutating func ended(
        _ id: CommandID, _ status: Status, byServer: Bool, into violations: inout [Violation]
    ) {
        guard let text = sends.removeValue(forKey: id) else { return }
        if id == resend {
            switch status {
            case .notFound:
                violations.add(.messages, "ZIM-10", "a failed message cannot be resent")
            // The resend was not accepted, so the message keeps its position.
            case .networkUnavailable, .limitExceeded: failed.insert(text, at: 0)
            default: break
            }
        } else if status == .timeout || byServer && status == .limitExceeded {
            // A server that has no room now may have room later.
            failed.append(text)
            if failed.count > policy.outboxCountMax { failed.removeFirst() }
        }
    }
}
