import IMClient
import IMProtocol
import IMServer

/// The earliest cause in a chain, and the rule that decided the outcome.
public struct CauseVerdict: Equatable, Sendable {
    /// The number of the earliest cause; nil if the recording does not contain it.
    public var cause: UInt64?
    /// A text about the origin of the earliest cause, or the reason why it is not known.
    public var what: String
    /// The rule that decided the outcome; nil if none is known.
    public var rule: DecidingRule?
}

/// Everything that `why` shows for an event. The terminal and the HTML page show the same explanation.
public struct Explanation {
    /// The chain of causes, as ``CauseFinder/chain(from:)`` returns it.
    public var chain: (steps: [CauseFinder.Step], end: String, also: [UInt64])
    /// The origin of a kick, as far as the chain does not contain it; nil if the chain contains no kick.
    public var kick: KickOrigin?
    /// The chain of causes of the event that decided a kick which was delivered late; nil if there is no such kick.
    public var decision: (steps: [CauseFinder.Step], end: String, also: [UInt64])?
    /// The earliest cause, and the rule that decided the outcome.
    public var verdict: CauseVerdict
}

extension CauseFinder {
    /// Returns the explanation of an event.
    ///
    /// - Throws: ``DebuggerError`` or `SessionError`, also for an unknown event number.
    public func explanation(of start: UInt64) throws -> Explanation {
        let chain = try chain(from: start)
        let kick = try kickOrigin(of: chain.steps)
        let decision = try kick?.decision.map { try self.chain(from: $0) }
        let outer = decision ?? chain
        let isKnown = try outer.steps.last.map { try cause(of: $0.number).isOutside } ?? false
        let verdict = CauseVerdict(
            cause: isKnown ? outer.steps.last?.number : nil, what: outer.end,
            rule: try ruleWithServerTimer(rule(of: chain.steps, kick), chain.steps))
        return Explanation(chain: chain, kick: kick, decision: decision, verdict: verdict)
    }

    // MARK: The rule

    private func rule(of steps: [Step], _ kick: KickOrigin?) throws -> DecidingRule? {
        let rules = RuleFinder(profile: session.dialect.profile)
        guard let first = steps.first else { return nil }
        let circumstances = try circumstances(of: steps)
        switch try session.event(first.number).content {
        case .effect(.complete(let id, let completion)):
            guard let command = try command(id, before: first.number) else { return nil }
            let policy = try serverPolicy(before: first.number)
            return rules.rule(ofResult: completion.status, of: command, policy, circumstances)
        case .effect(.notify(let notification)):
            if case .kicked = notification { break }
            return rules.rule(of: notification, circumstances)
        case .effect(.connect):
            return circumstances.isImmediateRetry ? DecidingRule("C-9") : circumstances.isRetry ? rules.retryRule : nil
        case .effect(.presence(let user, _, let change)):
            return rules.rule(of: .presence(user: user, change), circumstances)
        case .mark(let text): return Self.rule(inMark: text)
        default: break
        }
        return try rule(ofChain: steps, kick, rules)
    }

    func command(_ id: CommandID, before number: UInt64) throws -> ClientCommand? {
        let found = try session.timeline.last(before: number) { view in
            guard view.role == .input, view.channel == .sdk,
                case .input(.clientCommand(let known, _)) = session.decoded(view).content
            else { return false }
            return known == id
        }
        guard let found, case .input(.clientCommand(_, let command)) = session.decoded(found).content else {
            return nil
        }
        return command
    }

    private func circumstances(of steps: [Step]) throws -> RuleFinder.Circumstances {
        var found = RuleFinder.Circumstances()
        if let last = steps.last, case .stop = try session.event(last.number).content {
            found.isServerStop = try session.servers.contains(session.timeline.event(last.number).node)
        }
        // The connection over which the server sent a frame to the client. `isAnswered` becomes true at the server's
        // input that caused this frame.
        var sentOver: UInt32?
        var isAnswered = false
        for step in steps {
            let event = try session.event(step.number)
            let isServer = try session.servers.contains(session.timeline.event(step.number).node)
            switch event.content {
            case .input(.frame(_, let frame)), .effect(.send(_, let frame)):
                if case .kicked = frame.body { found.hasKick = true }
                if case .loginAck = frame.body { found.isAfterReturn = true }
                guard isServer, !isAnswered else { break }
                if event.direction == "out" {
                    sentOver = event.connection
                } else if let connection = sentOver {
                    // The server can end an older connection because of a frame on another connection, such as the
                    // login of another device.
                    found.isEndOfConnection = frame.body.endsConnection && connection != event.connection
                    found.isAfterReturn = found.isAfterReturn || connection == event.connection
                    isAnswered = true
                }
            case .effect(.transition(let change)) where change.to == .kicked: found.hasKick = true
            case .input(.app), .input(.network): found.isImmediateRetry = true
            case .input(.linkClosed), .input(.serverCommand(_, .kick)), .input(.deadlineReached):
                guard isServer, !isAnswered, sentOver != nil else { break }
                (found.isEndOfConnection, isAnswered) = (true, true)
            default: break
            }
            if step.how.contains("timer retry") { found.isRetry = true }
            if step.how == CauseFinder.waitedText { found.isAfterReturn = true }
        }
        return found
    }

    /// Adds the limit of the server's timer in the chain to a rule. If `rule` is nil, returns the rule of this timer.
    private func ruleWithServerTimer(_ rule: DecidingRule?, _ steps: [Step]) throws -> DecidingRule? {
        for (index, step) in steps.enumerated() {
            let event = try session.timeline.event(step.number)
            guard case .input(.deadlineReached) = session.decoded(event).content else { continue }
            guard try session.servers.contains(event.node),
                case .server(let name)? = try firedTimer(event, leadingTo: index > 0 ? steps[index - 1].number : nil)?
                    .name, let policy = try serverPolicy(before: step.number)
            else { return rule }
            let rules = RuleFinder(profile: session.dialect.profile)
            guard let found = rules.rule(of: name, policy) else { return rule }
            guard let rule else { return found }
            return rule.ids.first == found.ids.first || rule.ids == ["SYNC-6"] ? adding(found.values, to: rule) : rule
        }
        return rule
    }

    /// The rule of the first event in the chain for which there is a rule.
    private func rule(ofChain steps: [Step], _ kick: KickOrigin?, _ rules: RuleFinder) throws -> DecidingRule? {
        var timer: NodeTimer?
        var change: StateChange?
        for (index, step) in steps.enumerated() {
            let event = try session.event(step.number)
            switch event.content {
            case .input(.frame(_, let frame)), .effect(.send(_, let frame)):
                if case .kicked(let notice) = frame.body {
                    return try rule(of: notice, deliveredAt: step.number, steps[index...], kick, rules)
                }
                if case .loginAck(let answer) = frame.body, answer.status != .ok,
                    change == nil || [.loginFailed, .credentialRefused].contains(change?.reason)
                {
                    let policy = try serverPolicy(before: step.number)
                    if let rule = rules.rule(ofLoginRefused: answer.status, policy) { return rule }
                }
            case .input(.deadlineReached):
                if timer == nil, index < 3 { timer = try dueTimer(step.number) }
            case .effect(.transition(let found)):
                if change == nil { change = found }
            default: break
            }
        }
        guard let change, let rule = rules.rule(of: change, timer: timer) else { return nil }
        return try adding(clientValues(for: rule, change, steps), to: rule)
    }

    /// The rule of a kick. If the kick was delivered late, `kick.decision` decided it. Otherwise the first input of the
    /// server in `steps` decided it.
    private func rule(
        of notice: KickNotice, deliveredAt number: UInt64, _ steps: ArraySlice<Step>, _ kick: KickOrigin?,
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
        let isOwnDevice = try notice.by != nil && notice.by?.id == clientDevice(of: steps)
        var rule = rules.rule(
            of: notice.reason, by: mode, isOwnDevice: isOwnDevice, try serverPolicy(before: decided ?? number))
        if kick?.decision != nil { rule.ids.append("C-7") }
        return rule
    }

    /// The device of the first client in a chain; nil if there is none.
    private func clientDevice(of steps: ArraySlice<Step>) throws -> String? {
        for step in steps {
            let node = try session.timeline.event(step.number).node
            if let client = try session.timeline.state(at: step.number)[node]?.client { return client.device.id }
        }
        return nil
    }

    /// The server's policy before an event; nil if the server was not recorded.
    private func serverPolicy(before number: UInt64) throws -> ServerPolicy? {
        let state = try session.timeline.state(at: max(number, 1) - 1)
        return session.nodes.lazy.compactMap { state[$0]?.server?.policy }.first
    }

    private func dueTimer(_ number: UInt64) throws -> NodeTimer? {
        let event = try session.timeline.event(number)
        return try session.timeline.state(at: number - 1)[event.node]?.setTimers.first?.name
    }

    private func adding(_ values: [String], to rule: DecidingRule) -> DecidingRule {
        var rule = rule
        rule.values += values
        return rule
    }

    /// The values of the client's policy on which a rule depends.
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
            policy[field].map { "\(StateText.kebab(field))=\(StateText.displayedTree($0, named: field).line)" }
        }
    }
}

extension CauseFinder.Cause {
    /// True if the cause is known and comes from outside the recorded machines.
    fileprivate var isOutside: Bool {
        switch self {
        case .outside: true
        case .event, .unknown: false
        }
    }
}

extension FrameBody {
    /// True if the server can end a connection because of the frame: the connection of the frame, or an older one of
    /// the same device.
    fileprivate var endsConnection: Bool {
        switch self {
        case .login, .logout, .goodbye, .kickedAck: true
        default: false
        }
    }
}
