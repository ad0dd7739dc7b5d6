import Foundation
import IMDialects
import IMLogs
import IMSession
import IMShell
import Recorder
import SansIO
import Synchronization

extension Program {
    func importLog(_ request: ImportRequest) async throws -> Outcome {
        let output = self.output(request.settings)
        let log = try LogFile.read(request.file, formats: request.formats, profile: request.profile)
        guard log.understoodCount > 0 else { throw LogFile.nothingUnderstood(request.file, log) }
        let (sink, path) = try RecordingFiles(dataFolder: request.settings.dataFolder).beginObserved(
            profile: log.profile ?? "", path: request.target, overwrites: request.overwrites)
        do {
            try ObservedSession(log, of: request.file).write(to: sink)
        } catch {
            throw ShellError(message: "cannot write '\(path)': \(error)", reason: .environment)
        }
        if let rows = output.rows {
            rows([
                ("file", .text(path)), ("lines", .number(log.lineCount)), ("understood", .number(log.understoodCount)),
                ("not-understood", .number(log.unknownCount)), ("processes", .number(log.processCount)),
                ("profile", .text(log.profile ?? "")), ("formats", .text(log.formats.joined(separator: " "))),
            ])
        } else {
            output.line("wrote \(path): \(LogFile.summary(log))")
            output.line("'imrepl show \(path)' prints it; 'imrepl replay \(path)' walks through it")
        }
        return .ok
    }
}

/// A log on the disk.
enum LogFile {
    /// So many bytes are read of one.
    private static let bytesMax = 1 << 30
    /// A line that takes longer than this has a pattern that does not end.
    private static let lineTimeMax = 5.0

    /// - Throws: ``ShellError`` that says what to do.
    static func read(
        _ path: String, formats: [String] = [], profile: String? = nil, keepsTexts: Bool = false
    ) throws -> ObservedLog {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
            throw ShellError(message: "there is no file '\(path)', or it cannot be read", reason: .environment)
        }
        guard (attributes[.size] as? Int ?? 0) <= bytesMax else {
            throw ShellError(message: "'\(path)' is larger than 1 GiB; cut out the part of interest", reason: .usage)
        }
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe) else {
            throw ShellError(message: "'\(path)' cannot be read", reason: .environment)
        }
        var options = LogOptions()
        options.profile = profile
        options.keepsTexts = keepsTexts
        let date = attributes[.modificationDate] as? Date ?? Date()
        options.year = Calendar(identifier: .gregorian).component(.year, from: date)
        for file in formats {
            guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
                throw ShellError(message: "there is no format file '\(file)', or it is no text", reason: .usage)
            }
            options.formats.append((file, text))
        }
        do {
            let reader = try LogReader(options)
            let watch = LineWatch(path, limit: lineTimeMax)
            defer { watch.stop() }
            return try reader.read([UInt8](data), progress: watch.begin)
        } catch let error as LogFormatError {
            throw ShellError(message: error.description, reason: .usage)
        } catch let error as LogError {
            throw ShellError(message: "\(path): \(error)", reason: .unreadable)
        }
    }

    static func summary(_ log: ObservedLog) -> String {
        let processes = log.processCount == 1 ? "1 process" : "\(log.processCount) processes"
        return "\(log.understoodCount) of \(log.lineCount) lines understood, \(log.unknownCount) not; \(processes); "
            + "profile \(log.profile ?? "unknown"); read as \(log.formats.joined(separator: ", "))"
    }

    static func nothingUnderstood(_ path: String, _ log: ObservedLog) -> ShellError {
        ShellError(
            message: "\(path): none of its \(log.lineCount) lines is a call or callback that a format describes; "
                + "--format FILE.json adds a format (see Documentation/Logs.md)",
            reason: .unreadable)
    }
}

/// Ends the program where a pattern does not end: a regular expression that runs cannot be stopped otherwise.
private final class LineWatch: Sendable {
    private struct State {
        var line = 0
        var since = Date()
        var isStopped = false
    }

    private let state = Mutex(State())

    init(_ path: String, limit: Double) {
        let thread = Thread { [self] in
            while true {
                Thread.sleep(forTimeInterval: 0.25)
                let (line, since, isStopped) = state.withLock { ($0.line, $0.since, $0.isStopped) }
                if isStopped { return }
                guard line > 0, Date().timeIntervalSince(since) > limit else { continue }
                let text =
                    "imrepl: \(path): a pattern takes longer than \(Int(limit)) s after line \(line); simplify it\n"
                FileHandle.standardError.write(Data(text.utf8))
                exit(Outcome.failed.rawValue)
            }
        }
        thread.start()
    }

    func begin(_ line: Int) {
        // A look at the clock costs more than most lines.
        guard line & 15 == 0 || line < 16 else { return }
        state.withLock { ($0.line, $0.since) = (line, Date()) }
    }

    func stop() { state.withLock { $0.isStopped = true } }
}

/// A log as a session.
struct ObservedSession {
    let log: ObservedLog
    let name: String

    init(_ log: ObservedLog, of path: String) {
        self.log = log
        name = URL(fileURLWithPath: path).lastPathComponent
    }

    /// - Throws: `SessionError` where the sink takes no more.
    func write(to sink: any ByteSink) throws {
        let header = SessionHeader(
            title: "observed in \(name)", profile: log.profile ?? "nim", application: "imrepl \(Version.number)",
            os: "",
            parameters: [
                ("world", SessionHeader.observedWorld), ("log", name), ("lines", String(log.lineCount)),
                ("understood", String(log.understoodCount)), ("not-understood", String(log.unknownCount)),
                ("processes", String(log.processCount)), ("zone", log.isLocal ? "unknown" : "known"),
            ])
        let writer = SessionWriter(sink: sink, schema: IMSessionSchema(), header: header, epochNanoseconds: log.start)
        let node = writer.addNode("device")
        var last = Instant.zero
        for entry in log.entries {
            last = Instant(nanoseconds: entry.offset)
            let event = entry.event
            writer.environment(
                IMSessionSchema.environment(.observed(event)), node: node, channel: event.channel, at: last,
                comment: "device \(event.summary)")
        }
        if log.unkeptCount > 0 {
            writer.mark("\(log.unkeptCount) more lines were not understood, and are not kept", at: last)
        }
        try writer.log.close(at: last)
    }

    /// The session in memory, for a look at it.
    func reader() throws -> SessionReader {
        let sink = MemorySink()
        try write(to: sink)
        return try SessionReader(bytes: sink.bytes)
    }
}
