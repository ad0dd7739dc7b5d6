import Foundation
import IMDebugger
import IMExport
import IMProfiles
import IMSession
import IMShell
import IMText
import Recorder
import Synchronization

struct ReportRequest: Equatable, Sendable {
    /// A file, a name from the list, or `last`.
    var file: String
    /// True to print a report's contents instead of making one.
    var prints: Bool
    var note: Note?
    /// The path of the report; nil to name it after the recording.
    var target: String?
    var form = Form.recording
    var isRedacted: Bool
    /// True if an existing file may be replaced.
    var overwrites: Bool
    var settings: CommonSettings

    enum Form: String, CaseIterable, Sendable {
        /// One recording that contains the report.
        case recording
        /// A folder for an issue tracker: a text, and the recording next to it.
        case markdown
    }

    enum Note: Equatable, Sendable {
        case text(String)
        /// A file; `-` is the standard input.
        case file(String)
    }
}

/// `report`: writes a copy of the recording with everything that the receiver needs.
struct ReportMaker {
    let request: ReportRequest
    let output: any ShellOutput

    func run() throws -> Outcome {
        let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(request.file)
        let session = try ExportedSession.open(path)
        if request.prints { return try print(session) }
        try ShellError.reportingDamage(of: path) { try make(session, path) }
        return .ok
    }

    private func print(_ session: ExportedSession) throws -> Outcome {
        guard let report = BugReport(session.reader) else {
            throw ShellError(
                message: "'\(session.path)' is a recording, not a report; "
                    + "'imrepl report \(session.path.shellQuoted)' creates a report",
                reason: .failed)
        }
        ReportText(report: report, path: session.path).markdown.forEach(output.line)
        return .ok
    }

    // MARK: Making a report

    private func make(_ session: ExportedSession, _ path: String) throws {
        let target = try targetPath(of: path)
        let requested = try requestedNote()
        let earlier = requested == nil ? BugReport(session.reader)?.note : nil
        var note = requested ?? earlier
        var session = session
        if request.isRedacted {
            let redacted = try Redaction.bytes(of: session.reader, path: path)
            session = try ExportedSession(reader: try SessionReader(bytes: redacted.bytes), path: Self.redactedName)
            note = earlier == nil ? note.map(redacted.pseudonyms.rewritten) : Self.redactedNote
        }
        let report = try BugReport(session, note: note, isRedacted: request.isRedacted)
        let attachments = try report.attachments()
        if request.form == .markdown { try writeText(report, attachments, of: session, named: target) }
        let file = try OutputFile(path: target, overwrites: request.overwrites, mode: 0o600)
        do throws(SessionError) {
            try session.reader.copy(to: file, attaching: attachments)
        } catch {
            guard case .unwritable = error else { throw error }
            throw file.failure(error)
        }
        try file.finish()
        printResult(report, session, target, bytes: file.byteCount)
    }

    private func printResult(_ report: BugReport, _ session: ExportedSession, _ target: String, bytes size: Int) {
        if session.reader.completeness != .closed {
            output.error("\(session.path): \(session.reader.completeness); everything before it is in the report")
        }
        if report.note == nil {
            output.error("it has no note; add one with --note 'what I did, what I expected'")
        }
        if report.note.map(Self.mentionsSecret) ?? false {
            output.error("warning: the note may contain a token or a password; check it before you send the report")
        }
        if !request.isRedacted {
            output.error("it contains the original names and message texts; --redact replaces them by pseudonyms")
        }
        let note = report.note == nil ? "" : "note, "
        let isOutput = OutputFile.isStandardOutput(target)
        if let rows = output.rows, !isOutput {
            return rows([
                ("file", .text(target)), ("bytes", .number(size)), ("events", .number(Int(report.about.events))),
                ("note", .text(report.note ?? "")), ("redacted", .text(request.isRedacted ? "yes" : "no")),
            ])
        }
        // If the report goes to the standard output, messages go to the standard error.
        let printResult = isOutput ? output.error : output.line
        let kilobytes = (size + 512) / 1024
        guard !isOutput else {
            return printResult("wrote the report (\(kilobytes) kB): \(note)\(report.about.events) events, summary")
        }
        printResult(
            "wrote \(target) (\(kilobytes) kB): \(note)\(report.about.events) events, summary; "
                + "the receiver runs: imrepl replay \((target as NSString).lastPathComponent.shellQuoted)")
    }

    private static func mentionsSecret(_ note: String) -> Bool {
        note.split(whereSeparator: \.isNewline).contains { Secrets.containsSecret(String($0)) }
    }

    /// Writes the README.md of the folder. It explains the issue to a reader who does not open the recording.
    private func writeText(
        _ report: BugReport, _ attachments: [SessionAttachment], of session: ExportedSession, named target: String
    ) throws {
        let bytes = MemorySink()
        try session.reader.copy(to: bytes, attaching: attachments)
        let lines = CauseLines()
        let replay = try ReplaySession(
            try SessionReader(bytes: bytes.bytes), path: session.path, output: LineOutput { lines.add($0) })
        if let moment = report.about.moment {
            try replay.debug.move(to: replay.count)
            try replay.explanations.explain(moment)
        }
        let folder = URL(fileURLWithPath: target).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let name = URL(fileURLWithPath: target).lastPathComponent
        let bundle = ReportBundle(report: report, file: name, causes: lines.all)
        let text = try bundle.markdown(of: session).joined(separator: "\n") + "\n"
        try OutputFile.write(text.utf8, to: "\(folder)/README.md", overwrites: request.overwrites, mode: 0o600)
    }

    // MARK: Files

    private func requestedNote() throws -> String? {
        var bytes: [UInt8]
        switch request.note {
        case nil: return nil
        case .text(let text): bytes = Array(text.utf8)
        case .file("-"): bytes = Array(FileHandle.standardInput.readDataToEndOfFile())
        case .file(let path):
            guard let data = FileManager.default.contents(atPath: path) else {
                throw ShellError(message: "there is no note '\(path)', or it cannot be read", reason: .usage)
            }
            bytes = Array(data)
        }
        guard bytes.count <= BugReport.noteLengthMax else {
            throw ShellError(
                message: "the note is longer than \(BugReport.noteLengthMax >> 10) KiB: send it separately",
                reason: .usage)
        }
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ShellError(message: "the note is not text (not UTF-8)", reason: .usage)
        }
        return text.isEmpty ? nil : text
    }

    /// The name of a redacted report. The name of the recording is not used, because it may identify somebody.
    private static let redactedName = "imbug-redacted.pcapng"
    /// Replaces the note of an earlier report: the note is free text and may contain names.
    private static let redactedNote = "(the note of the earlier report was redacted)"

    private func targetPath(of session: String) throws -> String {
        let name = session == "-" ? "stdin" : URL(fileURLWithPath: session).deletingPathExtension().lastPathComponent
        let own = name.hasPrefix("imbug-") ? name : "imbug-\(name)"
        let file = request.isRedacted ? Self.redactedName : "\(own).pcapng"
        if request.form == .markdown { return "\(request.target ?? own)/\(file)" }
        let target = request.target ?? file
        guard OutputFile.isStream(target) || ExportTarget.canonical(target) != ExportTarget.canonical(session) else {
            throw ShellError(message: "'\(target)' is the recording itself; give another file with -o", reason: .usage)
        }
        return target
    }
}

/// Keeps the lines that a replay prints.
private final class CauseLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

extension Program {
    func report(_ request: ReportRequest) async throws -> Outcome {
        try await onOwnThread {
            let output = TerminalOutput(colour: false, form: request.settings.asJSON ? .json : .text)
            return try ending(output) { try ReportMaker(request: request, output: $0).run() }
        }
    }
}
