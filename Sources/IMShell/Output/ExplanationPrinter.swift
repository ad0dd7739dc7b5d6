import IMDebugger
import IMSession
import IMText

/// Prints the answers of `why` and `why-not`. The shell and the replay both use this type, so that their texts are
/// equal.
package struct ExplanationPrinter {
    private let debug: DebugSession
    private let output: any ShellOutput
    private let note: (String) -> Void

    /// - Parameter note: receives each printed line, so that `expect output` can match it.
    package init(_ debug: DebugSession, output: any ShellOutput, note: @escaping (String) -> Void = { _ in }) {
        self.debug = debug
        self.output = output
        self.note = note
    }

    private func print(_ parts: [StyledText]) {
        output.line(parts)
        note(parts.map(\.text).joined())
    }

    private func print(_ text: String) { print([.init(text)]) }

    /// The number, time, node and text of an event, in the same colours as in `show`.
    package func line(of event: SessionEvent) throws -> [StyledText] {
        EventText.line(
            event, try debug.text(of: event), columns: output.columns, clock: output.clock,
            undelivered: try debug.undelivered(event))
    }

    /// Prints the chain of an event's causes, the external cause and the rule that decided.
    package func explain(_ start: UInt64) throws {
        let finder = CauseFinder(debug)
        let explanation = try finder.explanation(of: start)
        if output.form == .json { return try output.object(explanation.object(of: start, in: debug)) }
        try printChain(explanation.chain)
        if let decision = explanation.decision {
            print("it was delivered late; the kick was decided earlier:")
            try printChain(decision)
        }
        if let begin = try explanation.beginOfLostLogin(in: debug) {
            print([.init("it ended the login of ")] + (try line(of: debug.event(begin))))
        }
        let verdict = explanation.verdict
        let outer = explanation.decision ?? explanation.chain
        if let cause = verdict.cause {
            let event = try debug.event(cause)
            let times = output.clock.texts(of: event.time).joined(separator: " ")
            let what = "#\(cause) \(times) \(event.node) \(try debug.text(of: event))"
            print([.init("cause: ", .bold), .init("\(what) (\(verdict.what))")])
        } else {
            print([.init("cause: ", .bold), .init("before the beginning of this recording")])
        }
        for number in outer.also where number != verdict.cause {
            print([.init("also:  ", .bold)] + (try line(of: debug.event(number))))
        }
        print([.init("rule:  ", .bold), .init(verdict.rule?.text ?? "not known")])
    }

    /// Prints the reason why no event up to the current position met a condition.
    ///
    /// - Parameter name: the client to which the condition applies; nil for all clients.
    package func explainWhyNot(_ condition: ReplayCondition, node name: String?) throws {
        let answer = try debug.whyNot(condition, node: name)
        if output.form == .json { return try output.object(answer.object(in: debug)) }
        if let happened = answer.newestMatch {
            print([.init("it did happen: ")] + (try line(of: debug.event(happened))))
            guard let ended = answer.matchEnd else { return print("'why \(happened)' explains it") }
            print([.init("and ended: ")] + (try line(of: debug.event(ended))))
        }
        let node = answer.node.map { " of \($0)" } ?? ""
        let since = answer.matchEnd.map { "after #\($0) " } ?? ""
        print("no event\(node) \(since)up to #\(debug.position) matches '\(condition.text)'")
        if let nearest = answer.nearest {
            print([.init("nearest: ")] + (try line(of: debug.event(nearest.number))))
            print("  " + nearest.shortfalls.joined(separator: "; "))
        }
        try printUndelivered(answer)
        if let login = answer.toleratedLogin {
            print([.init("this login ended no other one: ")] + (try line(of: debug.event(login))))
        }
        for client in answer.clients {
            let timers = client.timers.map(\.text).joined(separator: "; ")
            print("\(client.name) is \(client.state)" + (timers.isEmpty ? ", and no timer runs" : "; \(timers)"))
            for fault in client.faults {
                print([.init("  it cannot reach the server since: ")] + (try line(of: debug.event(fault))))
            }
        }
        print("rule: \(answer.rule?.text ?? "not known")")
        if let later = answer.nextMatch { print([.init("it comes later: ")] + (try line(of: debug.event(later)))) }
        print("blocked: \(answer.blocker)")
    }

    private func printUndelivered(_ answer: WhyNotAnswer) throws {
        for frame in answer.frames {
            let event = try debug.event(frame.number)
            let words = EventText.line(
                event, try debug.text(of: event), columns: output.columns, clock: output.clock)
            print([.init(frame.isLost ? "lost: " : "in flight: ")] + words)
            if let fault = frame.fault { print([.init("  because of: ")] + (try line(of: debug.event(fault)))) }
        }
        for kick in answer.pendingKicks {
            let decided = kick.decided.map { " at #\($0)" } ?? ""
            let sent = kick.sent.map { ", sent at #\($0)" } ?? ", not sent: the device was not connected"
            print(
                "kick of \(kick.user) on \(kick.device) (\(kick.reason.name)): decided\(decided)\(sent), "
                    + "not delivered yet")
        }
    }

    private func printChain(_ chain: (steps: [CauseFinder.Step], end: String, also: [UInt64])) throws {
        let width = String(chain.steps.count).count
        for (index, step) in chain.steps.enumerated() {
            let number = String(index + 1)
            let head = String(repeating: " ", count: width - number.count) + number
            let how = step.how.isEmpty ? "" : "  (\(step.how))"
            let more = step.repeats == 0 ? "" : "  … and \(step.repeats) earlier ones like it"
            print([.init("\(head)  ")] + (try line(of: debug.event(step.number))) + [.init(how + more)])
        }
        print("\(String(repeating: " ", count: width))  \(chain.end)")
    }
}
