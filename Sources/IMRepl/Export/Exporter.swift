import Foundation
import IMDialects
import IMSession
import Recorder

/// `export`: a recording in another form.
struct Exporter {
    let request: ExportRequest
    /// Takes the line that says where the export went, and what is wrong with the recording.
    let notice: (String) -> Void

    func run() throws -> Outcome {
        let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(request.file)
        let session = try ExportedSession(path: path)
        let target = try ExportTarget(path: try targetPath(of: path), overwrites: request.overwrites)
        do {
            try write(session, to: target)
            try target.finish()
        } catch {
            target.abandon()
            if let error = error as? SessionError {
                throw EntryError(message: "\(path): \(error)", outcome: .unreadable)
            }
            throw error
        }
        if session.reader.completeness != .closed { notice("\(path): \(session.reader.completeness)") }
        if let file = target.path { notice("wrote \(file)") }
        return .ok
    }

    private func write(_ session: ExportedSession, to target: ExportTarget) throws {
        switch request.format {
        case .ndjson: try EventLines(session).write(to: target)
        case .html: try target.write(try PageExport(session).page())
        case .mermaid: try MermaidDiagram(picture: SessionPicture(session)).lines.forEach(target.line)
        case .script:
            var export = try ScriptExport(session)
            try export.script().forEach(target.line)
        case .swiftTest: try SwiftTestExport(session).lines.forEach(target.line)
        case .md: try ReportDocument(session).lines.forEach(target.line)
        }
    }

    /// Where it goes; nil for the standard output.
    private func targetPath(of session: String) throws -> String? {
        if request.target == "-" { return nil }
        guard let target = request.target else {
            guard request.format.goesToFile else { return nil }
            let stem = session.hasSuffix(".pcapng") ? String(session.dropLast(".pcapng".count)) : session
            return "\(stem).\(request.format.fileExtension)"
        }
        if Self.canonical(target) == Self.canonical(session) {
            throw EntryError(message: "'\(target)' is the recording itself; -o names another file", outcome: .usage)
        }
        return target
    }

    private static func canonical(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
    }
}

/// A recording that is read for an export.
struct ExportedSession {
    let reader: SessionReader
    let path: String
    let dialect: any Dialect

    /// - Throws: ``EntryError`` for what cannot be read, or not by this version.
    init(path: String) throws {
        try self.init(reader: try RecordingFiles.open(path), path: path)
    }

    init(reader: SessionReader, path: String) throws {
        do throws(SessionError) {
            // Only the words come from this version; what the file says is the file's.
            try reader.requireFormat(of: IMSessionSchema(), sameBehaviour: false)
        } catch {
            throw EntryError(message: "\(path): \(error)", outcome: .unreadable)
        }
        guard let dialect = Dialects.named(reader.header.profile) else {
            throw EntryError(
                message: "\(path): this version does not speak the profile '\(reader.header.profile)'",
                outcome: .unreadable)
        }
        self.reader = reader
        self.path = path
        self.dialect = dialect
    }

    /// Shows every event with its words, in order.
    func forEach(_ body: (EventView, SessionEvent, Narrator.Telling) throws -> Void) throws {
        let narrator = Narrator(dialect: dialect)
        let schema = IMSessionSchema()
        let scanner = reader.makeScanner()
        while let view = try scanner.next() {
            let event = SessionEvent(view, node: reader.name(of: view.node), schema: schema)
            try body(view, event, narrator.tell(event))
        }
    }
}

extension Program {
    func export(_ request: ExportRequest) async throws -> Outcome {
        let output = Output(colour: false)
        return try Exporter(request: request, notice: output.error).run()
    }
}
