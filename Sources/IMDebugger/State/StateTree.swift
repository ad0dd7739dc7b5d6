import IMSession
import IMText

/// A machine's state as names and values. The tree is read from the machine's canonical JSON, so watches, output and
/// comparisons have exactly the contents of a keyframe. Two differences from the JSON make paths shorter. The name
/// `_0`, which the encoder gives to the first value of an enum case, is omitted. A table that the encoder writes as a
/// list of keys and values is an object.
package indirect enum StateTree: Equatable, Sendable {
    case object([Field])
    case list([StateTree])
    case text(String)
    /// A number, `true`, `false` or `null`, as in the JSON text.
    case bare(String)

    package struct Field: Equatable, Sendable {
        var name: String
        var value: StateTree
    }

    /// Reads JSON; nil for invalid JSON.
    init?(json bytes: [UInt8]) {
        var parser = StateTreeParser(bytes: bytes)
        guard let tree = parser.value(), parser.isAtEnd else { return nil }
        self = tree
    }

    /// The tree of a machine: first the most useful fields, then the whole state.
    package init?(_ machine: NodeMachine) {
        guard let json = try? IMSessionSchema().encodeState(machine), case .object(let sides) = StateTree(json: json),
            case .object(let fields)? = sides.first?.value
        else { return nil }
        guard let client = machine.client else {
            self = .object(fields)
            return
        }
        var shown = [Field(name: "state", value: .text(client.state.name))]
        if let user = client.user { shown.append(Field(name: "user", value: .text(user))) }
        let phase = fields.first { $0.name == "phase" }?.value
        if let login = phase?.login { shown.append(Field(name: "login", value: login)) }
        self = .object(shown + fields)
    }

    /// The login within a phase: `{"online":{"_0":{"user":…},"since":…}}`.
    private var login: StateTree? {
        guard case .object(let phases) = self, let value = phases.first?.value else { return nil }
        return value["user"] == nil ? nil : value
    }

    /// The value of a field, or of an element by its index.
    package subscript(name: String) -> StateTree? {
        switch self {
        case .object(let fields):
            // The name is the stored or the displayed name of the field.
            (fields.first { $0.name == name } ?? fields.first { StateText.kebab($0.name) == name })?.value
        case .list(let values):
            if name == "count" { .bare(String(values.count)) } else { UInt16(name).flatMap { values.at(Int($0)) } }
        case .text, .bare: nil
        }
    }

    /// The value at a path such as `phase.kicked.reason`; a name may contain dots.
    package subscript(path path: Substring) -> StateTree? {
        if path.isEmpty { return self }
        if let value = self[String(path)] { return value }
        var end = path.endIndex
        while let point = path[..<end].lastIndex(of: ".") {
            let rest = path[path.index(after: point)...]
            if let value = self[String(path[..<point])]?[path: rest] { return value }
            end = point
        }
        return nil
    }

    /// The longest first part of a path that exists in the tree; empty if not even the first name exists.
    func existingPart(of path: String) -> Substring {
        var part = path[...]
        while !part.isEmpty, self[path: part] == nil { part = part.lastIndex(of: ".").map { part[..<$0] } ?? "" }
        return part
    }

    /// The names that can follow a path to this value.
    package var names: [String] {
        switch self {
        case .object(let fields): fields.map(\.name)
        case .list(let values): values.indices.map(String.init) + ["count"]
        case .text, .bare: []
        }
    }

    package var isLeaf: Bool {
        switch self {
        case .object(let fields): fields.isEmpty
        case .list(let values): values.isEmpty
        case .text, .bare: true
        }
    }

    /// The tree as JSON.
    package var json: String {
        switch self {
        case .object(let fields):
            "{" + fields.map { "\(Self.quoted($0.name)):\($0.value.json)" }.joined(separator: ",") + "}"
        case .list(let values): "[" + values.map(\.json).joined(separator: ",") + "]"
        case .text(let text): Self.quoted(text)
        case .bare(let text): text
        }
    }

    private static func quoted(_ text: String) -> String {
        let bytes = (try? CanonicalJSON.encode(text)) ?? Array("\"\"".utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Text

    /// The tree in one line: `online`, `3`, `{id=1 isOpen=true}`.
    package var line: String {
        switch self {
        case .object(let fields):
            if let only = fields.first, fields.count == 1, only.value.isLeaf, case .object = only.value {
                only.name
            } else {
                "{" + fields.map { "\($0.name)=\($0.value.line)" }.joined(separator: " ") + "}"
            }
        case .list(let values): "[" + values.map(\.line).joined(separator: ", ") + "]"
        case .text(let text): text.isEmpty ? "\"\"" : text.quotedIfNeeded
        case .bare(let text): text
        }
    }

    /// One line for each field of an object. A long field that is itself an object has one line for each of its own
    /// fields.
    package func lines(indent: String = "") -> [String] {
        guard case .object(let fields) = self, !fields.isEmpty else { return [indent + line] }
        return fields.flatMap { field -> [String] in
            guard case .object(let inner) = field.value, !inner.isEmpty, field.value.line.count > 60 else {
                return ["\(indent)\(field.name): \(field.value.line)"]
            }
            return ["\(indent)\(field.name):"] + field.value.lines(indent: indent + "  ")
        }
    }

    // MARK: Differences

    /// The differences between two trees, one line each, with the path: `phase: loggedOut → …`. A value that only one
    /// of the trees contains is shown completely.
    static func differences(_ old: StateTree?, _ new: StateTree?, path: String) -> [String] {
        if old == new { return [] }
        if case .object(let left)? = old, case .object(let right)? = new {
            let names = left.map(\.name) + right.map(\.name).filter { name in !left.contains { $0.name == name } }
            return names.flatMap { name in
                differences(
                    left.first { $0.name == name }?.value, right.first { $0.name == name }?.value,
                    path: "\(path).\(name)")
            }
        }
        if case .list(let left)? = old, case .list(let right)? = new, left.count == right.count {
            return left.indices.flatMap { differences(left[$0], right[$0], path: "\(path).\($0)") }
        }
        return ["\(path): \(old?.line ?? "-") → \(new?.line ?? "-")"]
    }
}

extension Array {
    /// The element at an index; nil if the index is out of range.
    package func at(_ index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

/// Reads JSON into a tree. Numbers are stored as text, because a 64-bit number would lose digits as a `Double`.
private struct StateTreeParser {
    let bytes: [UInt8]
    private var index = 0
    private var depth = 0

    /// The maximum depth of a value. The JSON of a machine is never deeper.
    private static let depthMax = 200

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    package mutating func value() -> StateTree? {
        guard index < bytes.count, depth < Self.depthMax else { return nil }
        depth += 1
        defer { depth -= 1 }
        switch bytes[index] {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return list()
        case UInt8(ascii: "\""): return string().map(StateTree.text)
        default: return bare()
        }
    }

    private mutating func take(_ character: Character) -> Bool {
        guard index < bytes.count, bytes[index] == character.asciiValue else { return false }
        index += 1
        return true
    }

    private mutating func object() -> StateTree? {
        index += 1
        var fields: [StateTree.Field] = []
        if take("}") { return .object([]) }
        repeat {
            guard index < bytes.count, bytes[index] == UInt8(ascii: "\""), let name = string(), take(":"),
                let value = value()
            else { return nil }
            fields.append(StateTree.Field(name: name, value: value))
        } while take(",")
        guard take("}") else { return nil }
        // `_0` is the first, unlabelled value of an enum case. If it is the only value, it replaces the object. If it
        // is an object, its fields are put before the labelled values.
        guard fields.first?.name == "_0", let first = fields.first?.value else { return .object(fields) }
        if fields.count == 1 { return first }
        guard case .object(let inner) = first else { return .object(fields) }
        return .object(inner + fields.dropFirst())
    }

    private mutating func list() -> StateTree? {
        index += 1
        var values: [StateTree] = []
        if take("]") { return .list([]) }
        repeat {
            guard let value = value() else { return nil }
            values.append(value)
        } while take(",")
        guard take("]") else { return nil }
        return table(values) ?? .list(values)
    }

    /// Converts a list of keys and values to an object. The encoder writes a dictionary as `[key, value, key, value]`
    /// if its keys are not strings.
    private func table(_ values: [StateTree]) -> StateTree? {
        guard values.count.isMultiple(of: 2) else { return nil }
        var fields: [StateTree.Field] = []
        for pairStart in stride(from: 0, to: values.count, by: 2) {
            guard case .object = values[pairStart + 1] else { return nil }
            switch values[pairStart] {
            case .text(let name), .bare(let name):
                fields.append(StateTree.Field(name: name, value: values[pairStart + 1]))
            case .object, .list: return nil
            }
        }
        return .object(fields)
    }

    private mutating func string() -> String? {
        index += 1
        var text: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = escape() else { return nil }
                text += escaped
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> [UInt8]? {
        guard index < bytes.count else { return nil }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "u"):
            // The encoder uses `\u` only for control characters, so there are no surrogate pairs.
            guard index + 4 <= bytes.count,
                let value = UInt16(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
            else { return nil }
            index += 4
            return Array(String(decoding: [value], as: UTF16.self).utf8)
        default: return [byte]
        }
    }

    private mutating func bare() -> StateTree? {
        let begin = index
        while index < bytes.count, !",]}".utf8.contains(bytes[index]) { index += 1 }
        return begin == index ? nil : .bare(String(decoding: bytes[begin..<index], as: UTF8.self))
    }
}
