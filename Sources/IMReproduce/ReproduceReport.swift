import IMDebugger
import IMProtocol
import IMText

/// The result of a search, for display and as JSON.
package struct ReproduceReport: Sendable {
    private let outcome: Reproducer.Outcome
    private let app: ObservedApp

    package init(_ outcome: Reproducer.Outcome, _ app: ObservedApp) {
        self.outcome = outcome
        self.app = app
    }

    /// True if the log has an explanation.
    package var hasExplanation: Bool { !outcome.explanations.isEmpty }

    /// The script of each explanation; without one, the script of the best candidate.
    package var scripts: [String] {
        outcome.explanations.isEmpty
            ? [outcome.nearestMiss?.script].compactMap { $0 } : outcome.explanations.map(\.script)
    }

    /// A cause of an ending, with its explanations.
    private struct Cause {
        var cause: EndingCause
        var explanation: Int
    }

    private func causes(of ending: Int) -> [Cause] {
        var found: [Cause] = []
        for (index, explanation) in outcome.explanations.enumerated() where ending < explanation.endingTexts.count {
            let cause = explanation.endingTexts[ending].cause
            if !found.contains(where: { $0.cause.kind == cause.kind }) {
                found.append(Cause(cause: cause, explanation: index + 1))
            }
        }
        return found
    }

    private func rule(of ending: Int) -> DecidingRule? {
        ending < outcome.rules.count ? outcome.rules[ending] : nil
    }

    package var lines: [String] {
        guard let first = outcome.explanations.first else { return missLines }
        var lines = [
            "reproduced: \(first.check.observed) lines; the simulation has \(first.check.extra) more; "
                + "\(outcome.runs) runs, \(outcome.alternativeRuns) for other causes"
        ]
        if !app.hasTimes { lines.append(Self.withoutTimes) }
        lines += misfitLines
        for kind in first.unlogged {
            lines.append("not in the log: \(kind.kind), \(kind.count) times in the simulation")
        }
        if let numbers = first.candidate.numbers { lines.append("with \(numbers.text(app.profile))") }
        if app.latency > 150 {
            lines.append("one-way delay \(app.latency) ms; times differ by up to \(app.tolerance) ms")
        }
        lines.append("")
        lines.append("Events that the log does not show:")
        if first.events.isEmpty { lines.append("  nothing") }
        for event in first.events {
            let missing = event.isMissingCall ? "; the log lacks this call" : ""
            let time = app.hasTimes ? seconds(event.time) + "  " : ""
            lines.append("  \(time)\(event.text)  (for line \(event.line)\(missing))")
            if let note = event.note { lines.append("    or \(note)") }
        }
        for (index, ending) in first.endingTexts.enumerated() {
            lines.append("")
            lines.append("\(Self.place(ending.line, ending.stamp)): \(ending.text)")
            let causes = causes(of: index)
            for (rank, cause) in causes.enumerated() {
                lines.append("  \(rank + 1). \(cause.cause.text)  (explanation \(cause.explanation))")
            }
            if let rule = rule(of: index) { lines.append("  rule: \(rule.text)") }
            if let cause = causes.first {
                let other = causes.count > 1 ? causes[1].cause : nil
                lines.append("  ask: \(Question.text(cause.cause, other, at: ending.stamp))")
            }
        }
        return lines
    }

    /// Callbacks of the log that no candidate can produce.
    private var misfitLines: [String] {
        app.misfits.map { misfit in
            let reason =
                switch misfit.reason {
                case .unknown: "the simulation has no such callback"
                case .copy: "it comes twice each time"
                }
            return "not explained, because \(reason): \(misfit.kind), lines \(list(misfit.lines))"
        }
    }

    private var missLines: [String] {
        guard let miss = outcome.nearestMiss else { return ["no explanation of the log was found"] }
        var lines = [
            "no explanation of the log was found; \(outcome.runs) runs"
                + (outcome.isCancelled ? ", stopped by the time limit" : ""),
            "explained: \(miss.explained) of \(miss.lineCount) lines",
            "the first line without an explanation is \(Self.place(miss.line, miss.stamp)): \(miss.text)",
        ]
        if let lacking = miss.lacking {
            lines.append("before it the simulation has a line that the log lacks: \(lacking)")
        }
        if let offBy = miss.offBy {
            lines.append("the simulation has it \(abs(offBy)) ms \(offBy > 0 ? "later" : "earlier")")
        }
        if let instead = miss.instead { lines.append("the simulation has there: \(instead)") }
        if !app.hasTimes {
            lines.append(Self.withoutTimes + "; log with times, as 'adb logcat -v threadtime' does")
        }
        return lines + misfitLines
    }

    private static let withoutTimes = "the log has no times: only the order of its lines is compared"

    private static func place(_ line: Int, _ stamp: String) -> String {
        stamp.isEmpty ? "line \(line)" : "line \(line), \(stamp)"
    }

    /// The rows of `--json`.
    package var rows: [[(name: String, value: String)]] {
        var rows: [[(name: String, value: String)]] = []
        guard let first = outcome.explanations.first else {
            var row: [(name: String, value: String)] = [
                ("kind", "no-explanation"), ("runs", String(outcome.runs)),
                ("times", app.hasTimes ? "known" : "unknown"),
            ]
            if let miss = outcome.nearestMiss {
                row += [
                    ("line", String(miss.line)), ("text", miss.text), ("explained", String(miss.explained)),
                    ("lines", String(miss.lineCount)), ("lacking", miss.lacking ?? ""),
                ]
            }
            return [row] + misfitRows
        }
        rows.append([
            ("kind", "reproduced"), ("lines", String(first.check.observed)), ("extra", String(first.check.extra)),
            ("runs", String(outcome.runs)), ("alternative-runs", String(outcome.alternativeRuns)),
            ("explanations", String(outcome.explanations.count)),
            ("times", app.hasTimes ? "known" : "unknown"),
        ])
        if let numbers = first.candidate.numbers {
            rows.append([("kind", "numbers"), ("text", numbers.text(app.profile))])
        }
        rows += misfitRows
        for kind in first.unlogged {
            rows.append([("kind", "not-logged"), ("text", kind.kind), ("count", String(kind.count))])
        }
        for event in first.events {
            rows.append([
                ("kind", "hidden"), ("time-ms", app.hasTimes ? String(event.time) : ""), ("line", String(event.line)),
                ("text", event.text),
                ("missing-call", String(event.isMissingCall)), ("note", event.note ?? ""),
            ])
        }
        for (index, ending) in first.endingTexts.enumerated() {
            let causes = causes(of: index)
            guard let cause = causes.first else { continue }
            rows.append([
                ("kind", "ending"), ("line", String(ending.line)), ("text", ending.text),
                ("causes", causes.map(\.cause.name).joined(separator: " ")),
                ("rule", rule(of: index)?.ids.joined(separator: " ") ?? ""),
                (
                    "question",
                    Question.text(cause.cause, causes.count > 1 ? causes[1].cause : nil, at: ending.stamp)
                ),
            ])
        }
        return rows
    }

    /// The rows of the log in the table of a corpus.
    package func rows(of log: String) -> [CorpusTable.Row] {
        guard let first = outcome.explanations.first else {
            let miss = outcome.nearestMiss
            return [CorpusTable.Row(log: log, outcome: .noExplanation, line: miss?.line ?? 0, text: miss?.text ?? "")]
        }
        let endings = first.endingTexts.enumerated().compactMap { index, ending -> CorpusTable.Row? in
            let causes = causes(of: index).map(\.cause.name)
            return causes.isEmpty
                ? nil
                : CorpusTable.Row(
                    log: log, outcome: .ending, line: ending.line, text: ending.text, causes: causes,
                    rule: rule(of: index)?.ids.joined(separator: " ") ?? "")
        }
        return endings.isEmpty ? [CorpusTable.Row(log: log, outcome: .noEnding)] : endings
    }

    private var misfitRows: [[(name: String, value: String)]] {
        app.misfits.map { misfit in
            [
                ("kind", misfit.reason == .unknown ? "unknown-callback" : "copied-callback"), ("text", misfit.kind),
                ("lines", misfit.lines.map(String.init).joined(separator: " ")),
            ]
        }
    }

    private func list(_ numbers: [Int]) -> String {
        numbers.prefix(10).map(String.init).joined(separator: ", ") + (numbers.count > 10 ? ", …" : "")
    }

    /// `+12.345s`, or `-0.500s` before the log begins.
    private func seconds(_ time: Milliseconds) -> String {
        let fraction = String(abs(time) % 1000)
        let zeros = String(repeating: "0", count: 3 - fraction.count)
        return "\(time < 0 ? "-" : "+")\(abs(time) / 1000).\(zeros)\(fraction)s"
    }
}
