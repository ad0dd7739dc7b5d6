import Foundation
import IMDebugger
import IMExport
import IMShell
import IMText
import Recorder

struct RedactRequest: Equatable, Sendable {
    /// A file or `last`.
    var file: String
    /// The path of the redacted recording; nil for a default name next to the file.
    var target: String?
    /// The file for the table of pseudonyms; nil for none.
    var map: String?
    var keepsNotes: Bool
    var overwrites: Bool
    var settings: CommonSettings
}

extension Program {
    func redact(_ request: RedactRequest) async throws -> Outcome {
        let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(request.file)
        // The redaction of a listed recording is written into the working folder. In the folder of the list it would
        // become the newest recording, `last`.
        let isListed = path != request.file
        let target = request.target ?? Self.redactedName(isListed ? (path as NSString).lastPathComponent : path)
        for file in [target] + (request.map.map { [$0] } ?? []) {
            try Self.requireFree(file, besides: path, overwrites: request.overwrites)
        }
        let isOutput = OutputFile.isStandardOutput
        if let map = request.map, map == target || isOutput(map) && isOutput(target) {
            throw ShellError(message: "'\(map)' cannot be both the session and the map", reason: .usage)
        }
        let reader = try RecordingFiles.open(path)
        let redaction = Redaction(
            reader: reader, path: path, options: Redaction.Options(keepsNotes: request.keepsNotes))
        let (file, summary, pseudonyms): (OutputFile, Redaction.Summary, Pseudonyms)
        do {
            (file, summary, pseudonyms) = try Self.run(redaction, target, request)
        } catch let error as SessionError {
            guard case .unwritable(let reason) = error else { throw error }
            throw ShellError.unwritable(target, reason: reason)
        }
        if let map = request.map { try Self.write(pseudonyms, to: map, overwrites: request.overwrites) }
        try file.finish()
        printSummary(summary, reader, target: target)
        return .ok
    }

    /// Redacts the recording into the target. A stream cannot be read again to check it, so its contents are made and
    /// checked in memory first.
    private static func run(
        _ redaction: Redaction, _ target: String, _ request: RedactRequest
    ) throws -> (OutputFile, Redaction.Summary, Pseudonyms) {
        let file = try OutputFile(path: target, overwrites: request.overwrites, mode: 0o600)
        if file.isStream {
            let (sink, summary, pseudonyms) = try redaction.run(
                { MemorySink() }, open: { try SessionReader(bytes: $0.bytes) })
            try sink.bytes.withUnsafeBytes { try file.write($0) }
            return (file, summary, pseudonyms)
        }
        var attempt = file
        let (sink, summary, pseudonyms) = try redaction.run(
            {
                // A second attempt needs a new file, because the first one has written to this file.
                if attempt.byteCount > 0 {
                    attempt = try OutputFile(path: target, overwrites: request.overwrites, mode: 0o600)
                }
                return attempt
            },
            open: { try RecordingFiles.open($0.unfinishedPath ?? target) })
        return (sink, summary, pseudonyms)
    }

    private func printSummary(_ summary: Redaction.Summary, _ reader: SessionReader, target: String) {
        let output = TerminalOutput(colour: false)
        let verification = summary.isVerified ? "it verifies" : "the effects of its own version are copied"
        // If the session goes to the standard output, the summary goes to the standard error.
        let printResult = OutputFile.isStandardOutput(target) ? output.error : output.line
        printResult("redacted \(summary.countsText) into \(target); \(verification) (\(summary.events) events)")
        if reader.completeness != .closed { output.error("\(target): \(reader.completeness), as in the original") }
        if !reader.attachments.isEmpty {
            output.error("\(target): the attachments of the original are omitted")
        }
        if !summary.remaining.isEmpty {
            let words = summary.remaining.map { "'\($0)'" }.joined(separator: ", ")
            output.error(
                "\(target): not replaced, because the format or a vendor uses the same word: \(words)")
        }
        printResult(summary.unreplacedText)
    }

    /// `redacted.pcapng` in the same folder: the original's name may identify somebody.
    static func redactedName(_ path: String) -> String {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        return folder + "redacted.pcapng"
    }

    private static func requireFree(_ path: String, besides original: String, overwrites: Bool) throws {
        var (one, two) = (stat(), stat())
        // Devices, pipes and sockets may exist: they have no contents to lose.
        guard !OutputFile.isStream(path), stat(path, &one) == 0, one.st_mode & S_IFMT == S_IFREG else { return }
        if stat(original, &two) == 0, one.st_dev == two.st_dev, one.st_ino == two.st_ino {
            throw ShellError(
                message: "'\(path)' is the recording itself, which is not changed; give another file with -o",
                reason: .environment)
        }
        guard overwrites else { throw ShellError.alreadyExists(path) }
    }

    /// Writes the table of pseudonyms, one JSON object a line. It reverses the redaction, so only the owner may read
    /// it.
    private static func write(_ pseudonyms: Pseudonyms, to path: String, overwrites: Bool) throws {
        let lines = pseudonyms.entries.map { entry in
            "{\"kind\":\"\(entry.kind.rawValue)\",\"original\":\(JSONText.quoted(entry.original)),"
                + "\"pseudonym\":\(JSONText.quoted(entry.pseudonym))}\n"
        }
        try OutputFile.write(lines.joined().utf8, to: path, overwrites: overwrites, mode: 0o600)
    }
}
