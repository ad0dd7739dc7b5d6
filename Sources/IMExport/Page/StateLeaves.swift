import IMText

/// The values in a canonical state, each with its path: `{"link":{"id":4}}` is `link.id` = `4`.
///
/// Two states are compared by their leaves, so that a page shows the changes of an event instead of two long texts. It
/// reads only JSON of this program; anything else ends the reading at the first unreadable value.
struct StateLeaves {
    struct Leaf: Equatable {
        var path: String
        /// As in the JSON: a text keeps its quotes.
        var value: String
    }

    private let bytes: [UInt8]
    private var offset = 0
    private var leaves: [Leaf] = []

    /// Deeper than any of our states; everything below is one leaf.
    private static let depthMax = 64

    static func read(_ json: [UInt8]) -> [Leaf] {
        var reader = StateLeaves(bytes: json)
        _ = reader.value("", depth: 0)
        return reader.leaves
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Reads a value; false if it cannot.
    private mutating func value(_ path: String, depth: Int) -> Bool {
        guard depth < Self.depthMax else { return false }
        switch next {
        case UInt8(ascii: "{"): return object(path, depth: depth)
        case UInt8(ascii: "["): return array(path, depth: depth)
        case UInt8(ascii: "\""):
            guard let text = text() else { return false }
            leaves.append(Leaf(path: path, value: text))
            return true
        default:
            let start = offset
            while let byte = next, !Self.ends.contains(byte) { offset += 1 }
            guard offset > start else { return false }
            leaves.append(Leaf(path: path, value: String(decoding: bytes[start..<offset], as: UTF8.self)))
            return true
        }
    }

    private static let ends = [UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]")]

    private mutating func object(_ path: String, depth: Int) -> Bool {
        offset += 1
        if next == UInt8(ascii: "}") { return empty(path, "{}") }
        while true {
            guard let quoted = text(), next == UInt8(ascii: ":") else { return false }
            offset += 1
            let name = String(quoted.dropFirst().dropLast())
            // `_0` is the field of an enum case's value, and means nothing to a reader.
            let isPlain = name == "_0"
            let below = isPlain ? path : path.isEmpty ? name : "\(path).\(name)"
            guard value(below, depth: depth + 1) else { return false }
            guard skipComma(until: UInt8(ascii: "}")) else { return true }
        }
    }

    private mutating func array(_ path: String, depth: Int) -> Bool {
        offset += 1
        if next == UInt8(ascii: "]") { return empty(path, "[]") }
        var index = 0
        while true {
            guard value("\(path)[\(index)]", depth: depth + 1) else { return false }
            index += 1
            guard skipComma(until: UInt8(ascii: "]")) else { return true }
        }
    }

    private mutating func empty(_ path: String, _ value: String) -> Bool {
        offset += 1
        leaves.append(Leaf(path: path, value: value))
        return true
    }

    /// Skips a comma; false at the end of the list.
    private mutating func skipComma(until end: UInt8) -> Bool {
        defer { offset += 1 }
        return next == UInt8(ascii: ",")
    }

    /// A text with its quotes.
    private mutating func text() -> String? {
        guard next == UInt8(ascii: "\"") else { return nil }
        let start = offset
        offset += 1
        while let byte = next {
            offset += 1
            if byte == UInt8(ascii: "\\") {
                offset += 1
            } else if byte == UInt8(ascii: "\"") {
                return String(decoding: bytes[start..<min(offset, bytes.count)], as: UTF8.self)
            }
        }
        return nil
    }
}
