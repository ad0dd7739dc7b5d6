import Foundation
import IMDebugger
import IMText
import Recorder

/// A report as it is shown to its recipient. The texts come from another computer. So control characters are removed
/// before the terminal receives the texts.
package struct ReportText {
    let report: BugReport
    /// The path of the recording, for the commands that the text contains.
    let path: String

    package init(report: BugReport, path: String) {
        self.report = report
        self.path = path
    }

    /// Reads the report in a recording; nil if the recording has none.
    package init?(_ reader: SessionReader, path: String) {
        guard let report = BugReport(reader) else { return nil }
        self.init(report: report, path: path)
    }

    /// A short form of the report, with two to five lines.
    package var head: [String] {
        var lines: [String] = []
        let note = noteLines
        if let first = note.first {
            lines.append("note: \(Self.clipped(first))")
            let isShort = note.count <= 2 && note.allSatisfy { $0.count <= Self.columns }
            if !isShort {
                lines.append("      … full text: imrepl report --print \(path.shellQuoted)")
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

    /// The lines above the events of `show`.
    package var top: [String] {
        let note = noteLines.map { "note: \($0)" }
        return (note.isEmpty ? ["a report without a note"] : note) + report.about.summary.map(Self.visible) + [
            command
        ]
    }

    /// The whole report.
    package var markdown: [String] {
        let document = report.document.split(separator: "\n", omittingEmptySubsequences: false)
        return opening + [""] + document.map { Self.visible(String($0)) }
    }

    /// The beginning of the report: the note, the summary, the command that replays the session, and the versions.
    package var opening: [String] {
        var lines = ["# Bug report", ""]
        lines += noteLines.isEmpty ? ["It has no note."] : noteLines.map { "> \($0)" }
        lines += ["", "## In short", ""] + report.about.summary.map { "- \(Self.visible($0))" }
        lines += [
            "- replay: \(Self.visible(report.about.verified))", "- complete: \(Self.visible(report.about.complete))",
        ]
        if report.about.isRedacted { lines.append("- names and texts are pseudonyms") }
        lines += ["", "```", command, "```", "", "## Made with", "", "| | |", "| --- | --- |"]
        lines += report.about.versions.map {
            "| \(ReportDocument.escaped($0.name)) | \(ReportDocument.escaped($0.value)) |"
        }
        return lines
    }

    /// The command that replays the recording and explains the most important event.
    package var command: String {
        let commands = report.about.moment.map { " -c 'goto \($0)' -c why" } ?? ""
        return "imrepl replay \(path.shellQuoted)\(commands)"
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
