/// Writes values as canonical JSON. The bytes are those of Foundation's encoder with sorted keys and unescaped slashes;
/// a test compares the two. Foundation's encoder first builds a tree of all values, which takes most of the time of
/// writing a keyframe. This writer appends each value directly, and sorts the members of an object when the object is
/// complete.
final class CanonicalWriter: Encoder {
    /// Always empty, because this writer's errors contain no path.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    fileprivate enum Shape {
        case nothing, scalar, array, object
    }

    /// A member of an object, or an element of an array. The key of an element is empty.
    fileprivate struct Part {
        var key: String
        /// The range of the value in ``State/bytes``.
        var begin: Int
        var end: Int
        /// The writer of a nested container. Values can be added to it until the whole value is complete. Nil if the
        /// value is already in ``State/bytes``.
        var nested: CanonicalWriter?
    }

    fileprivate struct State {
        var shape = Shape.nothing
        var bytes: [UInt8] = []
        var parts: [Part] = []
        var hasPlainKeys = true
    }

    private var state = State()
    /// A finished writer, kept for the next nested value, so that its buffers need not be allocated again.
    private var spare: CanonicalWriter?

    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let writer = CanonicalWriter()
        try value.encode(to: writer)
        var bytes: [UInt8] = []
        writer.state.finish(into: &bytes)
        return bytes
    }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        state.shape = .object
        return KeyedEncodingContainer(Members<Key>(writer: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        state.shape = .array
        return Elements(writer: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        state.shape = .scalar
        return Single(writer: self)
    }

    fileprivate var partCount: Int { state.parts.count }

    /// Adds a value for a key. `write` appends the bytes of the value.
    @inline(__always)
    fileprivate func add(_ key: String, _ write: (inout [UInt8]) throws -> Void) rethrows {
        let begin = state.bytes.count
        try write(&state.bytes)
        state.note(Part(key: key, begin: begin, end: state.bytes.count))
    }

    @inline(__always)
    fileprivate func append(_ write: (inout [UInt8]) throws -> Void) rethrows { try write(&state.bytes) }

    /// Adds a value for a key, and encodes the value.
    fileprivate func add(_ key: String, composing value: some Encodable) throws {
        let begin = state.bytes.count
        try append(composing: value)
        state.note(Part(key: key, begin: begin, end: state.bytes.count))
    }

    fileprivate func append(composing value: some Encodable) throws {
        let inner = unusedWriter()
        try value.encode(to: inner)
        // The states are moved out of the two writers while they are used, because Swift forbids overlapping accesses
        // to them.
        var written = State()
        swap(&written, &inner.state)
        var bytes: [UInt8] = []
        swap(&bytes, &state.bytes)
        written.finish(into: &bytes)
        swap(&bytes, &state.bytes)
        written.clear()
        swap(&written, &inner.state)
        spare = inner
    }

    private func unusedWriter() -> CanonicalWriter {
        guard let spare else { return CanonicalWriter() }
        var unused = spare
        self.spare = nil
        // The encoded value may have kept a reference to the writer. Then the writer cannot be used again.
        return isKnownUniquelyReferenced(&unused) ? unused : CanonicalWriter()
    }

    /// Adds a nested container for a key. Its values are added to the returned writer.
    fileprivate func addNested(_ key: String) -> CanonicalWriter {
        let nested = CanonicalWriter()
        state.note(Part(key: key, begin: state.bytes.count, end: state.bytes.count, nested: nested))
        return nested
    }
}

extension CanonicalWriter.State {
    mutating func note(_ part: CanonicalWriter.Part) {
        if hasPlainKeys, !part.key.utf8.allSatisfy({ $0 < 0x80 }) { hasPlainKeys = false }
        parts.append(part)
    }

    mutating func clear() {
        shape = .nothing
        bytes.removeAll(keepingCapacity: true)
        parts.removeAll(keepingCapacity: true)
        hasPlainKeys = true
    }

    /// Appends the complete value to `target`. Nothing may be added to the value afterwards.
    mutating func finish(into target: inout [UInt8]) {
        switch shape {
        case .scalar: target.append(contentsOf: bytes)
        case .array:
            target.append(UInt8(ascii: "["))
            for index in parts.indices {
                if index > 0 { target.append(UInt8(ascii: ",")) }
                write(parts[index], into: &target)
            }
            target.append(UInt8(ascii: "]"))
        case .object, .nothing:
            sortParts()
            target.append(UInt8(ascii: "{"))
            for index in parts.indices {
                // If a key occurs twice, its last value is written.
                if index + 1 < parts.count, parts[index + 1].key == parts[index].key { continue }
                if target.last != UInt8(ascii: "{") { target.append(UInt8(ascii: ",")) }
                target.append(json: parts[index].key)
                target.append(UInt8(ascii: ":"))
                write(parts[index], into: &target)
            }
            target.append(UInt8(ascii: "}"))
        }
    }

    private mutating func sortParts() {
        // For ASCII keys the fast comparison of strings gives the order of their bytes. Other keys need a comparison of
        // bytes.
        if hasPlainKeys {
            parts.sort { $0.key < $1.key }
        } else {
            parts.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        }
    }

    private func write(_ part: CanonicalWriter.Part, into target: inout [UInt8]) {
        if let nested = part.nested {
            nested.finish(into: &target)
        } else {
            target.append(contentsOf: bytes[part.begin..<part.end])
        }
    }
}

extension CanonicalWriter {
    fileprivate func finish(into target: inout [UInt8]) {
        var written = state
        written.finish(into: &target)
    }
}

// MARK: Containers

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: CanonicalWriter
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { writer.add(key.stringValue) { $0.append(json: nil) } }
    func encode(_ value: Bool, forKey key: Key) { writer.add(key.stringValue) { $0.append(json: value) } }
    func encode(_ value: String, forKey key: Key) { writer.add(key.stringValue) { $0.append(json: value) } }
    func encode(_ value: Double, forKey key: Key) throws {
        try writer.add(key.stringValue) { try $0.append(json: value) }
    }
    func encode(_ value: Float, forKey key: Key) throws {
        try writer.add(key.stringValue) { try $0.append(json: value) }
    }
    func encode(_ value: some FixedWidthInteger & Encodable, forKey key: Key) {
        writer.add(key.stringValue) { $0.append(json: value) }
    }
    func encode(_ value: some Encodable, forKey key: Key) throws {
        try writer.add(key.stringValue, composing: value)
    }

    func nestedContainer<Inner>(keyedBy: Inner.Type, forKey key: Key) -> KeyedEncodingContainer<Inner> {
        writer.addNested(key.stringValue).container(keyedBy: keyedBy)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        writer.addNested(key.stringValue).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { writer.addNested("super") }
    func superEncoder(forKey key: Key) -> any Encoder { writer.addNested(key.stringValue) }
}

private struct Elements: UnkeyedEncodingContainer {
    let writer: CanonicalWriter
    var codingPath: [any CodingKey] { [] }
    var count: Int { writer.partCount }

    func encodeNil() { writer.add("") { $0.append(json: nil) } }
    func encode(_ value: Bool) { writer.add("") { $0.append(json: value) } }
    func encode(_ value: String) { writer.add("") { $0.append(json: value) } }
    func encode(_ value: Double) throws { try writer.add("") { try $0.append(json: value) } }
    func encode(_ value: Float) throws { try writer.add("") { try $0.append(json: value) } }
    func encode(_ value: some FixedWidthInteger & Encodable) { writer.add("") { $0.append(json: value) } }
    func encode(_ value: some Encodable) throws { try writer.add("", composing: value) }

    func nestedContainer<Inner>(keyedBy: Inner.Type) -> KeyedEncodingContainer<Inner> {
        writer.addNested("").container(keyedBy: keyedBy)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { writer.addNested("").unkeyedContainer() }
    func superEncoder() -> any Encoder { writer.addNested("") }
}

private struct Single: SingleValueEncodingContainer {
    let writer: CanonicalWriter
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { writer.append { $0.append(json: nil) } }
    func encode(_ value: Bool) { writer.append { $0.append(json: value) } }
    func encode(_ value: String) { writer.append { $0.append(json: value) } }
    func encode(_ value: Double) throws { try writer.append { try $0.append(json: value) } }
    func encode(_ value: Float) throws { try writer.append { try $0.append(json: value) } }
    func encode(_ value: some FixedWidthInteger & Encodable) { writer.append { $0.append(json: value) } }
    func encode(_ value: some Encodable) throws { try writer.append(composing: value) }
}

// MARK: Scalars

extension [UInt8] {
    fileprivate mutating func append(json: Never?) { append(contentsOf: "null".utf8) }

    fileprivate mutating func append(json value: Bool) { append(contentsOf: (value ? "true" : "false").utf8) }

    fileprivate mutating func append(json value: some FixedWidthInteger) { append(contentsOf: String(value).utf8) }

    fileprivate mutating func append(json value: some BinaryFloatingPoint & LosslessStringConvertible & Encodable)
        throws
    {
        guard value.isFinite else {
            throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "not a number of JSON"))
        }
        let text = value.description
        append(contentsOf: text.hasSuffix(".0") ? text.utf8.dropLast(2) : text.utf8[...])
    }

    fileprivate mutating func append(json text: String) {
        append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            append(contentsOf: text.utf8)
        } else {
            for byte in text.utf8 { append(escaped: byte) }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(contentsOf: "\\\"".utf8)
        case UInt8(ascii: "\\"): append(contentsOf: "\\\\".utf8)
        case 0x08: append(contentsOf: "\\b".utf8)
        case 0x09: append(contentsOf: "\\t".utf8)
        case 0x0A: append(contentsOf: "\\n".utf8)
        case 0x0C: append(contentsOf: "\\f".utf8)
        case 0x0D: append(contentsOf: "\\r".utf8)
        case ..<0x20:
            append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
            append(contentsOf: String(byte, radix: 16).utf8)
        default: append(byte)
        }
    }
}
