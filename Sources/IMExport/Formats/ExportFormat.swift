/// The forms that a session can be written in, as `export --as` names them; ``ExportedSession/write(as:_:)`` writes them.
public enum ExportFormat: String, CaseIterable, Sendable {
    /// One page with lanes, arrows and states, for a browser.
    case html
    /// A sequence diagram for an issue.
    case mermaid
    /// A report.
    case md
    /// One JSON object a line, as `show --json` prints.
    case ndjson
    /// A script whose run makes the session anew in the simulated world.
    case script
    /// The same as a file for this package's tests.
    case swiftTest = "swift-test"

    /// What the file is called behind its dot.
    public var fileExtension: String {
        switch self {
        case .html: "html"
        case .mermaid: "mmd"
        case .md: "md"
        case .ndjson: "ndjson"
        case .script: "imr"
        case .swiftTest: "swift"
        }
    }

    /// Whether it goes into a file when nobody says where: nobody wants to read a page's source on the terminal.
    public var goesToFile: Bool {
        switch self {
        case .html: true
        case .mermaid, .md, .ndjson, .script, .swiftTest: false
        }
    }
}

extension ExportedSession {
    /// Writes the session in another form.
    ///
    /// - Parameter write: takes the text piece by piece, each a line with its end or the whole of a page.
    /// - Throws: ``ExportError`` where it has no such form; `SessionError` where the recording is damaged; what `write`
    ///   throws.
    public func write(as format: ExportFormat, _ write: (String) throws -> Void) throws {
        func line(_ text: String) throws { try write(text + "\n") }
        switch format {
        case .ndjson: try EventLines(self).forEach(line)
        case .html: try write(try PageExport(self).page())
        case .mermaid: try MermaidDiagram(picture: SessionPicture(self)).lines.forEach(line)
        case .script:
            var export = try ScriptExport(self)
            try export.script().forEach(line)
        case .swiftTest: try SwiftTestExport(self).lines.forEach(line)
        case .md: try ReportDocument(self).lines.forEach(line)
        }
    }

    /// The session in another form, as one text.
    ///
    /// - Throws: as ``write(as:_:)``.
    public func text(as format: ExportFormat) throws -> String {
        var text = ""
        try write(as: format) { text += $0 }
        return text
    }
}
