/// Writes the protobuf wire format, as far as the header and the closing record need it.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func varint(_ field: UInt32, _ value: UInt64) {
        raw(UInt64(field) << 3)
        raw(value)
    }

    mutating func fixed64(_ field: UInt32, _ value: UInt64) {
        raw(UInt64(field) << 3 | 1)
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    mutating func text(_ field: UInt32, _ value: String) {
        message(field, Array(value.utf8))
    }

    mutating func message(_ field: UInt32, _ value: [UInt8]) {
        raw(UInt64(field) << 3 | 2)
        raw(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    private mutating func raw(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

/// Reads the protobuf wire format. The bytes may be invalid.
struct WireReader {
    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)

        /// The number; 0 if the field contains bytes, because protobuf ignores a field of an unexpected type.
        var number: UInt64 { if case .number(let value) = self { value } else { 0 } }

        var bytes: ArraySlice<UInt8> { if case .bytes(let value) = self { value } else { [] } }

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    struct Malformed: Error, CustomStringConvertible {
        var description: String { "malformed record" }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// The next field; nil at the end.
    mutating func next() throws(Malformed) -> (field: UInt64, value: Value)? {
        guard !rest.isEmpty else { return nil }
        let key = try varint()
        switch key & 7 {
        case 0: return (key >> 3, .number(try varint()))
        case 1: return (key >> 3, .number(try fixed(8)))
        case 2:
            let length = try varint()
            guard length <= UInt64(rest.count) else { throw Malformed() }
            let value = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            return (key >> 3, .bytes(value))
        case 5: return (key >> 3, .number(try fixed(4)))
        default: throw Malformed()
        }
    }

    private mutating func fixed(_ count: Int) throws(Malformed) -> UInt64 {
        guard rest.count >= count else { throw Malformed() }
        var value: UInt64 = 0
        for byte in rest.prefix(count).reversed() { value = value << 8 | UInt64(byte) }
        rest = rest.dropFirst(count)
        return value
    }

    private mutating func varint() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = rest.popFirst() {
            guard shift < 64 else { throw Malformed() }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw Malformed()
    }
}
