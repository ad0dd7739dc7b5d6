import IMClient
import IMServer
import IMSession
import LineEditing
import Recorder
import SansIO

// `why-not`: what kept something from happening.

extension ReplaySession {
    /// Says what was missing for a condition up to the position.
    ///
    /// - Parameter name: the node that is asked about; nil for all.
    func explainAbsence(of condition: ReplayCondition, node name: String?) throws {
        let node = name.flatMap { reader.node(named: $0) }
        func holds(_ view: EventView, _ session: ReplaySession) throws -> Bool {
            guard node == nil || view.node == node else { return false }
            return try condition.holds(for: view, in: session)
        }
        if let found = try search(isForward: false, from: position + 1, where: holds) {
            output.line([.init("it did happen: ")] + (try line(of: event(found))))
            output.line("'why \(found)' says why")
            return
        }
        output.line("'\(condition.text)' holds for no event up to #\(position)")
        var blocker = try sayNearest(condition, name)
        for (node, machine) in try clients(name) {
            let timers = StateSummary(machine, name: node, at: try time()).timers
            let state = machine.client?.state.name ?? "-"
            output.line(
                "\(node) is \(state)" + (timers.isEmpty ? ", and no timer runs" : "; \(timers.joined(separator: "; "))")
            )
            if blocker == nil {
                blocker = timers.first.map { "\(node)'s timer \($0) is not due yet" } ?? "\(node) is \(state)"
            }
        }
        if let policy = try policyText(for: condition) { output.line(policy) }
        if let later = try search(isForward: true, where: holds) {
            output.line([.init("it comes later: ")] + (try line(of: event(later))))
            blocker = "it was not time yet: it comes at #\(later)"
        }
        output.line("last in its way: \(blocker ?? "no client runs that it could happen to")")
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
    private func sayNearest(_ condition: ReplayCondition, _ name: String?) throws -> String? {
        let node = name.flatMap { reader.node(named: $0) }
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
        guard let best else { return nil }
        output.line([.init("nearest: ")] + (try line(of: event(best.number))))
        output.line("  " + best.reasons.joined(separator: "; "))
        return best.reasons.count == 1 ? "#\(best.number), where \(best.reasons[0])" : nil
    }

    /// The rule and the values that have to do with what is asked about.
    private func policyText(for condition: ReplayCondition) throws -> String? {
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
        return rule.map { "rule: \($0.text)" }
    }
}
