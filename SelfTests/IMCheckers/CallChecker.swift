import IMClient
import IMProtocol
import IMSession
import SansIO

/// Checks the result of a call against the state at the time of the call: a logged-in user cannot log in (C-2, ZIM-8),
/// calls need a login (ZIM-8, RTM-7), no call times out before its time limit, and a logout reports whether the server
/// received it (NIM-10).
struct CallChecker {
    private struct Call {
        var command: ClientCommand
        var startedAt: Instant
        var state: ClientState
        /// The user whose login the client held when the call was made.
        var user: String?
        var isLinked: Bool
        var hadReference: Bool
        var number: Int
    }

    private let policy: ClientPolicy
    private var calls: [CommandID: Call] = [:]
    /// The number of inputs so far. A call answered within its own input waited for nothing.
    private var inputs = 0
    /// True if this process has created a reference to the tree.
    private var hasReference = false
    /// True if the app has switched the client offline.
    private var isSwitchedOff = false

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop:
            calls.removeAll()
            (hasReference, isSwitchedOff) = (false, false)
        case .effect(.connect):
            guard isSwitchedOff else { return }
            violations.append(Violation(.links, "SYNC-8", "connects though the app has taken it offline"))
        case .input(let input):
            inputs += 1
            guard case .clientCommand(let id, let command) = input else { return }
            switch command {
            case .goOffline: isSwitchedOff = true
            case .goOnline: isSwitchedOff = false
            default: break
            }
            defer { if case .tree(let tree, _) = command, !tree.isReadOnly { hasReference = true } }
            calls[id] = Call(
                command: command, startedAt: event.time, state: trace.state, user: trace.user,
                isLinked: trace.acceptedLink != nil, hadReference: hasReference, number: inputs)
        case .effect(.complete(let id, let completion)):
            guard let call = calls.removeValue(forKey: id) else { return }
            check(call, completion.status, at: event.time, trace, into: &violations)
            answered(call, completion, trace, into: &violations)
        default: break
        }
    }

    private func check(
        _ call: Call, _ status: Status, at now: Instant, _ trace: ClientTrace, into violations: inout [Violation]
    ) {
        var detail: String { "\(call.command.fieldText) in \(call.state.name): \(status.name)" }
        if status == .timeout, let limit = limit(of: call.command), now - call.startedAt < limit {
            let taken = "\((now - call.startedAt).inMilliseconds) ms of \(limit.inMilliseconds)"
            violations.append(Violation(.commands, "C-1", "a call runs out of time before its time", taken))
        }
        switch call.command {
        case .login(let user, _, let mode, _, _):
            login(call, user, status, detail, into: &violations)
            if mode == .offline, status == .ok, trace.state != call.state {
                violations.append(
                    Violation(.commands, "ZIM-2", "an offline login ends behind what comes of it", detail))
            }
        case .logout: logout(call, status, trace.input, detail, into: &violations)
        case .goOnline:
            if status == .ok, trace.isSwitchedOff {
                violations.append(Violation(.commands, "SYNC-8", "still offline behind the word to go online"))
            }
        case .kick, .send, .join, .leave, .setAttributes, .ask, .watch, .operate:
            ask(call, status, detail, into: &violations)
        case .resend, .renewToken, .query, .setOption, .accountCall, .tree, .call, .change, .goOffline: break
        }
    }

    /// Checks results that the client computes from its own state.
    private func answered(
        _ call: Call, _ completion: Completion, _ trace: ClientTrace, into violations: inout [Violation]
    ) {
        switch call.command {
        case .query(.account):
            if completion.status == .ok, !policy.features.contains(.tree),
                completion.rows.first?["account"] != trace.user
            {
                let detail = "\(completion.rows.first?["account"] ?? "nobody"), not \(trace.user ?? "nobody")"
                violations.append(
                    Violation(.localData, "NIM-2", "another account is current than is logged in", detail))
            }
        case .query(.state):
            if let shown = completion.rows.first?["state"], shown != trace.state.name {
                let detail = "\(shown), not \(trace.state.name)"
                violations.append(Violation(.commands, "RTM-1", "a query gives another state than was told", detail))
            }
        case .tree(.persistence, _):
            guard (completion.status == .ok) == call.hadReference, completion.status != .unsupported else { return }
            let kind = call.hadReference ? "what is kept is said too late" : "what is kept is said in time, and refused"
            violations.append(Violation(.tree, "SYNC-2", kind, completion.status.name))
        default: break
        }
    }

    private func login(
        _ call: Call, _ user: String, _ status: Status, _ detail: String, into violations: inout [Violation]
    ) {
        let isRefusal = [.loginInProgress, .alreadyLoggedIn, .otherUserLoggedIn].contains(status)
        guard !call.state.isOver else {
            let needsLogout = policy.kickedNeedsLogout && call.state == .kicked
            if isRefusal != needsLogout, status != .unsupported {
                let kind = isRefusal ? "nobody is logged in, and a login is refused" : "a login behind a kick"
                violations.append(Violation(.logins, isRefusal ? "C-2" : "RTM-6", kind, detail))
            }
            return
        }
        // During an outage a new login may replace one that is retrying (C-2).
        let mayReplace =
            !policy.loginReplacesRetries.isEmpty && !call.isLinked
            && [.connecting, .reconnecting, .offline].contains(call.state)
        guard isRefusal || status == .unsupported, call.number == inputs else {
            if mayReplace { return }
            return violations.append(
                Violation(.logins, "C-2", "a second login beside the first is not refused", detail))
        }
        guard policy.refusesLoginByUser, let held = call.user else { return }
        if status != (held == user ? .alreadyLoggedIn : .otherUserLoggedIn) {
            violations.append(Violation(.logins, "C-2", "a second login is refused as another user's", detail))
        }
    }

    private func logout(
        _ call: Call, _ status: Status, _ input: NodeInput?, _ detail: String, into violations: inout [Violation]
    ) {
        switch call.state {
        case .loggedOut:
            if status != (policy.logoutWithoutLoginFails ? .notLoggedIn : .ok), status != .cancelled {
                violations.append(Violation(.logins, "RTM-7", "a logout of nobody is answered as another", detail))
            }
        case .kicked, .tokenExpired:
            if status != .ok { violations.append(Violation(.logins, "RTM-7", "a logout behind an end fails", detail)) }
        default:
            // A kick or an expired token is also a frame from the server.
            let isServerFrame = if case .frame(_, let frame)? = input { !frame.body.isHeartbeat } else { false }
            if status == .ok, policy.logoutReportsUnreachedServer, !isServerFrame {
                violations.append(Violation(.logins, "NIM-10", "a logout hides that the server was not told", detail))
            }
            if case .frame(_, let frame)? = input, case .logoutAck = frame.body, status != .ok {
                violations.append(Violation(.logins, "NIM-10", "a logout that the server heard of fails", detail))
            }
        }
    }

    /// Checks calls that need a login and the server.
    private func ask(_ call: Call, _ status: Status, _ detail: String, into violations: inout [Violation]) {
        if call.state.isOver {
            let isRight = [.notLoggedIn, .unsupported, .invalidArgument, .textTooLong].contains(status)
            guard !isRight || call.number != inputs else { return }
            return violations.append(
                Violation(.commands, "ZIM-8", "nobody is logged in, and a call is taken on", detail))
        }
        if status == .notLoggedIn, call.number == inputs {
            violations.append(Violation(.commands, "ZIM-8", "somebody is logged in, and a call finds nobody", detail))
        }
        if case .send = call.command, policy.features.contains(.messageQueue) {
            guard status == .connectionFailed, call.number != inputs else { return }
            return violations.append(
                Violation(.messages, "C-14", "a message that may wait fails with an attempt", detail))
        }
        guard !call.isLinked, call.number != inputs || [.ok, .stored].contains(status) else { return }
        violations.append(Violation(.commands, "ZIM-3", "a call that needs the server waits without a link", detail))
    }

    /// The minimum time that a call waits for an answer; nil if it depends on other conditions.
    private func limit(of command: ClientCommand) -> Interval? {
        switch command {
        case .login(_, _, .manual, _, _): policy.attemptTimeLimit
        case .logout: policy.logoutTimeLimit
        case .send: policy.messageTimeLimit
        case .kick, .setAttributes, .ask, .watch, .operate, .renewToken: policy.requestTimeLimit
        default: nil
        }
    }
}

extension TreeCommand {
    /// True if the command creates no reference.
    var isReadOnly: Bool {
        switch self {
        case .outline, .persistence: true
        default: false
        }
    }
}
