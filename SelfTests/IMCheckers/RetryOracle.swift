import IMClient
import IMProtocol
import IMSession
import SansIO

/// The waits between attempts are exactly the policy's, they grow from one to the next and begin anew only with a
/// completed login (C-9, NIM-5); so many retries and no more (NIM-6).
struct RetryOracle {
    private let policy: ClientPolicy
    private var ownDelays: [Interval] = []
    private var retryCountMax: Int
    /// Retries begun since the last success; nil while that is not known from outside.
    private var retries: Int? = 0
    /// When the client began to wait; nil while it has a link or no login.
    private var waitingSince: Instant?
    /// What ended the link in this very input, so that a link asked for in the same one is no retry.
    private var endedInInput: Instant?
    /// The app's limit came while a retry waited that had been decided on before: the limit is looked at when an attempt
    /// fails, so this one is still made (NIM-6).
    private var isDecidedBeforeLimit = false
    /// The app begins a connection anew in this very input, by its switch or by the first word of the tree (SYNC-8).
    private var isSwitchedOn = false
    /// There is reason to think that the next attempt will work, and it has not been begun in this very input (C-9).
    private var isTryDue = false
    /// Nothing is tried with a token that has ended (RTM-5).
    private var isTokenExpired = false
    private var renewals: Set<CommandID> = []
    /// The server has said that this login will not do, and nothing was asked for since (C-11, CHAT-3).
    private var refusal: Status?
    private static let refusals: Set<Status> = [
        .wrongCredential, .banned, .loggedInElsewhere, .tooManyDevices, .deviceChanged,
    ]

    init(_ policy: ClientPolicy) {
        self.policy = policy
        retryCountMax = policy.retryCountMax
    }

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = RetryOracle(policy)
        case .input(let input):
            endedInInput = nil
            isSwitchedOn = false
            if isTryDue { faults.append(Violation(.retries, "C-9", "a retry waits though there is a network again")) }
            isTryDue = isReasonToTry(input) && isWaiting(trace)
            switch input {
            case .clientCommand: refusal = nil
            case .frame(_, let frame) where !trace.isInputStale:
                if case .loginAck(let reply) = frame.body {
                    refusal = Self.refusals.contains(reply.status) ? reply.status : nil
                }
            default: break
            }
            given(input, at: event.time, trace)
        case .effect(.closeLink): linkEnded(at: event.time)
        case .effect(.notify(.tokenExpired)): isTokenExpired = true
        case .effect(.complete(let id, let completion)):
            if renewals.remove(id) != nil, completion.status == .ok { isTokenExpired = false }
        case .effect(.connect):
            isTryDue = false
            if let refusal {
                faults.append(Violation(.retries, "C-11", "who was refused for good tries again", refusal.name))
            }
            connect(at: event.time, trace, into: &faults)
        case .effect(.transition(let change)):
            isTryDue = false
            changed(change, trace)
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

    private mutating func given(_ input: NodeInput, at now: Instant, _ trace: ClientTrace) {
        switch input {
        case .linkFailed where !trace.isInputStale, .linkClosed where !trace.isInputStale: linkEnded(at: now)
        case .clientCommand(_, .setOption(.retryDelays(let delays))):
            ownDelays = delays
            waitingSince = nil
        case .clientCommand(_, .setOption(.retryCountMax(let count))):
            retryCountMax = count
            isDecidedBeforeLimit = waitingSince != nil
        // What a new token or the app's switch begins is begun at once.
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
            // The link that ended before was not a login's.
            waitingSince = nil
        default: break
        }
    }

    private mutating func linkEnded(at now: Instant) {
        endedInInput = now
        waitingSince = now
    }

    private mutating func connect(at now: Instant, _ trace: ClientTrace, into faults: inout [Violation]) {
        defer {
            waitingSince = nil
            isDecidedBeforeLimit = false
        }
        // At once: the link had been a good one, or is begun anew on another network.
        guard endedInInput == nil else { return }
        guard let since = waitingSince else {
            if case .clientCommand(_, .login)? = trace.input { isSwitchedOn = true }
            retries = isSwitchedOn ? 0 : nil
            return
        }
        guard let count = retries else { return }
        retries = count + 1
        if retryCountMax > 0, count + 1 > retryCountMax, !isDecidedBeforeLimit {
            faults.append(Violation(.retries, "NIM-6", "more retries than the app allowed", "\(count + 1)"))
        }
        // A network that came back, or a device that woke, need not wait.
        guard case .deadlineReached? = trace.input else { return }
        let delays = ownDelays.isEmpty ? policy.retryDelays : ownDelays
        guard !delays.isEmpty, since >= trace.awakeSince else { return }
        let least = delays[min(count, delays.count - 1)]
        let jittered = least + Interval(nanoseconds: least.nanoseconds / 1000 * policy.retryJitterPerMille)
        let most = min(jittered, delays.max() ?? jittered)
        let waited = now - since
        if waited < least || waited > most {
            let kind = waited < least ? "a retry comes too early" : "a retry comes too late"
            let words = "\(waited.inMilliseconds) ms after the attempt before, not \(least.inMilliseconds)"
            faults.append(Violation(.retries, "C-9", kind, words))
        }
    }

    private mutating func changed(_ change: StateChange, _ trace: ClientTrace) {
        switch change.to {
        case .online, .syncing:
            // Where a broken link is kept secret, nobody sees when the login was gone on with.
            retries = 0
            waitingSince = nil
        case .loggedOut, .kicked, .tokenExpired:
            retries = 0
            waitingSince = nil
        case .connecting, .reconnecting, .offline: break
        }
    }

    /// A login was accepted, though the app was never told that it had been interrupted (RTM-3).
    mutating func loginAccepted() { retries = 0 }
}

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
