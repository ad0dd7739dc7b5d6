import IMClient
import IMProtocol
import IMSession
import SansIO

/// Heartbeats come as often as the policy says, on the link that is there; a link ends for silence only after silence,
/// and does end after it (C-12, P9).
struct HeartbeatOracle {
    private let policy: ClientPolicy
    private var beatAt: Instant?
    /// The first heartbeat that nothing has answered.
    private var unansweredSince: Instant?
    private var slept = false
    /// What the end of a link looks like until the rest of the answer is known: a token's end closes it, too.
    private var suspicion: Violation?
    /// Requests of the tree that have no answer: one that stays away ends the link, too (SYNC-9).
    private var treeRequests: Set<UInt32> = []
    /// A logout is under way; it ends the link when its time is over (NIM-10).
    private var isLeaving = false
    /// A device that woke, or whose clock was set, has yet to ask its link whether it lives (C-10).
    private var isProbeDue = false

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = HeartbeatOracle(policy)
        case .environment(.sleep): slept = true
        case .input(let input):
            if let suspicion { faults.append(suspicion) }
            suspicion = nil
            if isProbeDue { faults.append(Violation(.heartbeats, "C-10", "a link that may have died is not asked")) }
            isProbeDue = false
            given(input, at: event.time, trace, into: &faults)
        case .effect(.transition(let change)):
            if [.tokenExpired, .loggedOut, .kicked].contains(change.to) { suspicion = nil }
            // Refused, or over.
            isLeaving = false
        case .effect(.notify(.tokenExpired)): suspicion = nil
        case .effect(.send(_, let frame)):
            isProbeDue = false
            if case .heartbeat = frame.body { beat(at: event.time, trace, into: &faults) }
            if case .tree = frame.body { treeRequests.insert(frame.request) }
        case .effect(.connect):
            (beatAt, unansweredSince) = (nil, nil)
            treeRequests.removeAll()
        case .effect(.closeLink(let id)):
            isProbeDue = false
            closed(id, at: event.time, trace)
        default: break
        }
    }

    private mutating func given(
        _ input: NodeInput, at now: Instant, _ trace: ClientTrace, into faults: inout [Violation]
    ) {
        switch input {
        case .frame(_, let frame) where !trace.isInputStale:
            unansweredSince = nil
            treeRequests.remove(frame.request)
        case .clientCommand(_, .logout): isLeaving = true
        case .app(.woke):
            slept = false
            unansweredSince = nil
            beatAt = nil
        case .linkClosed where !trace.isInputStale, .linkFailed where !trace.isInputStale:
            (beatAt, unansweredSince) = (nil, nil)
        default: break
        }
        if case .app(let change) = input {
            switch change {
            case .foreground, .woke, .clockSet:
                isProbeDue = trace.state == .online && trace.acceptedLink != nil && !isLeaving
            case .background, .closing: break
            }
        }
        guard case .deadlineReached = input else { return }
        // A second without an answer is not yet late: the two timers are one's own and exact.
        if let unansweredSince, policy.silenceLimit == .zero, !slept, !isLeaving,
            now - unansweredSince > policy.heartbeatAnswerLimit
        {
            let waited = (now - unansweredSince).inMilliseconds
            faults.append(Violation(.heartbeats, "C-12", "a silent link is kept", "\(waited) ms"))
        }
    }

    private mutating func beat(at now: Instant, _ trace: ClientTrace, into faults: inout [Violation]) {
        if case .deadlineReached? = trace.input, let last = beatAt, now - last < policy.heartbeatInterval {
            let words = "\((now - last).inMilliseconds) ms after the last"
            faults.append(Violation(.heartbeats, "C-12", "a heartbeat comes too early", words))
        }
        if let last = beatAt, now - last > policy.longestHeartbeatInterval, !slept {
            let words = "\((now - last).inMilliseconds) ms after the last"
            faults.append(Violation(.heartbeats, "C-12", "a heartbeat comes too late", words))
        }
        beatAt = now
        unansweredSince = unansweredSince ?? now
    }

    /// A link that is closed by a timer while it is in use is closed for silence.
    private mutating func closed(_ id: ConnectionID, at now: Instant, _ trace: ClientTrace) {
        defer { (beatAt, unansweredSince) = (nil, nil) }
        guard case .deadlineReached? = trace.input, trace.openLink == id, let heard = trace.heardAt,
            trace.state == .online, beatAt != nil, treeRequests.isEmpty, !isLeaving
        else { return }
        let least = policy.silenceLimit > .zero ? policy.silenceLimit : policy.heartbeatAnswerLimit
        guard now - max(heard, trace.awakeSince) < least else { return }
        let words = "\((now - heard).inMilliseconds) ms after the last sign of life"
        suspicion = Violation(.heartbeats, "C-12", "a living link is ended for silence", words)
    }
}
