import IMClient
import IMProtocol
import IMServer

/// Where a chain of causes comes from in the end, and the rule by which it became what it did.
public struct CauseVerdict: Equatable, Sendable {
    /// The event from outside; nil where the recording does not hold it.
    public var cause: UInt64?
    /// What that event is to the client, or why nothing is known of it.
    public var what: String
    /// Nil where no rule is known to have decided.
    public var rule: DecidingRule?
}

/// Everything that `why` says of an event, put together once for the screen and for the page.
public struct Explanation {
    /// The event, what led to it, and so on; and what the last of them is to the client, or why nothing is known of it.
    public var chain: (steps: [CauseFinder.Step], end: String, also: [UInt64])
    /// What the chain does not say of a kick; nil where it passes through none.
    public var kick: KickOrigin?
    /// What decided a kick that was told late.
    public var decision: (steps: [CauseFinder.Step], end: String, also: [UInt64])?
    /// The end of it all.
    public var verdict: CauseVerdict
}

extension CauseFinder {
    /// Everything that is known of why an event came.
    ///
    /// - Throws: ``DebuggerError`` or `SessionError`, for a number that no event has too.
    public func explanation(of start: UInt64) throws -> Explanation {
        let chain = try chain(from: start)
        let kick = try kickOrigin(of: chain.steps)
        let decision = try kick?.decision.map { try self.chain(from: $0) }
        let outer = decision ?? chain
        let isKnown = try outer.steps.last.map { try cause(of: $0.number).isOutside } ?? false
        let verdict = CauseVerdict(
            cause: isKnown ? outer.steps.last?.number : nil, what: outer.end,
            rule: try rule(of: chain.steps, kick))
        return Explanation(chain: chain, kick: kick, decision: decision, verdict: verdict)
    }

    // MARK: The rule

    private func rule(of steps: [Step], _ kick: KickOrigin?) throws -> DecidingRule? {
        let rules = RuleFinder(profile: session.dialect.profile)
        var timer: String?
        var change: StateChange?
        for (place, step) in steps.enumerated() {
            let event = try session.event(step.number)
            switch event.content {
            case .input(.frame(_, let frame)), .effect(.send(_, let frame)):
                if case .kicked(let notice) = frame.body {
                    return try rule(of: notice, toldAt: step.number, steps[place...], kick, rules)
                }
                if case .loginAck(let answer) = frame.body, answer.status != .ok,
                    change == nil || change?.reason == .loginFailed
                {
                    let policy = try serverPolicy(before: step.number)
                    if let rule = rules.rule(ofLoginRefused: answer.status, policy) { return rule }
                }
            case .input(.deadlineReached):
                if timer == nil, place < 3 { timer = try dueTimer(step.number) }
            case .effect(.transition(let found)):
                if change == nil { change = found }
            default: break
            }
        }
        guard let change, let rule = rules.rule(of: change, timer: timer) else { return nil }
        return try adding(clientValues(for: rule, change, steps), to: rule)
    }

    /// Of a kick: decided by the server's input right behind its frame in the chain, or earlier when it was told late.
    private func rule(
        of notice: KickNotice, toldAt number: UInt64, _ steps: ArraySlice<Step>, _ kick: KickOrigin?,
        _ rules: RuleFinder
    ) throws -> DecidingRule {
        let decided =
            try kick?.decision
            ?? steps.first { step in
                let event = try session.timeline.event(step.number)
                return try session.servers.contains(event.node) && event.role == .input
            }?.number
        var mode: LoginMode?
        if let decided, case .input(.frame(_, let frame)) = try session.event(decided).content,
            case .login(let login) = frame.body
        {
            mode = login.mode
        }
        var rule = rules.rule(of: notice.reason, by: mode, try serverPolicy(before: decided ?? number))
        if kick?.decision != nil { rule.ids.append("C-7") }
        return rule
    }

    /// The policy that the server had when an event came in; nil where its side was not recorded.
    private func serverPolicy(before number: UInt64) throws -> ServerPolicy? {
        let state = try session.timeline.state(at: max(number, 1) - 1)
        return session.nodes.lazy.compactMap { state[$0]?.server?.policy }.first
    }

    private func dueTimer(_ number: UInt64) throws -> String? {
        let event = try session.timeline.event(number)
        let before = try session.timeline.state(at: number - 1)
        guard let machine = before[event.node], case .list(let entries)? = StateTree(machine)?["timers"]?["entries"],
            let name = entries.first?["name"]
        else { return nil }
        return StateWords.kebab(StateSummary.timerName(name))
    }

    private func adding(_ values: [String], to rule: DecidingRule) -> DecidingRule {
        var rule = rule
        rule.values += values
        return rule
    }

    /// What of the client's own policy a rule is about.
    private func clientValues(for rule: DecidingRule, _ change: StateChange, _ steps: [Step]) throws -> [String] {
        let fields: [String] =
            switch (rule.ids.first, change.reason) {
            case ("C-12", _): ["heartbeatInterval", "heartbeatAnswerLimit"]
            case (_, .retrying): ["retryDelays"]
            case ("RTM-3", _): ["interruptionGrace"]
            case (_, .loginTimedOut): ["attemptTimeLimit"]
            case (_, .tokenExpired): ["tokenExpiryEndsLogin"]
            default: []
            }
        guard let first = steps.first, !fields.isEmpty else { return [] }
        let event = try session.timeline.event(first.number)
        let machine = try session.timeline.state(at: first.number)[event.node]
        guard let policy = machine.flatMap({ StateTree($0) })?["policy"] else { return [] }
        return fields.compactMap { field in
            policy[field].map { "\(StateWords.kebab(field))=\(StateWords.shown($0, named: field).line)" }
        }
    }
}

extension CauseFinder.Cause {
    /// Whether the chain ends here because it comes from outside, and not because nothing is known.
    fileprivate var isOutside: Bool {
        switch self {
        case .outside: true
        case .event, .unknown: false
        }
    }
}
