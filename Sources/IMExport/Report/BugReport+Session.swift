import IMSession
import Recorder

extension BugReport {
    /// Makes the report on a recording.
    ///
    /// - Parameter isRedacted: true if the names and texts of the recording are pseudonyms.
    /// - Throws: ``SessionError`` or ``ExportError`` for an unreadable recording.
    package init(_ session: ExportedSession, note: String?, isRedacted: Bool) throws {
        let summary = try ReportSummary(session)
        let document = try ReportDocument(session)
        let completeness = session.reader.completeness
        let about = About(
            events: session.reader.eventCount, complete: completeness == .closed ? "yes" : "no: \(completeness)",
            verified: document.verification, summary: summary.lines, moment: summary.moment, isRedacted: isRedacted,
            versions: About.versions(behaviour: IMSessionSchema().behaviourVersion, of: session.reader.header))
        self.init(note: note, about: about, document: Self.document(document.lines))
    }

    /// The lines of the document as one text. If the text is longer than the limit for one attachment, the last lines
    /// are left out.
    package static func document(_ lines: [String], limit: Int = SessionAttachment.contentsLengthMax) -> String {
        let whole = lines.joined(separator: "\n")
        if whole.utf8.count <= limit { return whole }
        var kept: [String] = []
        // Space for the note about omitted lines, and for the end of a diagram.
        var length = 200
        var isInDiagram = false
        for line in lines {
            length += line.utf8.count + 1
            if length > limit { break }
            if line.hasPrefix("```") { isInDiagram.toggle() }
            kept.append(line)
        }
        let keptCount = kept.count
        if isInDiagram { kept.append("```") }
        kept += ["", "`imrepl export --as md` writes \(lines.count - keptCount) more lines."]
        return kept.joined(separator: "\n")
    }
}
