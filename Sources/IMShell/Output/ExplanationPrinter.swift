import IMDebugger
import IMSession
import TextDisplay

/// Prints what a debug session explains: the same words at the prompt of a shell and at that of a replay.
package struct ExplanationPrinter {
    private let debug: DebugSession
    private let output: any ShellOutput

    package init(_ debug: DebugSession, output: any ShellOutput) {
        self.debug = debug
        self.output = output
    }

    /// Number, time, node and words of an event, in the colours of `show`.
    package func line(of event: SessionEvent) throws -> [StyledText] {
        EventText.line(event, try debug.text(of: event), columns: output.columns)
    }

    /// Prints the chain of causes of an event, and where it comes from in the end.
    package func explain(_ start: UInt64) throws {
        let finder = CauseFinder(debug)
        let explanation = try finder.explanation(of: start)
        try printChain(explanation.chain)
        if let decision = explanation.decision {
            output.line("it was told late; the kick had been decided before:")
            try printChain(decision)
        }
        if let lost = explanation.kick?.lost {
            let begin = try finder.chain(from: lost).steps.last?.number ?? lost
            output.line([.init("it ended the login of ")] + (try line(of: debug.event(begin))))
        }
        let verdict = explanation.verdict
        let outer = explanation.decision ?? explanation.chain
        if let cause = verdict.cause {
            let event = try debug.event(cause)
            let what = "#\(cause) +\(event.time.secondsText) \(event.node) \(try debug.text(of: event))"
            output.line([.init("cause: ", .bold), .init("\(what) (\(verdict.what))")])
        } else {
            output.line([.init("cause: ", .bold), .init("before what this recording holds")])
        }
        for number in outer.also where number != verdict.cause {
            output.line([.init("also:  ", .bold)] + (try line(of: debug.event(number))))
        }
        output.line([.init("rule:  ", .bold), .init(verdict.rule?.text ?? "not known")])
        output.object(explanation.object(of: start))
    }

    /// Says what was missing for a condition up to the position.
    ///
    /// - Parameter name: the node that is asked about; nil for all.
    package func explainAbsence(of condition: ReplayCondition, node name: String?) throws {
        let absence = try debug.absence(of: condition, node: name)
        if let happened = absence.happened {
            output.line([.init("it did happen: ")] + (try line(of: debug.event(happened))))
            output.line("'why \(happened)' says why")
            return
        }
        output.line("'\(condition.text)' holds for no event up to #\(debug.position)")
        if let nearest = absence.nearest {
            output.line([.init("nearest: ")] + (try line(of: debug.event(nearest.number))))
            output.line("  " + nearest.reasons.joined(separator: "; "))
        }
        for (name, state, timers) in absence.clients {
            output.line(
                "\(name) is \(state)" + (timers.isEmpty ? ", and no timer runs" : "; \(timers.joined(separator: "; "))")
            )
        }
        if let rule = absence.rule { output.line("rule: \(rule.text)") }
        if let later = absence.later { output.line([.init("it comes later: ")] + (try line(of: debug.event(later)))) }
        output.line("last in its way: \(absence.blocker)")
    }

    private func printChain(_ chain: (steps: [CauseFinder.Step], end: String, also: [UInt64])) throws {
        let width = String(chain.steps.count).count
        for (index, step) in chain.steps.enumerated() {
            let number = String(index + 1)
            let head = String(repeating: " ", count: width - number.count) + number
            let how = step.how.isEmpty ? "" : "  (\(step.how))"
            let more = step.repeats == 0 ? "" : "  … and \(step.repeats) more like it before"
            output.line([.init("\(head)  ")] + (try line(of: debug.event(step.number))) + [.init(how + more)])
        }
        output.line("\(String(repeating: " ", count: width))  \(chain.end)")
    }
}
