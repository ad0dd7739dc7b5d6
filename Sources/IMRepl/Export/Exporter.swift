import Foundation
import IMExport
import IMProfiles
import IMShell
import Recorder

/// `export`: a recording in another format.
struct Exporter {
    let request: ExportRequest
    /// Receives messages: the path of the export, and the errors of the recording.
    let notice: (String) -> Void

    func run() throws -> Outcome {
        let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(request.file)
        let session = try ExportedSession.open(path)
        if session.reader.header.isObserved, [.script, .swiftTest].contains(request.format) {
            throw ShellError(
                message: "\(path): an observed session of a log, without network, server and other devices; "
                    + "it has no scenario to export",
                reason: .usage)
        }
        let target = try ExportTarget(path: try targetPath(of: path), overwrites: request.overwrites)
        do {
            try session.write(as: request.format) { try target.write($0, isText: request.format.isText) }
            try target.finish()
        } catch {
            target.abandon()
            if let error = error as? SessionError {
                throw ShellError(message: "\(path): \(error)", reason: .unreadable)
            }
            throw error
        }
        if session.reader.completeness != .closed { notice("\(path): \(session.reader.completeness)") }
        if let file = target.path { notice("wrote \(file)") }
        return .ok
    }

    /// The path of the output; nil for the standard output.
    private func targetPath(of session: String) throws -> String? {
        if let target = request.target, OutputFile.isStandardOutput(target) { return nil }
        guard let target = request.target else {
            guard request.format.isWrittenToFile else { return nil }
            if session == "-" { return "stdin.\(request.format.fileExtension)" }
            let stem = session.hasSuffix(".pcapng") ? String(session.dropLast(".pcapng".count)) : session
            return "\(stem).\(request.format.fileExtension)"
        }
        if ExportTarget.canonical(target) == ExportTarget.canonical(session) {
            throw ShellError(message: "'\(target)' is the recording itself; give another file with -o", reason: .usage)
        }
        return target
    }
}

extension Program {
    func export(_ request: ExportRequest) async throws -> Outcome {
        let output = TerminalOutput(colour: false)
        return try Exporter(request: request, notice: output.error).run()
    }
}

extension ExportedSession {
    /// - Throws: ``ShellError`` or ``ExportError`` for a file that this version cannot read.
    static func open(_ path: String) throws -> ExportedSession {
        try ExportedSession(reader: try RecordingFiles.open(path), path: path)
    }
}
