import Foundation
import IMDebugger
import IMExport
import IMLogs
import IMProfiles
import IMSession
import IMShell
import Recorder
import SansIO

/// `follow`: prints a recording or a log, and its new entries as they are written.
extension Program {
    func followLog(_ request: LogRequest) async throws -> Outcome {
        let filter = try request.filter.map { try Filter(reading: $0) }
        let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(request.file)
        return try ending(output(request.settings)) { output in
            if path != "-", !RecordingFiles.isText(path) {
                return try FollowedRecording(path, request, output).run()
            }
            return try followText(path, request, filter, output)
        }
    }

    private func followText(
        _ path: String, _ request: LogRequest, _ filter: Filter?, _ output: TerminalOutput
    ) throws -> Outcome {
        let reader = try LogFile.reader(formats: request.formats, profile: request.profile)
        let input = try GrowingFile(path)
        let dialect = request.profile.flatMap { Dialects.named($0) } ?? Dialects.all[0]
        let formatter = EventFormatter(dialect: dialect)
        var count: UInt64 = 0
        func show(_ entries: [ObservedLog.Entry]) {
            for entry in entries where entry.event.kind != .line {
                count += 1
                if let filter {
                    let event = SessionEvent(
                        number: count, time: Instant(nanoseconds: entry.offset), node: "device",
                        content: .environment(.observed(entry.event)))
                    let text = EventFormatter.FormattedEvent(text: formatter.text(of: event), weight: .essential)
                    guard filter.matches(EventFields(event, formatted: text, formatter: formatter)) else { continue }
                }
                printLogged(entry.event, output)
            }
        }
        do {
            while let bytes = input.next() { show(try bytes.isEmpty ? reader.pause() : reader.feed(bytes)) }
        } catch let error as LogError {
            throw ShellError(message: "\(path): \(error)", reason: .unreadable)
        }
        show(reader.end())
        if output.form == .text {
            output.line("# \(reader.counts.all) lines, \(reader.counts.unknown) not understood")
        }
        return .ok
    }
}

/// Prints an event of a log.
private func printLogged(_ event: LoggedEvent, _ output: TerminalOutput) {
    guard let rows = output.rows else { return output.line(event.summary) }
    rows([
        ("kind", .text(event.kind.rawValue)), ("name", .text(event.name)), ("line", .number(event.line)),
        ("logged", .text(event.stamp)), ("process", .number(event.process)), ("event", .text(event.summary)),
    ])
}

/// A recording that another process writes.
private struct FollowedRecording {
    /// The time between two checks for new events, in microseconds.
    private static let pauseMicroseconds: UInt32 = 200_000
    private let path: String
    private let output: TerminalOutput
    private let reader: SessionReader
    private let scan: FilterScan?
    private let formatter: EventFormatter

    /// - Throws: ``ShellError`` for a file that is no recording of a known profile.
    init(_ path: String, _ request: LogRequest, _ output: TerminalOutput) throws {
        self.path = path
        self.output = output
        let reader = try RecordingFiles.open(path)
        self.reader = reader
        let dialect = try reader.printedDialect(path)
        let filter = try request.filter.map { try Filter(reading: $0, ofServer: reader.isOfServerAlone) }
        let scan = filter.map { FilterScan($0, of: reader, dialect: dialect) }
        self.scan = scan
        formatter = scan?.formatter ?? EventFormatter(dialect: dialect)
        output.clock = EventClock(wall: WallClock(reader.header), shown: request.clock)
        if output.clock.isMissing { output.error("\(path): \(EventClock.missing)") }
    }

    func run() throws -> Outcome { try ShellError.reportingDamage(of: path) { try follow() } }

    private func follow() throws -> Outcome {
        var names = reader
        var scanner = reader.makeScanner()
        while true {
            while let view = try scanner.next() {
                // The recording has a node that was added after `names` was read.
                if scanner.nodeCount > names.nodes.count {
                    names = try RecordingFiles.open(path)
                    scan?.reader = names
                }
                show(view, names)
            }
            if scanner.completeness == .closed {
                output.error("\(path): the recording is closed")
                return .ok
            }
            usleep(Self.pauseMicroseconds)
            scanner = try SessionReader.makeScanner(path: path, after: scanner)
        }
    }

    private func show(_ view: EventView, _ names: SessionReader) {
        let event: SessionEvent
        if let scan {
            guard let found = scan.take(view) else { return }
            event = found
        } else {
            event = SessionEvent(view, node: names.name(of: view.node), schema: IMSessionSchema())
            formatter.note(event)
        }
        let text = formatter.text(of: event)
        guard output.form == .text else {
            return output.write(
                EventObject.line(
                    of: event, channel: view.channel.name, role: view.role.name, text: text, formatter,
                    wall: output.clock.wall),
                to: .results)
        }
        output.line(EventText.line(event, text, columns: output.columns, clock: output.clock))
    }
}
