import Foundation
import IMProtocol
import IMSession

/// A line that is a JSON object. It comes from `log show --style ndjson`, from the tap (`Packages/Tap`), or from a log
/// whose format file has `json`.
struct JSONLine {
    var split: LogReader.SplitLine
    var format: String?

    static func read(_ text: String, _ number: Int, _ formats: [LogFormat]) -> JSONLine? {
        guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            return nil
        }
        if let line = tap(object, number) { return JSONLine(split: line, format: "imrepl_tap") }
        for format in formats where format.isJSON {
            guard let stamp = object[format.timestampField] as? String, let body = object[format.bodyField] as? String
            else { continue }
            var line = LogReader.SplitLine(number: number, body: LogReader.text(body))
            line.stamp = LogReader.clipped(stamp)
            line.time = format.time(of: stamp) ?? isoTime(stamp)
            line.pid = (object["processID"] as? Int) ?? (object["pid"] as? Int)
            if let ticks = object["machTimestamp"] as? Int64, (0..<MachTimebase.ticksMax).contains(ticks) {
                line.machTicks = ticks
            }
            return JSONLine(split: line, format: format.name)
        }
        return nil
    }

    /// Reads a line of the tap, which contains an event; nil for another object.
    private static func tap(_ object: [String: Any], _ number: Int) -> LogReader.SplitLine? {
        guard object["v"] is Int, let word = object["kind"] as? String, let name = object["name"] as? String else {
            return nil
        }
        var line = LogReader.SplitLine(number: number, body: "")
        var event: LoggedEvent
        if let kind = LoggedEvent.Kind(rawValue: word) {
            event = LoggedEvent(kind: kind, name: LogReader.clipped(name), line: number)
        } else {
            guard word == "start" else { return nil }
            event = LoggedEvent(kind: .life, name: LoggedEvent.processStarted, line: number)
        }
        for (key, value) in (object["args"] as? [String: Any] ?? [:]).sorted(by: { $0.key < $1.key }) {
            event.fields.append(AnswerField(name: LogReader.clipped(key), value: LogReader.clipped("\(value)")))
        }
        if let id = object["id"] as? Int { event.fields.append(AnswerField(name: "id", value: String(id))) }
        line.event = event
        line.pid = object["pid"] as? Int
        line.steady = clockReading(object["mono"])
        line.awake = clockReading(object["awake"])
        if let wall = object["wall"] as? String {
            line.stamp = LogReader.clipped(wall)
            line.time = isoTime(wall)
        }
        return line
    }

    /// The nanoseconds of a clock. A line may contain any number, so invalid ones are ignored.
    private static func clockReading(_ value: Any?) -> Int64? {
        guard let value = value as? Int64, (0..<Int64.max / 4).contains(value) else { return nil }
        return value
    }

    private static let isoFormats = ["%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S.%f%z"]
        .map(TimestampPattern.init)

    private static func isoTime(_ text: String) -> LogTime? {
        isoFormats.lazy.compactMap { $0.read(text) }.first
    }
}

/// The export of Android Studio, which is one JSON document with all messages.
enum AndroidStudioFile {
    static func messages(_ bytes: [UInt8]) -> [LogReader.SplitLine]? {
        guard bytes.first == UInt8(ascii: "{"), bytes.count < 64 << 20,
            let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            let messages = object["logcatMessages"] as? [[String: Any]]
        else { return nil }
        return messages.enumerated().map { index, message in
            let body = message["message"] as? String ?? ""
            var line = LogReader.SplitLine(number: index + 1, body: LogReader.text(body))
            let header = message["header"] as? [String: Any]
            line.pid = header?["pid"] as? Int
            if let stamp = header?["timestamp"] as? [String: Any], let seconds = stamp["seconds"] as? Int,
                (0..<10_000_000_000).contains(seconds)
            {
                var time = LogTime()
                (time.seconds, time.nanosecond, time.step) = (seconds, stamp["nanos"] as? Int ?? 0, 1_000_000)
                (line.time, line.stamp) = (time, String(seconds))
            }
            return line
        }
    }
}
