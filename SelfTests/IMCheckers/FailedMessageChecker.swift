import IMClient
import IMProtocol
import IMSession

/// A message that failed because the network did not return in time can be resent. Each resend takes the oldest failed
/// message, and every failed message can be resent (ZIM-10).
struct FailedMessageChecker: Checker {
    private let policy: ClientPolicy
    /// The text of each message in progress, by the command that sends it.
    private var sends: [CommandID: String] = [:]
    /// The texts of the failed messages, oldest first.
    private var failed: [String] = []
    /// The resend command of the current input.
    private var resend: CommandID?
    /// True during a logout. Nothing can be resent then.
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
            // The failed messages of one user must not be resent by the next user.
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
            // The resend was not accepted, so the message is again the oldest one.
            case .networkUnavailable, .limitExceeded: failed.insert(text, at: 0)
            default: break
            }
        } else if status == .timeout || byServer && status == .limitExceeded {
            // A full server can have space later, so the message may be resent.
            failed.append(text)
            if failed.count > policy.outboxCountMax { failed.removeFirst() }
        }
    }
}
