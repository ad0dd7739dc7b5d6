import IMDebugger
import IMSession
import LineEditing
import Recorder

/// Questions about causes.
extension ReplayCommands {
    static let asking: [ReplayCommand] = [
        ReplayCommand(
            name: "why", group: .looking, usage: "[N]",
            summary: "What led to the event at the position, back to a cause outside the client.",
            notes: """
                Of the event at the position, or of event N; where the recorder wrote something, of the last \
                transition. Nearest first: an effect is the answer to an input, a \
                frame was sent by somebody, a timer was set by an event, a link was asked for.
                Of a kick it also says whose login took the place, and whose the place was. The last lines name the \
                cause from outside, and the rule and the policy's values that decided.
                In a recording without the server's side it says where what is known ends.
                """,
            examples: ["why", "why 79"], arguments: [.place],
            check: { line in if let text = try line.optional() { _ = try ReplayPosition(text) } },
            run: { session, line in
                let given = try line.optional().map { try ReplayPosition($0).resolve(in: session.debug) }
                let start = try given ?? session.debug.eventToExplain()
                try session.explain(start)
            }),
        ReplayCommand(
            name: "why-not", group: .looking, usage: "EXPR",
            summary: "What kept something from happening up to the position.",
            notes: """
                EXPR is a condition, as 'help filter' describes it. It shows the event that came nearest and what it \
                lacked, the timers that are not due yet, the states, and the policy's values that have to do with it.
                """,
            examples: ["why-not kick", "why-not kind == transition and to == online"], arguments: [.filter],
            check: { line in
                guard !line.text.isEmpty else { throw CommandFailure("what did not happen? 'why-not kick'") }
                _ = try ReplayCondition(line.text)
            },
            run: { session, line in
                try session.explainAbsence(of: try ReplayCondition(line.text), node: nil)
            }),
    ]
}

extension ReplaySession {
    /// Prints the chain of causes of an event, and where it comes from in the end.
    func explain(_ start: UInt64) throws {
        let finder = CauseFinder(debug)
        let explanation = try finder.explanation(of: start)
        try printChain(explanation.chain)
        if let decision = explanation.decision {
            output.line("it was told late; the kick had been decided before:")
            try printChain(decision)
        }
        if let lost = explanation.kick?.lost {
            let begin = try finder.chain(from: lost).steps.last?.number ?? lost
            output.line([.init("it ended the login of ")] + (try line(of: event(begin))))
        }
        let verdict = explanation.verdict
        if let cause = verdict.cause {
            let event = try event(cause)
            let what = "#\(cause) +\(event.time.secondsText) \(event.node) \(try text(of: event))"
            output.line([.init("cause: ", .bold), .init("\(what) (\(verdict.what))")])
        } else {
            output.line([.init("cause: ", .bold), .init("before what this recording holds")])
        }
        if let rule = verdict.rule { output.line([.init("rule:  ", .bold), .init(rule.text)]) }
        output.object(explanation.object(of: start))
    }

    /// Says what was missing for a condition up to the position.
    ///
    /// - Parameter name: the node that is asked about; nil for all.
    func explainAbsence(of condition: ReplayCondition, node name: String?) throws {
        let absence = try debug.absence(of: condition, node: name)
        if let happened = absence.happened {
            output.line([.init("it did happen: ")] + (try line(of: event(happened))))
            output.line("'why \(happened)' says why")
            return
        }
        output.line("'\(condition.text)' holds for no event up to #\(position)")
        if let nearest = absence.nearest {
            output.line([.init("nearest: ")] + (try line(of: event(nearest.number))))
            output.line("  " + nearest.reasons.joined(separator: "; "))
        }
        for (name, state, timers) in absence.clients {
            output.line(
                "\(name) is \(state)" + (timers.isEmpty ? ", and no timer runs" : "; \(timers.joined(separator: "; "))")
            )
        }
        if let rule = absence.rule { output.line("rule: \(rule.text)") }
        if let later = absence.later { output.line([.init("it comes later: ")] + (try line(of: event(later)))) }
        output.line("last in its way: \(absence.blocker)")
    }

    private func printChain(_ chain: (steps: [CauseFinder.Step], end: String)) throws {
        let width = String(chain.steps.count).count
        for (index, step) in chain.steps.enumerated() {
            let number = String(index + 1)
            let head = String(repeating: " ", count: width - number.count) + number
            let how = step.how.isEmpty ? "" : "  (\(step.how))"
            let more = step.repeats == 0 ? "" : "  … and \(step.repeats) more like it before"
            output.line([.init("\(head)  ")] + (try line(of: event(step.number))) + [.init(how + more)])
        }
        output.line("\(String(repeating: " ", count: width))  \(chain.end)")
    }
}
