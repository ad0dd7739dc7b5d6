/// Writes the fields of a protobuf message, one after the other. The trace for Perfetto uses few and small messages, so
/// that generated code is not necessary. The callers pass the field numbers of Perfetto's `.proto` files.
struct TraceBytes {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ field: UInt64, _ value: UInt64) {
        varint(field << 3)
        varint(value)
    }

    mutating func fixed(_ field: UInt64, _ value: UInt64) {
        varint(field << 3 | 1)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func text(_ field: UInt64, _ value: String) { data(field, Array(value.utf8)) }

    mutating func message(_ field: UInt64, _ body: (inout TraceBytes) -> Void) {
        var inner = TraceBytes()
        body(&inner)
        data(field, inner.bytes)
    }

    private mutating func data(_ field: UInt64, _ value: [UInt8]) {
        varint(field << 3 | 2)
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
