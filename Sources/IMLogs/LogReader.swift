import Foundation
import IMProtocol
import IMSession

/// Reads the text of a log. Confined to one thread: compiled patterns are not shared.
public final class LogReader {
    /// So many bytes of a line are looked at.
    static let lineBytesMax = 4096
    /// So many bytes of a line are kept.
    static let keptBytesMax = 600
    /// So many lines that are not understood are kept; the others are counted.
    static let unknownKeptMax = 50_000
    private static let continuationsMax = 64

    private let formats: [LogFormat]
    private let secrets = LogSecrets()
    private let fieldList = FieldList()
    private let options: LogOptions
    private var log = ObservedLog()
    private var clock = LogClock()
    private var used: [String: Int] = [:]
    private var prefixes: [(format: LogFormat, prefix: LogFormat.Prefix)] = []
    /// The line that the next ones may continue.
    private var pending: SplitLine?
    /// The processes of the log, by the system's number.
    private var processes: [Int: Int] = [:]
    private var process = 0
    private var unknownKept = 0
    /// Whether the number of the newest process is known.
    private var hasProcessID = false

    /// A line without what stands before its words.
    struct SplitLine {
        var number: Int
        var body: String
        var stamp = ""
        var time: LogTime?
        var pid: Int?
        /// A clock that is never set, in nanoseconds.
        var steady: Int64?
        /// A clock that stops while the device sleeps, in nanoseconds.
        var awake: Int64?
        var lineCount = 1
        /// Of the tap: the event is known already.
        var event: LoggedEvent?
        /// Whether the words stand on the lines before.
        var isTrailer = false
    }

    /// - Throws: ``LogFormatError`` for a format file that cannot be used.
    public init(_ options: LogOptions) throws {
        self.options = options
        var formats: [LogFormat] = []
        for file in options.formats { formats += try LogFormat.read(file.text, from: file.name) }
        for file in ShippedFormats.all {
            formats += try LogFormat.read(file.text, from: file.name, isShipped: true)
        }
        self.formats = formats
        prefixes = formats.flatMap { format in format.prefixes.map { (format, $0) } }
        clock.year = options.year
    }

    /// Reads a whole log.
    ///
    /// - Parameter progress: is given the number of each line before it is read.
    /// - Throws: ``LogError`` for what is no text.
    public func read(_ bytes: [UInt8], progress: (Int) -> Void = { _ in }) throws -> ObservedLog {
        guard !bytes.isEmpty else { throw LogError(description: "the file is empty") }
        if bytes.prefix(4096).contains(0) {
            throw LogError(description: "the file is binary: a log is text")
        }
        if let messages = AndroidStudioFile.messages(bytes) {
            for (index, message) in messages.enumerated() {
                progress(index + 1)
                take(message)
            }
        } else {
            var number = 0
            var start = 0
            while start < bytes.count {
                let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                number += 1
                progress(number)
                take(Self.text(bytes[start..<end]), number)
                start = end + 1
            }
        }
        flush()
        return finished()
    }

    /// The words of a line: bounded, and without anything that a terminal obeys.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes.prefix(lineBytesMax), as: UTF8.self)
        guard bytes.contains(where: { $0 < 32 || $0 == 127 || $0 == 0xC2 }) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.value == 9 {
                scalars.append(" ")
            } else if scalar.value >= 32, !(127..<160).contains(scalar.value) {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    // MARK: Lines

    private func take(_ text: String, _ number: Int) {
        if text.allSatisfy({ $0 == " " }) {
            flush()
            return
        }
        log.lineCount += 1
        guard let split = split(text, number) else {
            if var line = pending, isOpen(line), line.lineCount < Self.continuationsMax {
                line.body += (line.body.isEmpty ? "" : " ") + text
                line.lineCount += 1
                pending = line
                return
            }
            flush()
            pending = SplitLine(number: number, body: text)
            return
        }
        if split.isTrailer, var line = pending {
            (line.time, line.stamp) = (split.time, split.stamp)
            line.lineCount += 1
            pending = line
            flush()
            return
        }
        flush()
        pending = split
    }

    private func take(_ message: SplitLine) {
        log.lineCount += 1
        pending = message
        flush()
    }

    /// Whether a line goes on in the next one.
    private func isOpen(_ line: SplitLine) -> Bool {
        guard line.stamp != "" || line.body.isEmpty else { return false }
        return line.body.isEmpty || line.body.hasSuffix(":") || line.body.hasSuffix("{") || line.lineCount > 1
    }

    private func split(_ text: String, _ number: Int) -> SplitLine? {
        if text.hasPrefix("{"), let line = JSONLine.read(text, number, formats) {
            if let name = line.format { used[name, default: 0] += 1 }
            return line.split
        }
        guard var line = prefixed(text[...], number) else { return nil }
        // The log of an SDK stands behind the prefix of the system.
        if Self.mayHavePrefix(line.body), let inner = prefixed(line.body[...], number), !inner.isTrailer {
            line.body = inner.body
            if inner.time != nil { (line.time, line.stamp) = (inner.time, inner.stamp) }
            line.pid = line.pid ?? inner.pid
        }
        return line
    }

    /// A prefix within a line begins with a time or a bracket.
    private static func mayHavePrefix(_ body: String) -> Bool {
        guard let first = body.utf8.first else { return false }
        return first == UInt8(ascii: "[") || (first >= 48 && first <= 57) || body.hasPrefix("flutter: ")
    }

    private func prefixed(_ text: Substring, _ number: Int) -> SplitLine? {
        for index in prefixes.indices {
            let (format, prefix) = prefixes[index]
            guard let groups = prefix.pattern.match(text) else { continue }
            var line = SplitLine(number: number, body: groups[format.bodyField].map(String.init) ?? "")
            if let stamp = groups[format.timestampField] {
                guard let time = format.timestamps.lazy.compactMap({ $0.read(stamp) }).first else { continue }
                (line.time, line.stamp) = (time, String(stamp))
            }
            line.pid = groups["pid"].flatMap { Int($0) }
            line.isTrailer = prefix.name.hasPrefix("after")
            used[format.name, default: 0] += 1
            // Most lines have the form of the line before.
            if index > 0 { prefixes.insert(prefixes.remove(at: index), at: 0) }
            return line
        }
        return nil
    }

    private func flush() {
        guard let line = pending else { return }
        pending = nil
        var event = line.event ?? event(of: line)
        let isUnderstood = event != nil
        if isUnderstood { log.understoodCount += line.lineCount }
        if !isUnderstood {
            guard unknownKept < Self.unknownKeptMax else {
                log.unkeptCount += line.lineCount
                return
            }
            unknownKept += 1
            event = LoggedEvent(kind: .line, name: "line", line: line.number)
        }
        guard var event else { return }
        let jump = clock.take(line)
        if isUnderstood { enterProcess(&event, line) }
        event.stamp = line.stamp
        event.uncertainty = line.time?.step ?? 0
        event.process = process
        if event.text.isEmpty { event.text = secrets.cleaned(Self.clipped(line.body)) }
        for index in event.fields.indices {
            let value = Self.clipped(event.fields[index].value)
            event.fields[index].value =
                options.keepsTexts ? value : secrets.cleaned(event.fields[index].name, value)
        }
        if let jump {
            var set = LoggedEvent(kind: .life, name: "clock-set", line: line.number)
            set.fields = [AnswerField(name: "by-ms", value: String(jump / 1_000_000))]
            set.process = process
            log.entries.append(.init(offset: clock.offset, event: set))
        }
        log.entries.append(.init(offset: clock.offset, event: event, awake: line.awake))
        if isUnderstood { log.isSteady = line.steady != nil }
    }

    /// Another process is another one though its first line is missing.
    private func enterProcess(_ event: inout LoggedEvent, _ line: SplitLine) {
        let isStart = event.kind == .life && event.name == LoggedEvent.processStarted
        if let pid = line.pid, let known = processes[pid], !isStart {
            process = known
            return
        }
        if let pid = line.pid, !isStart, log.processCount > 0, !hasProcessID {
            // The process began with a line without its number.
            processes[pid] = process
            hasProcessID = true
            return
        }
        if isStart || line.pid != nil || log.processCount == 0 {
            let wasThere = log.processCount > 0
            log.processCount += 1
            process = log.processCount
            if let pid = line.pid { processes[pid] = process }
            hasProcessID = line.pid != nil
            if !isStart, wasThere {
                var start = LoggedEvent(kind: .life, name: LoggedEvent.processStarted, line: line.number)
                start.process = process
                start.text = "another process writes: its first line is missing"
                log.entries.append(.init(offset: clock.offset, event: start))
            }
        }
    }

    private func event(of line: SplitLine) -> LoggedEvent? {
        for format in formats {
            for entry in format.events {
                guard let groups = entry.pattern.match(line.body[...]) else { continue }
                used[format.name, default: 0] += 1
                return event(entry, groups, line.number)
            }
        }
        return nil
    }

    private func event(
        _ entry: LogFormat.Event, _ groups: [String: Substring], _ number: Int
    ) -> LoggedEvent {
        let (kind, direction): (LoggedEvent.Kind, String?) =
            switch entry.kind {
            case "call": (.call, nil)
            case "return": (.return, nil)
            case "frame_in": (.frame, "in")
            case "frame_out": (.frame, "out")
            case "life": (.life, nil)
            default: (.callback, nil)
            }
        let name = groups["event_name"].map(String.init) ?? entry.name
        var event = LoggedEvent(kind: kind, name: name, line: number)
        event.direction = direction
        event.fields = entry.fields.map { AnswerField(name: $0.0, value: $0.1) }
        for (name, value) in groups.sorted(by: { $0.value.startIndex < $1.value.startIndex })
        where name != "event_name" {
            if name == "fields" {
                event.fields += fieldList.read(value)
            } else {
                event.fields.append(AnswerField(name: name, value: String(value)))
            }
        }
        return event
    }

    static func clipped(_ text: String) -> String {
        text.utf8.count <= keptBytesMax ? text : String(decoding: text.utf8.prefix(keptBytesMax), as: UTF8.self) + "…"
    }

    private func finished() -> ObservedLog {
        log.formats = used.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        log.start = clock.start
        log.isLocal = clock.isLocal
        let profile = options.profile ?? ProfileVotes(log.entries.map(\.event), formats: used).winner
        log.profile = profile
        if let profile {
            let states = CallbackStates(profile: profile)
            for index in log.entries.indices {
                log.entries[index].event.state = states.state(after: log.entries[index].event)
            }
        }
        return log
    }
}

/// `a=1 b="two words"`.
///
/// An object, because a regular expression is compiled once for each.
final class FieldList {
    private let pattern = /([\w.-]+)=("(?:[^"\\]|\\.)*"|\S+)/

    func read(_ text: Substring) -> [AnswerField] {
        guard !text.isEmpty else { return [] }
        return text.matches(of: pattern).map { match in
            var value = String(match.output.2)
            if value.hasPrefix("\"") {
                value = (try? JSONDecoder().decode(String.self, from: Data(value.utf8))) ?? value
            }
            return AnswerField(name: String(match.output.1), value: value)
        }
    }
}
