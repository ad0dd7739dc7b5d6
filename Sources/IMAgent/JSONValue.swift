/// A JSON value from a client. Members keep their order. A number keeps its digits, so that a response contains the
/// request's id unchanged.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// The digits of a number.
    case number(String)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Names with values, in the order of the text.
    case object([Member])

    /// A name with its value.
    public struct Member: Hashable, Sendable {
        /// The name.
        public var name: String
        /// The value.
        public var value: JSONValue
    }

    /// The maximum depth of nested values. A text with deeper values is rejected, because the parser is recursive.
    static let depthMax = 32

    /// Reads a text that consists of one JSON value; nil for any other text.
    public init?(_ text: String) {
        var parser = JSONParser(bytes: Array(text.utf8))
        guard let value = parser.wholeValue() else { return nil }
        self = value
    }

    /// The value of the first member with this name; nil if there is none or the value is not an object.
    public subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The text; nil if the value is not a text.
    public var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The number; nil if the value is not a whole number, or does not fit in an `Int`.
    public var integer: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }

    /// The value as JSON in one line.
    public var line: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let digits): digits
        case .string(let text): Self.quoted(text)
        case .array(let values): "[" + values.map(\.line).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.line }.joined(separator: ",") + "}"
        }
    }

    /// A text as a JSON string, in one line. Control characters are escaped.
    public static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

/// Reads JSON (RFC 8259).
private struct JSONParser {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func wholeValue() -> JSONValue? {
        guard let value = value(depth: 0) else { return nil }
        skipSpace()
        return position == bytes.count ? value : nil
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func take(word: StaticString, _ value: JSONValue) -> JSONValue? {
        let expected = Array("\(word)".utf8)
        guard bytes[position...].starts(with: expected) else { return nil }
        position += expected.count
        return value
    }

    private mutating func value(depth: Int) -> JSONValue? {
        guard depth < JSONValue.depthMax else { return nil }
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return take(word: "true", .bool(true))
        case UInt8(ascii: "f"): return take(word: "false", .bool(false))
        case UInt8(ascii: "n"): return take(word: "null", .null)
        default: return number()
        }
    }

    private mutating func object(depth: Int) -> JSONValue? {
        position += 1
        var members: [JSONValue.Member] = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object([]) }
        while true {
            skipSpace()
            guard current == UInt8(ascii: "\""), let name = string() else { return nil }
            skipSpace()
            guard take(UInt8(ascii: ":")), let value = value(depth: depth + 1) else { return nil }
            members.append(.init(name: name, value: value))
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func array(depth: Int) -> JSONValue? {
        position += 1
        var values: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array([]) }
        while true {
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(values) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func digits() -> Bool {
        let start = position
        while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
        return position > start
    }

    private mutating func number() -> JSONValue? {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { guard digits() else { return nil } }
        if take(UInt8(ascii: ".")) { guard digits() else { return nil } }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() else { return nil }
        }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func string() -> String? {
        position += 1
        var content: [UInt8] = []
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                content += Array(String(Character(scalar)).utf8)
            case 0..<0x20: return nil
            default: content.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = current else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "u"):
            guard let first = unit() else { return nil }
            guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let second = unit(),
                (0xDC00..<0xE000).contains(second)
            else { return nil }
            return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        default: return nil
        }
    }

    private mutating func unit() -> UInt32? {
        guard position + 4 <= bytes.count else { return nil }
        let text = String(decoding: bytes[position..<position + 4], as: UTF8.self)
        guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
        position += 4
        return UInt32(text, radix: 16)
    }
}
