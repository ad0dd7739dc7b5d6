import IMClient
import IMScript
import IMSession
import Recorder

/// `why-not`: what kept something from happening up to a position.
package struct Absence: Sendable {
    /// The last event for which it holds after all; then nothing else is looked for.
    package var happened: UInt64?
    /// The event that came nearest, and what it lacked.
    package var nearest: (number: UInt64, reasons: [String])?
    /// What the clients that it could happen to are like.
    package var clients: [(name: String, state: String, timers: [String])] = []
    /// The rule and the policy's values that have to do with it.
    package var rule: DecidingRule?
    /// The first event behind the position for which it holds.
    package var later: UInt64?

    /// What stood in its way last, in words.
    package var blocker: String {
        if let later { return "it was not time yet: it comes at #\(later)" }
        if let nearest, nearest.reasons.count == 1 { return "#\(nearest.number), where \(nearest.reasons[0])" }
        guard let first = clients.first else { return "no client runs that it could happen to" }
        return first.timers.first.map { "\(first.name)'s timer \($0) is not due yet" }
            ?? "\(first.name) is \(first.state)"
    }
}

extension DebugSession {
    /// What was missing for a condition up to the position.
    ///
    /// - Parameter name: the node that is asked about; nil for all.
    package func absence(of condition: ReplayCondition, node name: String?) throws -> Absence {
        let node = name.flatMap { reader.node(named: $0) }
        func holds(_ view: EventView, _ session: DebugSession) throws -> Bool {
            guard node == nil || view.node == node else { return false }
            return try condition.holds(for: view, in: session)
        }
        var absence = Absence()
        absence.happened = try search(isForward: false, from: position + 1, where: holds)
        guard absence.happened == nil else { return absence }
        absence.nearest = try nearest(condition, node)
        let now = try time()
        absence.clients = try clients(name).map { name, machine in
            (name, machine.client?.state.name ?? "-", StateSummary(machine, name: name, at: now).timers)
        }
        absence.rule = try rule(for: condition)
        absence.later = try search(isForward: true, where: holds)
        return absence
    }

    private func clients(_ name: String?) throws -> [(String, NodeMachine)] {
        let state = try state()
        return state.running.compactMap { node in
            guard let machine = state[node], machine.client != nil else { return nil }
            let own = reader.name(of: node)
            return name == nil || name == own ? (own, machine) : nil
        }
    }

    /// The event that came nearest, and what it lacked.
    private func nearest(
        _ condition: ReplayCondition, _ node: NodeIndex?
    ) throws -> (number: UInt64, reasons: [String])? {
        var best: (number: UInt64, likeness: Int, reasons: [String])?
        var failure: (any Error)?
        try timeline.scan(after: 0, upTo: position) { view in
            guard view.role == .input || view.role == .effect, node == nil || view.node == node else { return true }
            do {
                let (likeness, reasons) = try condition.stand(of: view, in: self)
                // The newest of those that lack the least.
                if likeness > 0, likeness >= best?.likeness ?? 1 { best = (view.number, likeness, reasons) }
            } catch {
                failure = error
                return false
            }
            return true
        }
        if let failure { throw failure }
        return best.map { ($0.number, $0.reasons) }
    }

    /// The rule and the values that have to do with what is asked about.
    private func rule(for condition: ReplayCondition) throws -> DecidingRule? {
        let state = try timeline.state(at: position)
        let server = nodes.lazy.compactMap { state[$0]?.server }.first
        let rules = RuleFinder(profile: dialect.profile)
        let text = condition.sourceAndWords
        var rule: DecidingRule?
        if text.contains("kick") || text.contains("Kick") {
            rule = rules.rule(of: .otherLogin, by: .manual, server?.policy)
        } else if text.contains("token") || text.contains("Token") {
            rule = rules.rule(of: StateChange(from: .online, to: .tokenExpired, reason: .tokenExpired), timer: nil)
            rule?.values = ["token-expiry-ends-login=\(dialect.clientPolicy.tokenExpiryEndsLogin)"]
        } else if text.contains("reconnect") {
            rule = DecidingRule(
                "C-12",
                values: [
                    "heartbeat-interval=\(dialect.clientPolicy.heartbeatInterval.text)",
                    "heartbeat-answer-limit=\(dialect.clientPolicy.heartbeatAnswerLimit.text)",
                ])
        } else if text.contains("connecting") || text.contains("online") {
            let delays = dialect.clientPolicy.retryDelays.map(\.text).joined(separator: ",")
            rule = DecidingRule("C-9", values: ["retry-delays=\(delays)"])
        }
        return rule
    }
}
