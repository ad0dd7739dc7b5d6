import IMDebugger
import IMLogs
import IMShell

/// The text of a finding of ``LogCheck``, with the rules.
package enum FindingReport {
    /// The fields of a finding for JSON.
    package static func values(of finding: LogFinding) -> [(name: String, value: AnswerValue)] {
        [
            ("line", .number(finding.line)), ("problem", .text(finding.problem)),
            ("lines", .text(finding.items.map { String($0.line) }.joined(separator: " "))),
            ("event", .text(finding.items.first?.text ?? "")), ("count", .number(finding.itemCount)),
            ("rules", .text(finding.rules.joined(separator: " "))),
            ("allowed", .text(finding.allowed.joined(separator: "; "))), ("process", .number(finding.process)),
        ]
    }

    /// The note about swapped lines, such as `lines 5 and 6 are swapped, 1 ms apart`; nil if no lines are swapped.
    package static func note(of swaps: [LogSwap]) -> String? {
        guard let first = swaps.first else { return nil }
        let lines = first.lines.map { String($0) }.joined(separator: " and ")
        let others = swaps.dropFirst().map { $0.lines.map { String($0) }.joined(separator: " and ") }
        return "lines \(lines) are swapped, \(first.milliseconds) ms apart"
            + (others.isEmpty ? "" : "; so are \(others.prefix(5).joined(separator: ", "))")
            + (others.count > 5 ? " and \(others.count - 5) more pairs" : "")
    }

    /// The lines of a finding for the terminal.
    package static func lines(of finding: LogFinding, in log: ObservedLog) -> [String] {
        let process = log.processCount > 1 ? " (process \(finding.process))" : ""
        var lines = ["line \(finding.line): \(finding.problem)\(process)"]
        lines += finding.items.map { "    \($0.text)" }
        if finding.itemCount > finding.items.count {
            lines.append("    and \(finding.itemCount - finding.items.count) more lines")
        }
        for id in finding.rules {
            lines.append("  \(id): \(RuleCatalogue.rules.first { $0.id == id }?.text ?? "")")
        }
        if !finding.allowed.isEmpty { lines.append("  allowed here: \(finding.allowed.joined(separator: "; "))") }
        return lines
    }
}
