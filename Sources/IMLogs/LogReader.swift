import Foundation
import IMProtocol
import IMSession
import IMText

/// Reads the text of a log. Confined to one thread: compiled patterns are not shared.
public final class LogReader {
    /// The maximum number of bytes of a line that are matched.
    static let lineBytesMax = 4096
    /// The maximum number of bytes of a line that are stored.
    static let storedBytesMax = 600
    /// The maximum number of stored lines that no pattern matches. Further ones are only counted.
    static let unknownStoredMax = 50_000
    private static let continuationsMax = 64

    private let formats: [LogFormat]
    private let events: [(format: String, entry: LogFormat.Event)]
    private let secrets = LogSecrets()
    private let fieldList = FieldList()
    private let options: LogOptions
    var log = ObservedLog()
    private var clock = LogClock()
    private var used: [String: Int] = [:]
    private var prefixes: [(format: LogFormat, prefix: LogFormat.Prefix)] = []
    /// A pattern that is too slow for the lines of this log, with its format.
    var slowPattern: (event: String, format: String)?
    /// The incomplete last line of a growing log.
    var partialLine: [UInt8] = []
    /// The number of the last complete line.
    var lineNumber = 0
    /// A line that the next lines may continue.
    private var pending: SplitLine?
    /// The numbers of the log's processes, by their process ids.
    private var processes: [Int: Int] = [:]
    private var process = 0
    private var unknownStored = 0
    /// True if the log has shown the process id of the newest process.
    private var hasProcessID = false

    /// A line, split into prefix and text.
    struct SplitLine {
        var number: Int
        var body: String
        var stamp = ""
        var time: LogTime?
        var pid: Int?
        /// The time of a monotonic clock, in nanoseconds.
        var steady: Int64?
        /// The time of the same clock in ticks, from 0 to less than ``MachTimebase/ticksMax``.
        var machTicks: Int64?
        /// The time of a clock that stops while the device sleeps, in nanoseconds.
        var awake: Int64?
        var lineCount = 1
        /// The event in a line of the tap. Such a line needs no pattern.
        var event: LoggedEvent?
        /// True for the last line of an entry whose text is on the lines before.
        var isTrailer = false
    }

    /// - Throws: ``LogFormatError`` for an invalid format file.
    public init(_ options: LogOptions) throws {
        self.options = options
        var formats: [LogFormat] = []
        for file in options.formats { formats += try LogFormat.read(file.text, from: file.name) }
        for file in ShippedFormats.all {
            formats += try LogFormat.read(file.text, from: file.name, isShipped: true)
        }
        self.formats = formats
        events = formats.flatMap { format in format.events.map { (format.name, $0) } }
        prefixes = formats.flatMap { format in format.prefixes.map { (format, $0) } }
        clock.year = options.year
    }

    // MARK: Lines

    func take(_ text: String, _ number: Int) {
        if text.utf8.allSatisfy({ $0 == 32 }) {
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

    func take(_ message: SplitLine) {
        log.lineCount += 1
        pending = message
        flush()
    }

    /// True if the next line may continue this one.
    private func isOpen(_ line: SplitLine) -> Bool {
        guard line.stamp != "" || line.body.isEmpty else { return false }
        return line.body.isEmpty || line.body.hasSuffix(":") || line.body.hasSuffix("{") || line.lineCount > 1
    }

    private func split(_ text: String, _ number: Int) -> SplitLine? {
        if text.hasPrefix("{"), let line = JSONLine.read(text, number, formats) {
            if let name = line.format { used[name, default: 0] += 1 }
            return line.split
        }
        guard var line = prefixed(text, number) else { return nil }
        // A line of the system's log can contain a line of the SDK's own log, with another prefix.
        if Self.mayHavePrefix(line.body), let inner = prefixed(line.body, number), !inner.isTrailer {
            line.body = inner.body
            if inner.time != nil { (line.time, line.stamp) = (inner.time, inner.stamp) }
            line.pid = line.pid ?? inner.pid
        }
        return line
    }

    /// A prefix inside a line begins with a time or a bracket.
    private static func mayHavePrefix(_ body: String) -> Bool {
        guard let first = body.utf8.first else { return false }
        return first == UInt8(ascii: "[") || (first >= 48 && first <= 57) || body.hasPrefix("flutter: ")
    }

    private func prefixed(_ text: String, _ number: Int) -> SplitLine? {
        var text = text
        return text.withUTF8 { prefixed($0, number) }
    }

    private func prefixed(_ text: UnsafeBufferPointer<UInt8>, _ number: Int) -> SplitLine? {
        for index in prefixes.indices {
            let (format, prefix) = prefixes[index]
            guard let groups = prefix.pattern.match(text) else {
                if prefix.pattern.isTooSlow { slowPattern = slowPattern ?? (prefix.name, format.name) }
                continue
            }
            var line = SplitLine(number: number, body: groups[format.bodyField] ?? "")
            if let stamp = groups[format.timestampField] {
                guard let time = format.time(of: stamp) else { continue }
                (line.time, line.stamp) = (time, stamp)
            }
            line.pid = groups["pid"].flatMap { Int($0) }
            line.isTrailer = prefix.name.hasPrefix("after")
            used[format.name, default: 0] += 1
            // Most lines have the form of the previous line, so its pattern is tried first.
            if index > 0 { prefixes.insert(prefixes.remove(at: index), at: 0) }
            return line
        }
        return nil
    }

    func flush() {
        guard let line = pending else { return }
        pending = nil
        var event = line.event ?? event(of: line)
        let isUnderstood = event != nil
        if isUnderstood { log.understoodCount += line.lineCount }
        if !isUnderstood {
            guard unknownStored < Self.unknownStoredMax else {
                log.unstoredCount += line.lineCount
                return
            }
            unknownStored += 1
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
        if isUnderstood { log.isSteady = clock.isSteady }
    }

    /// Determines the process of an event. Another process id means another process, even if the line of its start is
    /// missing.
    private func enterProcess(_ event: inout LoggedEvent, _ line: SplitLine) {
        let isStart = event.kind == .life && event.name == LoggedEvent.processStarted
        if let pid = line.pid, let known = processes[pid], !isStart {
            process = known
            return
        }
        if let pid = line.pid, !isStart, log.processCount > 0, !hasProcessID {
            // The first lines of the process had no process id.
            processes[pid] = process
            hasProcessID = true
            return
        }
        if isStart || line.pid != nil || log.processCount == 0 {
            let hadProcess = log.processCount > 0
            log.processCount += 1
            process = log.processCount
            if let pid = line.pid { processes[pid] = process }
            hasProcessID = line.pid != nil
            if !isStart, hadProcess {
                var start = LoggedEvent(kind: .life, name: LoggedEvent.processStarted, line: line.number)
                start.process = process
                start.text = LoggedEvent.startMissing
                log.entries.append(.init(offset: clock.offset, event: start))
            }
        }
    }

    private func event(of line: SplitLine) -> LoggedEvent? {
        var body = line.body
        return body.withUTF8 { body in
            for (format, entry) in events {
                guard let groups = entry.pattern.match(body) else {
                    if entry.pattern.isTooSlow { slowPattern = slowPattern ?? (entry.name, format) }
                    continue
                }
                used[format, default: 0] += 1
                return event(entry, groups, line.number)
            }
            return nil
        }
    }

    private func event(
        _ entry: LogFormat.Event, _ groups: LineGroups, _ number: Int
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
        let name = groups["event_name"] ?? entry.name
        var event = LoggedEvent(kind: kind, name: name, line: number)
        event.direction = direction
        event.fields = entry.fields.map { AnswerField(name: $0.0, value: $0.1) }
        for (name, value) in groups.inOrder where name != "event_name" {
            if name == "fields" {
                event.fields += fieldList.read(value)
            } else {
                event.fields.append(AnswerField(name: name, value: value))
            }
        }
        return event
    }

    static func clipped(_ text: String) -> String {
        if text.utf8.count <= storedBytesMax { return text }
        return String(decoding: text.utf8.prefix(storedBytesMax), as: UTF8.self) + "…"
    }

    /// True if the log has a result, a callback or a frame of a process. If it has none of them, the log ends shortly
    /// after the start of the process.
    private func hasReaction(process: Int) -> Bool {
        log.entries.contains { entry in
            guard entry.event.process == process else { return false }
            switch entry.event.kind {
            case .return, .callback, .frame: return true
            case .call, .life, .line: return false
            }
        }
    }

    func finished() -> ObservedLog {
        log.formats = used.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        log.start = clock.start
        log.isLocal = clock.isLocal
        log.hasTimes = clock.hasTime
        if log.processCount > 1, !hasReaction(process: log.processCount) {
            log.processCount -= 1
            log.endsInProcessHead = true
        }
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

/// Reads fields in the form `a=1 b="two words"`.
final class FieldList {
    private let pattern = try? BytePattern(#"([\w.-]+)=("(?:[^"\\]|\\.)*"|\S+)"#)

    func read(_ text: String) -> [AnswerField] {
        guard !text.isEmpty, let pattern else { return [] }
        var text = text
        return text.withUTF8 { bytes in
            var fields: [AnswerField] = []
            var end = 0
            while let match = pattern.match(bytes, from: end), let name = pattern.range(0), let found = pattern.range(1)
            {
                var value = String(decoding: bytes[found], as: UTF8.self)
                if value.hasPrefix("\"") {
                    value = (try? JSONDecoder().decode(String.self, from: Data(value.utf8))) ?? value
                }
                fields.append(AnswerField(name: String(decoding: bytes[name], as: UTF8.self), value: value))
                end = match.upperBound
            }
            return fields
        }
    }
}
