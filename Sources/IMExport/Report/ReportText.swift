import Foundation
import IMDebugger
import IMText
import Recorder

/// A report as it is shown to who received it. Its texts come from somebody else's machine: nothing in them reaches the
/// terminal but letters.
package struct ReportText {
    let report: BugReport
    /// Where it lies, for the lines to type.
    let path: String

    package init(report: BugReport, path: String) {
        self.report = report
        self.path = path
    }

    /// Nil for a recording that is no report.
    package init?(_ reader: SessionReader, path: String) {
        guard let report = BugReport(reader) else { return nil }
        self.init(report: report, path: path)
    }

    /// Two to five lines to begin with.
    package var head: [String] {
        var lines: [String] = []
        let note = noteLines
        if let first = note.first {
            lines.append("note: \(Self.clipped(first))")
            let isShort = note.count <= 2 && note.allSatisfy { $0.count <= Self.columns }
            if !isShort {
                lines.append("      … all of it: imrepl report --print \(path.shellQuoted)")
            } else if note.count == 2 {
                lines.append("      \(note[1])")
            }
        } else {
            lines.append("a report without a note")
        }
        lines += report.about.summary.prefix(2).map { Self.clipped(Self.visible($0)) }
        if let moment = report.about.moment { lines.append("go there: goto \(moment), then why") }
        return lines
    }

    /// Everything that stands above the events of `show`.
    package var top: [String] {
        let note = noteLines.map { "note: \($0)" }
        return (note.isEmpty ? ["a report without a note"] : note) + report.about.summary.map(Self.visible) + [goThere]
    }

    /// The whole report.
    package var markdown: [String] {
        let document = report.document.split(separator: "\n", omittingEmptySubsequences: false)
        return opening + [""] + document.map { Self.visible(String($0)) }
    }

    /// The command that leads to the moment.
    package var command: String { goThere }

    /// Note, summary, the command that replays it, and the versions.
    package var opening: [String] {
        var lines = ["# Bug report", ""]
        lines += noteLines.isEmpty ? ["There is no note with it."] : noteLines.map { "> \($0)" }
        lines += ["", "## In short", ""] + report.about.summary.map { "- \(Self.visible($0))" }
        lines += [
            "- replay: \(Self.visible(report.about.verified))", "- complete: \(Self.visible(report.about.complete))",
        ]
        if report.about.isRedacted { lines.append("- names and texts are pseudonyms") }
        lines += ["", "```", goThere, "```", "", "## Made with", "", "| | |", "| --- | --- |"]
        lines += report.about.versions.map {
            "| \(ReportDocument.escaped($0.name)) | \(ReportDocument.escaped($0.value)) |"
        }
        return lines
    }

    private var goThere: String {
        let place = report.about.moment.map { " -c 'goto \($0)' -c why" } ?? ""
        return "imrepl replay \(path.shellQuoted)\(place)"
    }

    private var noteLines: [String] {
        guard let note = report.note else { return [] }
        return SourceText(name: "", text: note).lines
    }

    private static let columns = 100

    private static func clipped(_ line: String) -> String {
        line.count <= columns ? line : line.prefix(columns - 1) + "…"
    }

    private static func visible(_ line: String) -> String {
        SourceText(name: "", text: line).lines.joined(separator: " ")
    }
}
