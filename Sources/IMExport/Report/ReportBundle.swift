import IMText
import Recorder

/// The text of a report for an issue tracker: a summary, a diagram, the causes, and the command that replays the
/// session. A folder contains the text and the recording.
package struct ReportBundle {
    private let report: BugReport
    private let file: String
    private let causes: [String]

    /// The maximum number of lines of the causes. The command in the text prints all of them.
    package static let causesMax = 10
    /// The maximum number of steps of the diagram, so that it fits on a screen.
    private static let stepsMax = 40

    /// - Parameters:
    ///   - file: the name of the recording, which is in the same folder.
    ///   - causes: the output of `why` for the report's main event; the rule is the last line.
    package init(report: BugReport, file: String, causes: [String]) {
        (self.report, self.file, self.causes) = (report, file, causes)
    }

    /// The lines of the text.
    ///
    /// - Throws: `SessionError` if the recording is damaged.
    package func markdown(of session: ExportedSession) throws -> [String] {
        let text = ReportText(report: report, path: file)
        var diagram = try MermaidDiagram(picture: SessionPicture(session))
        diagram.stepsMax = Self.stepsMax
        var lines = text.opening
        if !causes.isEmpty {
            lines += ["", "## Why", "", "```"] + shownCauses.map(VisibleText.of) + ["```"]
        }
        lines += ["", "## Picture", "", "```mermaid"] + diagram.lines + ["```"]
        return lines
    }

    /// The first and the last lines of the causes. The last lines contain the rule that decided.
    private var shownCauses: [String] {
        guard causes.count > Self.causesMax else { return causes }
        let end = causes.suffix(3)
        let begin = causes.prefix(Self.causesMax - end.count - 1)
        let command = ReportText(report: report, path: file).command
        return begin + ["… \(causes.count - begin.count - end.count) more lines: \(command)"] + end
    }
}
