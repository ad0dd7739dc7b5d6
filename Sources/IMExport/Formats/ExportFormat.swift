/// The formats of `export --as`; ``ExportedSession/write(as:_:)`` writes them.
public enum ExportFormat: String, CaseIterable, Sendable {
    /// One page with lanes, arrows and states, for a browser.
    case html
    /// A sequence diagram for an issue.
    case mermaid
    /// A report for people.
    case md
    /// One JSON object on each line, as `show --json` prints it.
    case ndjson
    /// A trace for Perfetto's viewer.
    case perfetto
    /// OpenTelemetry's JSON lines, a trace for each login.
    case otlp
    /// A script that reproduces the session in the simulated world.
    case script
    /// A Swift file with a test that reproduces the session in the simulated world, for any package that depends on
    /// `IMShell`.
    case swiftTest = "swift-test"

    /// The file extension, without the dot.
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

    /// True if the output is a file by default: a page's source and the bytes of a trace are of no use on a terminal.
    public var isWrittenToFile: Bool {
        switch self {
        case .html, .perfetto: true
        case .mermaid, .md, .ndjson, .otlp, .script, .swiftTest: false
        }
    }

    /// True if the format is text. A terminal cannot display the bytes of a Perfetto trace.
    public var isText: Bool { self != .perfetto }
}

extension ExportedSession {
    /// Writes the session in another format.
    ///
    /// - Parameter write: receives the bytes in pieces, each a line with its end, or the whole of a page or trace.
    /// - Throws: ``ExportError`` if the session cannot be written in the format; `SessionError` if the recording is
    ///   damaged; the errors of `write`.
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

    /// The session in another format, as one text.
    ///
    /// - Throws: the errors of ``write(as:_:)``.
    public func text(as format: ExportFormat) throws -> String {
        var bytes: [UInt8] = []
        try write(as: format) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}
