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
    /// A trace for Perfetto's viewer.
    case perfetto
    /// OpenTelemetry's JSON lines, a trace for each login.
    case otlp
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
        case .perfetto: "pftrace"
        case .otlp: "otlp.json"
        case .script: "imr"
        case .swiftTest: "swift"
        }
    }

    /// Whether it goes into a file when nobody says where: nobody wants to read a page's source on the terminal.
    public var goesToFile: Bool {
        switch self {
        case .html, .perfetto: true
        case .mermaid, .md, .ndjson, .otlp, .script, .swiftTest: false
        }
    }

    /// Whether it consists of lines that a terminal can show.
    public var isText: Bool { self != .perfetto }
}

extension ExportedSession {
    /// Writes the session in another form.
    ///
    /// - Parameter write: takes the bytes piece by piece, each a line with its end or the whole of a page or trace.
    /// - Throws: ``ExportError`` where it has no such form; `SessionError` where the recording is damaged; what `write`
    ///   throws.
    public func write(as format: ExportFormat, _ write: ([UInt8]) throws -> Void) throws {
        func line(_ text: String) throws { try write(Array((text + "\n").utf8)) }
        switch format {
        case .ndjson: try EventLines(self).forEach(line)
        case .html: try write(Array(try PageExport(self).page().utf8))
        case .perfetto: try write(try PerfettoTrace(self).bytes)
        case .otlp: try LoginTraces(self).lines.forEach(line)
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
        var bytes: [UInt8] = []
        try write(as: format) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}
