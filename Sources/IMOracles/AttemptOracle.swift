import IMClient
import IMProtocol
import IMSession
import SansIO

/// An attempt that the server has not judged yet has its whole time: nothing of an older link ends it (C-9, P9).
struct AttemptOracle {
    private let policy: ClientPolicy
    private var attempt: (link: ConnectionID, since: Instant)?
    /// How long one had lasted that was given up in this very input, without a word to the app.
    private var early: Interval?

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = AttemptOracle(policy)
        case .input(let input):
            if let early {
                let words = "after \(early.inMilliseconds) ms of \(policy.attemptTimeLimit.inMilliseconds)"
                faults.append(Violation(.retries, "C-9", "an attempt is given up before its time", words))
            }
            early = nil
            switch input {
            case .linkClosed(let id, _), .linkFailed(let id, _): if id == attempt?.link { attempt = nil }
            case .frame(let id, let frame): if id == attempt?.link, case .loginAck = frame.body { attempt = nil }
            default: break
            }
        case .effect(.connect(let id)): attempt = (id, event.time)
        case .effect(.closeLink(let id)):
            guard let begun = attempt, begun.link == id else { return }
            attempt = nil
            let lasted = event.time - begun.since
            if case .deadlineReached? = trace.input, lasted < policy.attemptTimeLimit { early = lasted }
        // The app's own time limit, or the end of its token.
        case .effect(.complete), .effect(.notify(.tokenExpired)): early = nil
        case .effect(.transition(let change)):
            if change.to.isOver { early = nil }
        default: break
        }
    }
}
