import Foundation

/// The reason why a format file is invalid.
public struct LogFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error and the remedy.
    public var description: String
}

/// A format file of lnav, version 1: the patterns of a log's lines, and in `search-table` those of the events in them.
///
/// An entry of `search-table` is named `KIND_NAME`. KIND is `call`, `return`, `callback`, `frame_in`, `frame_out` or
/// `life`. `KIND_NAME__FIELD_VALUE` sets a field. A group `event_name` replaces NAME, a group `fields` contains
/// `key=value` pairs, and each other group is a field with the group's name.
final class LogFormat {
    /// A pattern for the prefix of a line.
    struct Prefix {
        let name: String
        let pattern: LinePattern
    }

    /// A pattern for an event.
    final class Event {
        let kind: String
        let name: String
        let fields: [(String, String)]
        let pattern: LinePattern

        init(kind: String, name: String, fields: [(String, String)], pattern: LinePattern) {
            (self.kind, self.name, self.fields, self.pattern) = (kind, name, fields, pattern)
        }
    }

    let name: String
    let prefixes: [Prefix]
    let events: [Event]
    let timestamps: [TimestampPattern]
    let isJSON: Bool
    let timestampField: String
    /// The index of the timestamp format of the last line. The next line probably has the same format.
    private var lastTimestamp = 0
    let bodyField: String

    private struct File: Decodable {
        struct Pattern: Decodable { var pattern: String }
        var json: Bool?
        var regex: [String: Pattern]?
        var timestampField: String?
        var bodyField: String?
        var timestampFormat: [String]?
        var searchTable: [String: Pattern]?

        enum CodingKeys: String, CodingKey {
            case json, regex
            case timestampField = "timestamp-field"
            case bodyField = "body-field"
            case timestampFormat = "timestamp-format"
            case searchTable = "search-table"
        }
    }

    private enum Member: Decodable {
        case format(File)
        case other

        init(from decoder: any Decoder) throws {
            if (try? decoder.singleValueContainer().decode(String.self)) != nil {
                self = .other
            } else {
                self = .format(try File(from: decoder))
            }
        }
    }

    /// Reads the formats of a file, in the order of their names.
    static func read(_ text: String, from file: String, isShipped: Bool = false) throws -> [LogFormat] {
        let members: [String: Member]
        do {
            members = try JSONDecoder().decode([String: Member].self, from: Data(text.utf8))
        } catch {
            throw LogFormatError(
                description: "\(file) is not a format file of lnav, version 1; see Documentation/Logs.md")
        }
        var formats: [LogFormat] = []
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            if case .format(let format) = member {
                formats.append(try LogFormat(name, format, from: file, isShipped: isShipped))
            }
        }
        guard !formats.isEmpty else { throw LogFormatError(description: "\(file) contains no format") }
        return formats
    }

    private init(_ name: String, _ file: File, from path: String, isShipped: Bool) throws {
        self.name = name
        func compiled(_ key: String, _ pattern: String) throws -> LinePattern {
            do {
                return try LinePattern(pattern, isTrusted: isShipped)
            } catch {
                throw LogFormatError(description: "\(path): the pattern '\(key)' of '\(name)' \(error)")
            }
        }
        prefixes = try (file.regex ?? [:]).sorted { $0.key < $1.key }.map {
            Prefix(name: $0.key, pattern: try compiled($0.key, $0.value.pattern))
        }
        events = try (file.searchTable ?? [:]).sorted { $0.key < $1.key }.map {
            let (kind, name, fields) = try Self.event($0.key, in: path)
            return Event(kind: kind, name: name, fields: fields, pattern: try compiled($0.key, $0.value.pattern))
        }
        timestamps = (file.timestampFormat ?? []).map(TimestampPattern.init)
        isJSON = file.json ?? false
        timestampField = file.timestampField ?? "timestamp"
        bodyField = file.bodyField ?? "body"
    }

    func time(of stamp: String) -> LogTime? {
        if lastTimestamp < timestamps.count, let time = timestamps[lastTimestamp].read(stamp) { return time }
        for (index, pattern) in timestamps.enumerated() where index != lastTimestamp {
            guard let time = pattern.read(stamp) else { continue }
            lastTimestamp = index
            return time
        }
        return nil
    }

    private static let kinds = ["frame_in", "frame_out", "callback", "return", "call", "life"]

    private static func event(_ key: String, in path: String) throws -> (String, String, [(String, String)]) {
        guard let kind = kinds.first(where: { key.hasPrefix($0 + "_") }) else {
            throw LogFormatError(
                description: "\(path): the search-table entry '\(key)' names no event; "
                    + "begin it with one of: \(kinds.map { $0 + "_" }.joined(separator: ", "))")
        }
        let parts = key.dropFirst(kind.utf8.count + 1).components(separatedBy: "__")
        let fields = parts.dropFirst().compactMap { part -> (String, String)? in
            guard let cut = part.lastIndex(of: "_") else { return nil }
            return (String(part[..<cut]), String(part[part.index(after: cut)...]))
        }
        // A part without a value only distinguishes two entries for one event.
        return (kind, parts[0], fields)
    }
}
