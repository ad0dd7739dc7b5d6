import IMDebugger
import IMProtocol
import IMText

/// The report of a search, for display and as rows of JSON.
package struct ReproduceReport: Sendable {
    /// How many lines of a log a format describes.
    package struct Coverage: Sendable {
        package var understood: Int
        package var lineCount: Int

        package init(understood: Int, of lineCount: Int) {
            self.understood = understood
            self.lineCount = lineCount
        }

        var isWhole: Bool { understood == lineCount }
    }

    private let outcome: Reproducer.Outcome
    private let app: ObservedApp
    private let coverage: Coverage
    private let log: String

    /// - Parameter log: the path of the log, which the advice to the user contains.
    package init(_ outcome: Reproducer.Outcome, _ app: ObservedApp, coverage: Coverage, log: String) {
        self.outcome = outcome
        self.app = app
        self.coverage = coverage
        self.log = log
    }

    /// True if the log has an explanation. If only a part of the log is understood, the explanation must contain an
    /// ending of a login.
    package var hasExplanation: Bool { !outcome.explanations.isEmpty && !isWithoutEnding }

    /// True if the understood lines contain no ending of a login, while there are other lines that may contain one.
    private var isWithoutEnding: Bool {
        guard let first = outcome.explanations.first else { return false }
        return first.endingTexts.isEmpty && !coverage.isWhole
    }

    /// The script of each explanation. If there is no explanation, the script of the best candidate.
    package var scripts: [String] {
        outcome.explanations.isEmpty
            ? [outcome.nearestMiss?.script].compactMap { $0 } : outcome.explanations.map(\.script)
    }

    /// The difference between the times in the script and the times in the report; nil if they are the same.
    package var scriptDelay: String? {
        guard let first = outcome.explanations.first, first.scriptOrigin > 0, app.hasTimes else { return nil }
        return first.scriptOrigin.signedSeconds
    }

    /// The number of the line up to which the script of the best candidate explains the log; nil if there is an
    /// explanation.
    package var attemptEnd: Int? { outcome.explanations.isEmpty ? outcome.nearestMiss?.line : nil }

    /// A possible cause of an ending, with the number of the first explanation that contains it.
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
            "reproduced: \(first.check.observed) lines; the simulation has \(first.check.surplusCount) more; "
                + "\(outcome.runs) runs, \(outcome.alternativeRuns) for other causes"
        ]
        if isWithoutEnding { return withoutEndingLines + ignoredLines }
        if !app.hasTimes { lines.append(Self.withoutTimes) }
        lines += ignoredLines
        for kind in first.check.surplus {
            let count =
                kind.isLogged ? "\(kind.count) more" : kind.count == 1 ? "once" : "\(kind.count) times"
            lines.append("not in the log: \(kind.kind), \(count) in the simulation")
        }
        if let numbers = first.candidate.numbers { lines.append("with \(numbers.text(app.profile))") }
        if app.latency > 150 {
            lines.append("one-way delay \(app.latency) ms; times differ by up to \(app.tolerance) ms")
        }
        lines.append("")
        lines.append("Events that the log does not show:")
        if first.events.isEmpty { lines.append("  nothing") }
        for event in first.events {
            var notes = "for line \(event.line)"
            if event.isMissingCall { notes += "; the log lacks this call" }
            if event.isBeforeLog { notes += "; before the log begins" }
            if let earliest = event.earliest { notes += "; at any time from \(earliest.signedSeconds) on" }
            let time = [app.hasTimes ? event.time.signedSeconds : nil, clock(event.time), event.text].compactMap { $0 }
            lines.append("  \(time.joined(separator: "  "))  (\(notes))")
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
                lines.append("  ask: \(question(ending, cause.cause, other))")
            }
        }
        return lines
    }

    private func question(
        _ ending: Explanation.EndingText, _ first: EndingCause, _ second: EndingCause?
    ) -> String {
        Question.text(first, second, at: ending.stamp, since: ending.since, isSudden: ending.isSudden)
    }

    /// The time of day of a hidden event, in the format of the log.
    private func clock(_ time: Milliseconds) -> String? {
        outcome.explanations.first?.candidate.setsClock == true ? nil : app.clock(at: time + app.origin)
    }

    /// Advice for a log of which too little is understood.
    private var withoutEndingLines: [String] {
        [
            "nothing to explain: \(coverage.understood) of \(coverage.lineCount) lines are understood, and none of them is "
                + "the ending of a login (a kick, a lost connection or a failed login)",
            "if the log shows an ending, add a pattern for its line to a format file: 'imrepl import \(log) --suggest "
                + "--profile \(app.profile)' lists the lines without a pattern (see Documentation/Logs.md)",
        ]
    }

    /// Callbacks of the log that no candidate can produce.
    private var ignoredLines: [String] {
        app.ignoredCallbacks.map { ignored in
            let reason =
                switch ignored.reason {
                case .unknown: "the simulation has no such callback"
                case .copy: "it comes twice each time"
                }
            return "not explained, because \(reason): \(ignored.callbackKind), lines \(list(ignored.lines))"
        }
    }

    private var missLines: [String] {
        guard let miss = outcome.nearestMiss else { return ["no explanation of the log was found"] }
        var lines = [
            "no explanation of the log was found; \(outcome.runs) runs"
                + (outcome.isCancelled ? ", stopped by the time limit" : ""),
            "explained: \(miss.explainedCount) of \(miss.lineCount) lines",
            "the first line without an explanation is \(Self.place(miss.line, miss.stamp)): \(miss.text)",
        ]
        if let text = miss.missingLine {
            lines.append("before it the simulation has a line that the log lacks: \(text)")
        }
        if let difference = miss.timeDifference {
            lines.append("the simulation has it \(abs(difference)) ms \(difference > 0 ? "later" : "earlier")")
        }
        if let text = miss.simulatedInstead { lines.append("the simulation has there: \(text)") }
        for field in miss.otherFields {
            lines.append("with \(field.name)=\(field.value), or without '\(field.name)', it would fit")
        }
        if !app.hasTimes {
            lines.append(Self.withoutTimes + "; log with times, as 'adb logcat -v threadtime' does")
        }
        return lines + ignoredLines
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
                    ("line", String(miss.line)), ("text", miss.text), ("explained", String(miss.explainedCount)),
                    ("lines", String(miss.lineCount)), ("lacking", miss.missingLine ?? ""),
                    ("would-fit", miss.otherFields.map { "\($0.name)=\($0.value)" }.joined(separator: " ")),
                ]
            }
            return [row] + ignoredRows
        }
        rows.append([
            ("kind", isWithoutEnding ? "no-ending" : "reproduced"), ("lines", String(first.check.observed)),
            ("understood", String(coverage.understood)), ("log-lines", String(coverage.lineCount)),
            ("extra", String(first.check.surplusCount)),
            ("runs", String(outcome.runs)), ("alternative-runs", String(outcome.alternativeRuns)),
            ("explanations", String(outcome.explanations.count)),
            ("times", app.hasTimes ? "known" : "unknown"),
        ])
        if let numbers = first.candidate.numbers {
            rows.append([("kind", "numbers"), ("text", numbers.text(app.profile))])
        }
        rows += ignoredRows
        for kind in first.check.surplus {
            rows.append([("kind", "not-logged"), ("text", kind.kind), ("count", String(kind.count))])
        }
        for event in first.events {
            rows.append([
                ("kind", "hidden"), ("time-ms", app.hasTimes ? String(event.time) : ""), ("line", String(event.line)),
                ("text", event.text),
                ("missing-call", String(event.isMissingCall)), ("note", event.note ?? ""),
                ("earliest-ms", event.earliest.map { String($0) } ?? ""),
            ])
        }
        for (index, ending) in first.endingTexts.enumerated() {
            let causes = causes(of: index)
            guard let cause = causes.first else { continue }
            rows.append([
                ("kind", "ending"), ("line", String(ending.line)), ("text", ending.text),
                ("causes", causes.map(\.cause.name).joined(separator: " ")),
                ("rule", rule(of: index)?.ids.joined(separator: " ") ?? ""),
                ("question", question(ending, cause.cause, causes.count > 1 ? causes[1].cause : nil)),
            ])
        }
        return rows
    }

    /// The rows for this log in a `CorpusTable`.
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

    private var ignoredRows: [[(name: String, value: String)]] {
        app.ignoredCallbacks.map { ignored in
            [
                ("kind", ignored.reason == .unknown ? "unknown-callback" : "copied-callback"),
                ("text", ignored.callbackKind),
                ("lines", ignored.lines.map(String.init).joined(separator: " ")),
            ]
        }
    }

    private func list(_ numbers: [Int]) -> String {
        numbers.prefix(10).map(String.init).joined(separator: ", ") + (numbers.count > 10 ? ", …" : "")
    }
}
