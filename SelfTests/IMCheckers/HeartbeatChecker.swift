import IMClient
import IMProtocol
import IMSession
import SansIO

/// The client sends heartbeats over the open connection as often as the policy requires. It closes a silent connection
/// after the silence limit, never earlier (C-12, P9).
struct HeartbeatChecker: Checker {
    private let policy: ClientPolicy
    private var lastHeartbeatAt: Instant?
    /// The time of the first unanswered heartbeat.
    private var unansweredSince: Instant?
    private var hasSlept = false
    /// A connection that was possibly closed too early. The violation is reported with the next input, because a later
    /// effect of the current input can show another reason, such as an expired token.
    private var suspicion: Violation?
    /// The numbers of unanswered tree requests. A missing answer also makes the client close the connection (SYNC-9).
    private var treeRequests: Set<UInt32> = []
    /// True during a logout, which closes the connection at its own time limit (NIM-10).
    private var isLeaving = false
    /// True if the current input woke the device or set its clock. The client must then probe its connection (C-10).
    private var isProbeDue = false

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = HeartbeatChecker(policy)
        case .environment(.sleep): hasSlept = true
        case .input(let input):
            if let suspicion { violations.append(suspicion) }
            suspicion = nil
            if isProbeDue {
                violations.add(.heartbeats, "C-10", "the client does not probe a connection that may be dead")
            }
            isProbeDue = false
            handleInput(input, at: event.time, trace, into: &violations)
        case .effect(.transition(let change)):
            if [.tokenExpired, .loggedOut, .kicked].contains(change.to) { suspicion = nil }
            // A state change ends the logout: it was refused or has completed.
            isLeaving = false
        case .effect(.notify(.tokenExpired)): suspicion = nil
        case .effect(.send(_, let frame)):
            isProbeDue = false
            if case .heartbeat = frame.body { checkHeartbeat(at: event.time, trace, into: &violations) }
            if case .tree = frame.body { treeRequests.insert(frame.request) }
        case .effect(.connect):
            (lastHeartbeatAt, unansweredSince) = (nil, nil)
            treeRequests.removeAll()
        case .effect(.closeLink(let id)):
            isProbeDue = false
            closed(id, at: event.time, trace)
        default: break
        }
    }

    private mutating func handleInput(
        _ input: NodeInput, at now: Instant, _ trace: ClientTrace, into violations: inout [Violation]
    ) {
        switch input {
        case .frame(_, let frame) where !trace.isInputStale:
            unansweredSince = nil
            treeRequests.remove(frame.request)
        case .clientCommand(_, .logout): isLeaving = true
        case .app(.woke):
            hasSlept = false
            (lastHeartbeatAt, unansweredSince) = (nil, nil)
        case .linkClosed where !trace.isInputStale, .linkFailed where !trace.isInputStale:
            (lastHeartbeatAt, unansweredSince) = (nil, nil)
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
        // The heartbeat timer and the answer timer both belong to the client and are exact, so no tolerance is needed.
        if let unansweredSince, policy.silenceLimit == .zero, !hasSlept, !isLeaving,
            now - unansweredSince > policy.heartbeatAnswerLimit
        {
            let waited = (now - unansweredSince).inMilliseconds
            violations.add(.heartbeats, "C-12", "a silent connection is kept", "\(waited) ms")
        }
    }

    private mutating func checkHeartbeat(at now: Instant, _ trace: ClientTrace, into violations: inout [Violation]) {
        if case .deadlineReached? = trace.input, let last = lastHeartbeatAt, now - last < policy.heartbeatInterval {
            let detail = "\((now - last).inMilliseconds) ms after the previous one"
            violations.add(.heartbeats, "C-12", "a heartbeat is too early", detail)
        }
        if let last = lastHeartbeatAt, now - last > policy.longestHeartbeatInterval, !hasSlept {
            let detail = "\((now - last).inMilliseconds) ms after the previous one"
            violations.add(.heartbeats, "C-12", "a heartbeat is too late", detail)
        }
        lastHeartbeatAt = now
        unansweredSince = unansweredSince ?? now
    }

    /// Notes a suspicion if a timer closes a connection in use before the silence limit.
    private mutating func closed(_ id: ConnectionID, at now: Instant, _ trace: ClientTrace) {
        defer { (lastHeartbeatAt, unansweredSince) = (nil, nil) }
        guard case .deadlineReached? = trace.input, trace.openLink == id, let lastFrame = trace.lastFrameAt,
            trace.state == .online, lastHeartbeatAt != nil, treeRequests.isEmpty, !isLeaving
        else { return }
        let least = policy.silenceLimit > .zero ? policy.silenceLimit : policy.heartbeatAnswerLimit
        guard now - max(lastFrame, trace.awakeSince) < least else { return }
        let detail = "\((now - lastFrame).inMilliseconds) ms after the last frame"
        suspicion = Violation(.heartbeats, "C-12", "a connection is closed for silence too early", detail)
    }
}
