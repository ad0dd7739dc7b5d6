import IMClient
import IMProtocol
import IMSession
import SansIO

/// The delays between attempts are exactly those of the policy. They grow with each retry and return to the first delay
/// only after a completed login (C-9, NIM-5). There are no more retries than allowed (NIM-6).
struct RetryChecker: Checker {
    private let policy: ClientPolicy
    private var ownDelays: [Interval] = []
    private var retryCountMax: Int
    /// The number of retries since the last success; nil if it cannot be observed.
    private var retries: Int? = 0
    /// The time at which the client started to wait; nil if it has a connection or no login.
    private var waitingSince: Instant?
    /// The time at which the current input ended the connection, or nil. A connection in the same input is not a retry.
    private var endedInInput: Instant?
    /// True if the app set its retry limit while a retry was already waiting. The client checks the limit when an
    /// attempt fails, so it still makes this retry (NIM-6).
    private var isDecidedBeforeLimit = false
    /// True if the app starts a new connection in the current input, by `goOnline` or its first tree command (SYNC-8).
    private var isSwitchedOn = false
    /// True if an attempt is likely to succeed now and has not been started in the current input (C-9).
    private var isAttemptExpected = false
    /// True if the token has expired. The client then makes no attempts (RTM-5).
    private var isTokenExpired = false
    private var renewals: Set<CommandID> = []
    /// The server's permanent refusal of the current login; nil if none, or after the next command (C-11, CHAT-3).
    private var refusal: Status?
    private static let refusals: Set<Status> = [
        .wrongCredential, .banned, .loggedInElsewhere, .tooManyDevices, .deviceChanged,
    ]

    init(_ policy: ClientPolicy) {
        self.policy = policy
        retryCountMax = policy.retryCountMax
    }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = RetryChecker(policy)
        case .input(let input):
            endedInInput = nil
            isSwitchedOn = false
            if isAttemptExpected { violations.add(.retries, "C-9", "no attempt is made although the network is back") }
            isAttemptExpected = isReasonToTry(input) && isWaiting(trace)
            switch input {
            case .clientCommand: refusal = nil
            case .frame(_, let frame) where !trace.isInputStale:
                if case .loginAck(let reply) = frame.body {
                    refusal = Self.refusals.contains(reply.status) ? reply.status : nil
                    // The SDK may have hidden the interruption from the app, so that there was no transition (RTM-3).
                    if reply.status == .ok { retries = 0 }
                }
            default: break
            }
            handleInput(input, at: event.time, trace)
        case .effect(.closeLink): linkEnded(at: event.time)
        case .effect(.notify(.tokenExpired)): isTokenExpired = true
        case .effect(.complete(let id, let completion)):
            if renewals.remove(id) != nil, completion.status == .ok { isTokenExpired = false }
        case .effect(.connect):
            isAttemptExpected = false
            if let refusal {
                violations.add(.retries, "C-11", "a client retries after a permanent refusal", refusal.name)
            }
            connect(at: event.time, trace, into: &violations)
        case .effect(.transition(let change)):
            isAttemptExpected = false
            changed(change)
        default: break
        }
    }

    private func isReasonToTry(_ input: NodeInput) -> Bool {
        switch input {
        case .network(.up), .network(.switched), .app(.woke), .app(.foreground), .clientCommand(_, .goOnline): true
        default: false
        }
    }

    private func isWaiting(_ trace: ClientTrace) -> Bool {
        trace.links.isEmpty && !isTokenExpired && [.connecting, .reconnecting].contains(trace.state)
    }

    private mutating func handleInput(_ input: NodeInput, at now: Instant, _ trace: ClientTrace) {
        switch input {
        case .linkFailed where !trace.isInputStale, .linkClosed where !trace.isInputStale: linkEnded(at: now)
        case .clientCommand(_, .setOption(.retryDelays(let delays))):
            ownDelays = delays
            waitingSince = nil
        case .clientCommand(_, .setOption(.retryCountMax(let count))):
            retryCountMax = count
            isDecidedBeforeLimit = waitingSince != nil
        // With a new token, or when the app goes online, an attempt starts at once.
        case .clientCommand(let id, .renewToken):
            waitingSince = nil
            renewals.insert(id)
        case .clientCommand(_, .goOnline):
            waitingSince = nil
            isSwitchedOn = trace.isSwitchedOff || trace.state.isOver
        case .clientCommand(_, .tree):
            waitingSince = nil
            isSwitchedOn = trace.state.isOver
        case .clientCommand(_, .goOffline): waitingSince = nil
        case .clientCommand(_, .login):
            guard trace.state.isOver else { return }
            isTokenExpired = false
            retries = 0
            // The connection that ended earlier did not carry a login.
            waitingSince = nil
        default: break
        }
    }

    private mutating func linkEnded(at now: Instant) {
        endedInInput = now
        waitingSince = now
    }

    private mutating func connect(at now: Instant, _ trace: ClientTrace, into violations: inout [Violation]) {
        defer { (waitingSince, isDecidedBeforeLimit) = (nil, false) }
        // The client may connect again at once if the connection had worked, or if the network changed.
        guard endedInInput == nil else { return }
        guard let since = waitingSince else {
            if case .clientCommand(_, .login)? = trace.input { isSwitchedOn = true }
            retries = isSwitchedOn ? 0 : nil
            return
        }
        guard let count = retries else { return }
        retries = count + 1
        if retryCountMax > 0, count + 1 > retryCountMax, !isDecidedBeforeLimit {
            violations.add(.retries, "NIM-6", "there are more retries than the app allows", "\(count + 1)")
        }
        // If the network came back or the device woke, no delay is required.
        guard case .deadlineReached? = trace.input else { return }
        let delays = ownDelays.isEmpty ? policy.retryDelays : ownDelays
        guard !delays.isEmpty, since >= trace.awakeSince else { return }
        let least = delays[min(count, delays.count - 1)]
        let jittered = least + Interval(nanoseconds: least.nanoseconds / 1000 * policy.retryJitterPerMille)
        let most = min(jittered, delays.max() ?? jittered)
        let waited = now - since
        if waited < least || waited > most {
            let kind = waited < least ? "a retry is too early" : "a retry is too late"
            let detail = "\(waited.inMilliseconds) ms after the previous attempt, not \(least.inMilliseconds)"
            violations.add(.retries, "C-9", kind, detail)
        }
    }

    private mutating func changed(_ change: StateChange) {
        switch change.to {
        // If the SDK hides a broken connection, the resumed login cannot be observed, so the count restarts here.
        case .online, .syncing, .loggedOut, .kicked, .tokenExpired: (retries, waitingSince) = (0, nil)
        case .connecting, .reconnecting, .offline: break
        }
    }
}

/// An unanswered attempt lasts for its full time limit. Events of an older connection do not end the attempt (C-9, P9).
struct AttemptChecker: Checker {
    private let policy: ClientPolicy
    private var attempt: (link: ConnectionID, since: Instant)?
    /// The duration of an attempt that the client aborted in the current input without notifying the app.
    private var early: Interval?

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = AttemptChecker(policy)
        case .input(let input):
            if let early {
                let detail = "after \(early.inMilliseconds) ms of \(policy.attemptTimeLimit.inMilliseconds)"
                violations.add(.retries, "C-9", "an attempt ends before its time limit", detail)
            }
            early = nil
            switch input {
            case .linkClosed(let id, _), .linkFailed(let id, _): if id == attempt?.link { attempt = nil }
            case .frame(let id, let frame): if id == attempt?.link, case .loginAck = frame.body { attempt = nil }
            default: break
            }
        case .effect(.connect(let id)): attempt = (id, event.time)
        case .effect(.closeLink(let id)):
            guard let started = attempt, started.link == id else { return }
            attempt = nil
            let lasted = event.time - started.since
            if case .deadlineReached? = trace.input, lasted < policy.attemptTimeLimit { early = lasted }
        // The attempt ended by the app's own time limit or by the expiry of its token.
        case .effect(.complete), .effect(.notify(.tokenExpired)): early = nil
        case .effect(.transition(let change)):
            if change.to.isOver { early = nil }
        default: break
        }
    }
}
