import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import Recorder
import SansIO

extension DebugSession {
    /// Finds why a condition has not held up to the position.
    ///
    /// - Parameter name: the name of a client; nil for all clients.
    /// - Throws: ``DebuggerError`` for an unknown client; `SessionError`.
    package func whyNot(_ condition: ReplayCondition, node name: String?) throws -> WhyNotAnswer {
        try WhyNotFinder(self, condition, node: name).answer()
    }
}

/// Finds the reason why a condition has not held: a frame that did not arrive, a kick that was not delivered, a timer
/// that is not due yet, or a change to another state.
struct WhyNotFinder {
    /// The maximum number of frames that did not arrive and are examined. The newest ones are examined.
    static let framesMax = 64

    let session: DebugSession
    let condition: ReplayCondition
    private let name: String?
    private let node: NodeIndex?
    /// The clients for which the condition could hold.
    private let clients: [NodeIndex]
    private let devices: [NodeIndex: Device]
    private let state: Replay<IMSessionSchema>
    private let rules: RuleFinder

    init(_ session: DebugSession, _ condition: ReplayCondition, node name: String?) throws {
        self.session = session
        self.condition = condition
        self.name = name
        node = try name.map { try session.node(named: $0) }
        state = try session.state()
        rules = RuleFinder(profile: session.dialect.profile)
        var devices: [NodeIndex: Device] = [:]
        try session.timeline.scan(after: 0, upTo: session.position) { view in
            if view.role == .start, case .start(let start) = session.decoded(view).content,
                case .client(_, let device, _, _, _, _) = start.body
            {
                devices[view.node] = device
            }
            return true
        }
        self.devices = devices
        let onlyNode = node
        clients = devices.keys.sorted().filter {
            (onlyNode == nil || onlyNode == $0) && condition.canHold(forNode: session.reader.name(of: $0))
        }
    }

    func answer() throws -> WhyNotAnswer {
        var answer = WhyNotAnswer(condition: condition.text, node: name, position: session.position)
        answer.impossible = unknownCallback
        guard answer.impossible == nil else { return answer }
        (answer.newestMatch, answer.matchEnd) = try newestMatch()
        guard !answer.holds else { return answer }
        let start = answer.matchEnd ?? 0
        answer.nearest = try nearest(from: start)
        answer.frames = try frames(after: start)
        let now = try session.time()
        let graph = try session.causalGraph()
        answer.clients = clients.compactMap { node in
            guard let machine = state[node], let client = machine.client else { return nil }
            return .init(
                name: session.reader.name(of: node), state: client.state.name, timers: machine.runningTimers(at: now),
                faults: graph.faults.blockers(of: node, at: session.position + 1, now))
        }
        answer.waiting = try waiting(answer)
        answer.pendingKicks = try pendingKicks()
        answer.toleratedLogin = try toleratedLogin()
        var change: HypotheticalRun.ClientChange?
        (answer.timer, change) = try timer()
        answer.rule = try rule(of: answer, timerChange: change)
        answer.nextMatch = try session.search(isForward: true) { view, session in
            try (node == nil || view.node == node) && condition.holds(for: view, in: session)
        }
        return answer
    }

    // MARK: Events

    /// The newest event for which the condition holds, and the event that ended the state which began with it. An event
    /// whose state continues is preferred to a newer event of another client whose state has ended.
    private func newestMatch() throws -> (number: UInt64?, end: UInt64?) {
        var matches: [NodeIndex: (number: UInt64, end: UInt64?)] = [:]
        _ = try session.search(isForward: true, from: 0) { view, session in
            guard view.number <= session.position else { return true }
            guard node == nil || view.node == node else { return false }
            if try condition.holds(for: view, in: session) {
                matches[view.node] = (view.number, nil)
            } else if condition.requiresState, let match = matches[view.node], match.end == nil, endsState(view) {
                matches[view.node]?.end = view.number
            }
            return false
        }
        let lasting = matches.values.filter { $0.end == nil }.max { $0.number < $1.number }
        guard let found = lasting ?? matches.values.max(by: { $0.number < $1.number }) else { return (nil, nil) }
        return (found.number, found.end)
    }

    /// True if an event ends the state of its client.
    private func endsState(_ view: EventView) -> Bool { view.role == .stop || isTransition(view) }

    private func isTransition(_ view: EventView) -> Bool {
        EventKind.mayBe("transition", view) && session.decoded(view).kind == "transition"
    }

    /// The newest of the events that are nearest to the condition, with the texts of the comparisons that do not hold
    /// for it.
    private func nearest(from start: UInt64) throws -> (number: UInt64, shortfalls: [String])? {
        var best: (number: UInt64, nearness: ReplayCondition.Nearness, shortfalls: () -> [String])?
        _ = try session.search(isForward: true, from: max(start, 1) - 1) { view, session in
            guard view.number <= session.position else { return true }
            guard node == nil || view.node == node, condition.canHold(forNode: session.reader.name(of: view.node))
            else {
                return false
            }
            switch view.role {
            case .input, .effect, .environment, .mark, .start, .stop: break
            case .header, .clock, .keyframe, .closing: return false
            }
            guard !condition.requiresState || isTransition(view) else { return false }
            let (nearness, shortfalls) = try condition.nearness(of: view, in: session)
            let isSimilar = nearness.matchCount > 0 || condition.requiresState
            if isSimilar, best.map({ nearness >= $0.nearness }) ?? true {
                best = (view.number, nearness, shortfalls)
            }
            return false
        }
        return best.map { ($0.number, $0.shortfalls()) }
    }

    /// The message for a condition that requires a callback which the profile does not have. Nil if there is no such
    /// callback in the condition.
    private var unknownCallback: String? {
        let wanted = condition.callbacks
        let dialect = session.dialect
        let known = Set(dialect.callbacks.map(\.name))
        guard let first = wanted.first, wanted.allSatisfy({ !known.contains($0) }) else { return nil }
        let owner = Dialects.all.first { $0.callbacks.contains { $0.name == first } }
        let ownerText = owner.map { "; it is a callback of \($0.title)" } ?? ""
        let similar = CallbackNames.similar(to: first, among: dialect.callbacks)
        let suggestion = similar.map { "; did you mean '\($0)'?" } ?? ""
        return "\(dialect.title) has no callback '\(first)'\(ownerText)\(suggestion)"
    }

    // MARK: Frames

    /// The decisive frame among those that have not arrived at the position. If no frame is decisive: for each client,
    /// the newest frame between the client and its server, if this frame has not arrived.
    private func frames(after start: UInt64) throws -> [WhyNotAnswer.Frame] {
        let graph = try session.causalGraph()
        let position = session.position
        let undelivered = graph.deliveries.compactMap { number, delivery -> (number: UInt64, isLost: Bool)? in
            guard number > start, number <= position else { return nil }
            switch delivery {
            case .lost: return (number, true)
            case .inFlight: return (number, false)
            case .arrived(let arrival): return arrival > position ? (number, false) : nil
            case .notRecorded: return nil
            }
        }.sorted { $0.number > $1.number }
        let now = try session.time()
        for (number, isLost) in undelivered.prefix(Self.framesMax) {
            let event = try session.timeline.event(number)
            let end = CausalGraph.End(node: event.node, connection: event.stream)
            guard let peer = graph.peer(of: end), case .effect(.send(_, let frame)) = session.decoded(event).content
            else {
                continue
            }
            let machines = isLost ? try session.timeline.state(at: number) : state
            var run = try HypotheticalRun(session, condition, of: node, machines)
            if try run.holds(afterArrivalOf: frame, at: peer, isLost ? event.time : now) {
                return [try undeliveredFrame(number, isLost: isLost, isDecisive: true)]
            }
        }
        return try clients.compactMap { try silence(of: $0, graph, undelivered) }
    }

    /// The newest frame between a client and its server, if it has not arrived.
    private func silence(
        of client: NodeIndex, _ graph: CausalGraph, _ undelivered: [(number: UInt64, isLost: Bool)]
    ) throws -> WhyNotAnswer.Frame? {
        let newest = try session.timeline.last(before: session.position + 1) { view in
            guard view.channel == .transport, view.role == .effect else { return false }
            let end = CausalGraph.End(node: view.node, connection: view.stream)
            return view.node == client || graph.peer(of: end)?.node == client
        }
        guard let newest, let found = undelivered.first(where: { $0.number == newest.number }) else { return nil }
        return try undeliveredFrame(found.number, isLost: found.isLost, isDecisive: false)
    }

    private func undeliveredFrame(_ number: UInt64, isLost: Bool, isDecisive: Bool) throws -> WhyNotAnswer.Frame {
        let event = try session.event(number)
        let type = if case .effect(.send(_, let frame)) = event.content { frame.body.name } else { "" }
        // A fault that is later than the position is not an answer, because it has not happened yet.
        let fault = try session.causalGraph().faults.fault(of: number).flatMap { $0 <= session.position ? $0 : nil }
        return .init(
            number: number, node: event.node, type: type, isLost: isLost, isDecisive: isDecisive, fault: fault)
    }

    // MARK: Kicks

    private var server: (node: NodeIndex, machine: ServerMachine)? {
        session.nodes.lazy.compactMap { node in state[node]?.server.map { (node, $0) } }.first
    }

    /// True if the condition would hold if a client were kicked.
    private func holds(forKick reason: KickReason, of client: NodeIndex) throws -> Bool {
        let from = state[client]?.client?.state ?? .loggedOut
        let change = StateChange(from: from, to: .kicked, reason: StateReason(reason))
        let event = SessionEvent(
            number: session.count + 1, time: try session.time(), node: session.reader.name(of: client),
            content: .effect(.transition(change)))
        return try condition.holds(forHypothetical: event, inState: from, in: session)
    }

    private func pendingKicks() throws -> [WhyNotAnswer.PendingKick] {
        guard let server else { return [] }
        return try clients.flatMap { client in
            try (devices[client].map { server.machine.views(ofDevice: $0.id) } ?? []).compactMap { view in
                guard let notice = view.pendingKick, try holds(forKick: notice.reason, of: client) else { return nil }
                let decided = try decision(of: notice, view, server.node)
                return WhyNotAnswer.PendingKick(
                    user: view.user, device: view.device.id, reason: notice.reason, decided: decided,
                    sent: try sending(of: notice, from: decided, server.node))
            }
        }
    }

    /// The input at which a kick became pending. A binary search can find it, because the kick remains pending up to
    /// the position.
    private func decision(
        of notice: KickNotice, _ view: ServerMachine.DeviceView, _ server: NodeIndex
    ) throws -> UInt64 {
        try session.first(from: 1, through: session.position) { state in
            state[server]?.server?.view(of: view.user, device: view.device.id)?.pendingKick == notice
        }
    }

    private func sending(of notice: KickNotice, from decided: UInt64, _ server: NodeIndex) throws -> UInt64? {
        try session.timeline.first(after: decided, upTo: session.position) { view in
            guard view.node == server, view.role == .effect, view.channel == .transport,
                case .effect(.send(_, let frame)) = session.decoded(view).content
            else { return false }
            return frame.body == .kicked(notice)
        }?.number
    }

    /// The newest login of another device of the same user that did not end a client's login. Nil if the condition
    /// would not hold after a kick by that login.
    private func toleratedLogin() throws -> UInt64? {
        guard let server else { return nil }
        for client in clients {
            guard let device = devices[client], let user = state[client]?.client?.user,
                server.machine.view(of: user, device: device.id)?.epoch != nil,
                try holds(forKick: .otherLogin, of: client)
            else { continue }
            let others = server.machine.deviceViews.filter { view in
                view.user == user && view.device.id != device.id && view.epoch != nil
            }.map(\.device.id)
            let login = try session.timeline.last(before: session.position + 1) { view in
                guard view.node == server.node, view.role == .input, view.channel == .transport,
                    case .input(.frame(_, let frame)) = session.decoded(view).content,
                    case .login(let request) = frame.body
                else { return false }
                return request.user == user && others.contains(request.device.id)
            }
            if let login { return login.number }
        }
        return nil
    }

    // MARK: Timers

    /// The first timer after which the condition holds if no frame arrives before, and the state change that it causes.
    private func timer() throws -> (WhyNotAnswer.Timer?, HypotheticalRun.ClientChange?) {
        var found: (timer: WhyNotAnswer.Timer, change: HypotheticalRun.ClientChange?)?
        let onlyNode = node
        for node in clients + (server.map { [$0.node] } ?? []) {
            var run = try HypotheticalRun(session, condition, of: onlyNode, state)
            guard let (name, due) = try run.timer(of: node), found.map({ due < $0.timer.due }) ?? true else { continue }
            found = (.init(node: session.reader.name(of: node), name: name, due: due), run.change)
        }
        return (found?.timer, found?.change)
    }

    /// A text about the activity of a client that is not in a state that the condition requires:
    /// `phone has been reconnecting since #54`.
    private func waiting(_ answer: WhyNotAnswer) throws -> String? {
        guard requiresConnection, let nearest = answer.nearest,
            case .effect(.transition(let change)) = try session.event(nearest.number).content,
            let client = answer.clients.first(where: { $0.state == change.to.name }),
            try session.event(nearest.number).node == client.name
        else { return nil }
        let timer = client.timers.first.map { "; its next timer is \($0.text)" } ?? ""
        return "\(client.name) has been \(client.state) since #\(nearest.number)\(timer)"
    }

    /// True if the condition requires a state in which a client has a connection or tries to connect.
    private var requiresConnection: Bool {
        let connected: [ClientState] = [.connecting, .syncing, .online, .reconnecting]
        return condition.requiredStates.contains(where: connected.contains)
    }

    // MARK: The rule

    /// The rule that decided the event or the state in the answer. The text of the condition has no influence on the
    /// rule.
    private func rule(
        of answer: WhyNotAnswer, timerChange: HypotheticalRun.ClientChange?
    ) throws -> DecidingRule? {
        if let frame = answer.frames.first, frame.isDecisive {
            guard case .effect(.send(_, let sent)) = try session.event(frame.number).content,
                case .kicked = sent.body
            else { return nil }
            return DecidingRule("C-7")
        }
        if !answer.pendingKicks.isEmpty { return DecidingRule("C-7") }
        if let timer = answer.timer { return timerChange.flatMap { rule(of: $0, timer: timer.name) } }
        if answer.toleratedLogin != nil {
            return rules.rule(of: .otherLogin, by: .manual, server?.machine.policy)
        }
        guard requiresConnection || !condition.requiresState else { return nil }
        let finder = CauseFinder(session)
        if let end = answer.matchEnd, try isTransition(end) { return try finder.explanation(of: end).verdict.rule }
        guard let nearest = answer.nearest, try isFailure(nearest.number) else { return nil }
        return try finder.explanation(of: nearest.number).verdict.rule
    }

    private func isTransition(_ number: UInt64) throws -> Bool {
        if case .effect(.transition) = try session.event(number).content { true } else { false }
    }

    /// True if an event reports a failure. A transition counts only if the client is still in the state to which it
    /// led.
    private func isFailure(_ number: UInt64) throws -> Bool {
        let event = try session.event(number)
        switch event.content {
        case .effect(.transition(let change)):
            let client = session.reader.node(named: event.node).flatMap { state[$0]?.client }
            guard client?.state == change.to else { return false }
            switch change.to {
            case .online, .syncing, .connecting: return false
            case .loggedOut, .reconnecting, .offline, .kicked, .tokenExpired: return true
            }
        case .effect(.complete(_, let completion)): return !completion.status.isGranted
        case .input(.frame(_, let frame)), .effect(.send(_, let frame)):
            if case .loginAck(let reply) = frame.body { return reply.status != .ok }
            return false
        default: return false
        }
    }

    private func rule(of change: HypotheticalRun.ClientChange, timer: NodeTimer) -> DecidingRule? {
        var rule = rules.rule(of: change.change, timer: timer)
        let policy = change.policy
        switch rule?.ids.first {
        case "C-12":
            rule?.values += [
                "heartbeat-interval=\(policy.heartbeatInterval.text)",
                "heartbeat-answer-limit=\(policy.heartbeatAnswerLimit.text)",
            ]
        case "RTM-3": rule?.values.append("interruption-grace=\(policy.interruptionGrace.text)")
        default: break
        }
        return rule
    }
}
