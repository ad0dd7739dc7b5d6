import IMText

/// The values in the JSON of a state, each with its path: `{"link":{"id":4}}` is `link.id` = `4`.
///
/// Two states are compared by their leaves, so that a page shows the changes of an event instead of two long texts. The
/// reader accepts only JSON that this program wrote. At the first value that it cannot read, it stops.
struct StateLeaves {
    struct Leaf: Equatable {
        var path: String
        /// The value as in the JSON. A text includes its quotes.
        var value: String
    }

    private let bytes: [UInt8]
    private var offset = 0
    private var leaves: [Leaf] = []

    /// The maximum depth. No state of a machine is that deep. A deeper value cannot be read.
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

    /// Reads one value; false if the bytes are not a value.
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
            // Swift encodes the value of an enum case in a field `_0`. The name has no meaning for a reader, so it is
            // not part of the path.
            let isUnnamed = name == "_0"
            let below = isUnnamed ? path : path.isEmpty ? name : "\(path).\(name)"
            guard value(below, depth: depth + 1) else { return false }
            guard skipComma() else { return true }
        }
    }

    private mutating func array(_ path: String, depth: Int) -> Bool {
        offset += 1
        if next == UInt8(ascii: "]") { return empty(path, "[]") }
        var index = 0
        while true {
            guard value("\(path)[\(index)]", depth: depth + 1) else { return false }
            index += 1
            guard skipComma() else { return true }
        }
    }

    private mutating func empty(_ path: String, _ value: String) -> Bool {
        offset += 1
        leaves.append(Leaf(path: path, value: value))
        return true
    }

    /// Reads the byte after a value of a list. True for a comma, false for the bracket at the end of the list.
    private mutating func skipComma() -> Bool {
        defer { offset += 1 }
        return next == UInt8(ascii: ",")
    }

    /// Reads a text with its quotes; nil if the bytes are not a text.
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
