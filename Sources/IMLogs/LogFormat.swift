import Foundation

/// Why a format file cannot be used.
public struct LogFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String
}

/// A format file of lnav, version 1: the patterns of a log's lines, and in `search-table` those of the events in them.
///
/// An entry of `search-table` is named `KIND_NAME`; KIND is `call`, `return`, `callback`, `frame_in`, `frame_out` or
/// `life`. `KIND_NAME__FIELD_VALUE` sets a field. A group `event_name` gives the name instead, a group `fields` holds
/// `key=value` pairs, and any other group is a field of its name.
final class LogFormat {
    /// A pattern for the beginning of a line.
    struct Prefix {
        var name: String
        var pattern: LinePattern
    }

    /// A pattern for an event.
    struct Event {
        var kind: String
        var name: String
        var fields: [(String, String)]
        var pattern: LinePattern
    }

    let name: String
    let prefixes: [Prefix]
    let events: [Event]
    let timestamps: [TimestampPattern]
    let isJSON: Bool
    let timestampField: String
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
                description: "\(file) is no format file of lnav, version 1; see Documentation/Logs.md")
        }
        var formats: [LogFormat] = []
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            if case .format(let format) = member {
                formats.append(try LogFormat(name, format, from: file, isShipped: isShipped))
            }
        }
        guard !formats.isEmpty else { throw LogFormatError(description: "\(file) has no format") }
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
        // What stands behind a third pair of underscores only tells two entries of one event apart.
        return (kind, parts[0], fields)
    }
}

/// A regular expression with bounds: on the length of what it reads, and on its own form.
final class LinePattern {
    private let regex: Regex<AnyRegexOutput>
    private let names: [String]
    /// Whether it can only match where a text begins: then no other beginning is tried.
    private let isAnchored: Bool
    /// Bytes without which nothing matches; empty where there are none.
    private let literal: [UInt8]

    struct Refused: Error, CustomStringConvertible { var description: String }

    /// - Parameter isTrusted: whether it is one of ours, whose repetitions are known to end.
    init(_ pattern: String, isTrusted: Bool = false) throws {
        let pattern = pattern.replacing("(?P<", with: "(?<")
        guard isTrusted || !Self.canExplode(pattern) else {
            throw Refused(description: "repeats a group that repeats something itself, which can take forever")
        }
        do {
            regex = try Regex(pattern).dotMatchesNewlines()
        } catch {
            throw Refused(description: "is no regular expression: \(error)")
        }
        names = pattern.matches(of: /\(\?<([A-Za-z]\w*)>/).map { String($0.output.1) }
        literal = Self.literal(of: pattern)
        isAnchored = pattern.hasPrefix("^")
    }

    /// The groups that matched, by name; nil where the pattern does not match.
    func match(_ text: Substring) -> [String: Substring]? {
        guard literal.isEmpty || Self.contains(text, literal) else { return nil }
        guard let match = isAnchored ? try? regex.prefixMatch(in: text) : try? regex.firstMatch(in: text) else {
            return nil
        }
        var groups: [String: Substring] = [:]
        for name in names { if let found = match[name]?.substring { groups[name] = found } }
        return groups
    }

    private static func contains(_ text: Substring, _ literal: [UInt8]) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { ByteSearch.contains($0, literal) } ?? true
    }

    /// The longest run of plain characters outside of groups; none where alternatives stand outside.
    private static func literal(of pattern: String) -> [UInt8] {
        var best: [UInt8] = []
        var run: [UInt8] = []
        var depth = 0
        var inClass = false
        var escaped = false
        func end() {
            if run.count > best.count { best = run }
            run = []
        }
        for byte in pattern.utf8 {
            let character = Character(Unicode.Scalar(byte))
            if escaped {
                escaped = false
                if depth == 0, !inClass, ".[](){}|:-/+*?".contains(character) { run.append(byte) } else { end() }
                continue
            }
            switch character {
            case "\\": escaped = true
            case "[": inClass = true; end()
            case "]": inClass = false; end()
            case _ where inClass: break
            case "(": depth += 1; end()
            case ")": depth -= 1; end()
            case "|": if depth == 0 { return [] }
            case "?", "*", "{":
                if !run.isEmpty { run.removeLast() }
                end()
            case "+", ".", "^", "$", "}": end()
            case _ where byte < 128 && depth == 0: run.append(byte)
            default: end()
            }
        }
        end()
        return best.count >= 3 ? best : []
    }

    /// `(a+)+`, `(a*b*)*`: a group without end in which something else has none.
    static func canExplode(_ pattern: String) -> Bool {
        var stack: [Bool] = [false]
        var closed: Bool?
        var inClass = false
        var escaped = false
        let characters = Array(pattern)
        for (index, character) in characters.enumerated() {
            if escaped { escaped = false; closed = nil; continue }
            switch character {
            case "\\": escaped = true
            case "[" where !inClass: inClass = true; closed = nil
            case "]" where inClass: inClass = false; closed = nil
            case _ where inClass: break
            case "(": stack.append(false); closed = nil
            case ")":
                guard stack.count > 1 else { return false }
                closed = stack.removeLast()
                if closed == true { stack[stack.count - 1] = true }
            case "*", "+", "{":
                // `{2,5}` is bounded, `{2,}` is not.
                let isEndless = character != "{" || endless(characters[index...])
                if isEndless, closed == true { return true }
                if isEndless { stack[stack.count - 1] = true }
                closed = nil
            default: closed = nil
            }
        }
        return false
    }

    private static func endless(_ rest: ArraySlice<Character>) -> Bool {
        guard let end = rest.firstIndex(of: "}") else { return false }
        return rest[..<end].last == ","
    }
}

/// Looks for bytes in bytes: much faster than a search for characters.
enum ByteSearch {
    static func contains(_ bytes: UnsafeBufferPointer<UInt8>, _ literal: [UInt8]) -> Bool {
        guard bytes.count >= literal.count, let first = literal.first else { return literal.isEmpty }
        for start in 0...(bytes.count - literal.count) where bytes[start] == first {
            var index = 1
            while index < literal.count, bytes[start + index] == literal[index] { index += 1 }
            if index == literal.count { return true }
        }
        return false
    }
}
