/// Reads numbers and strings from bytes. Throws instead of reading beyond the end.
struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func bytes(_ count: Int) throws(TokenError) -> [UInt8] {
        guard count <= rest.count else {
            throw TokenError("the token is cut off: \(count - rest.count) bytes are missing at its end")
        }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Reads a little-endian number.
    mutating func little<Number: FixedWidthInteger>(_ type: Number.Type) throws(TokenError) -> Number {
        try bytes(Number.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// Reads a big-endian number.
    mutating func big<Number: FixedWidthInteger>(_ type: Number.Type) throws(TokenError) -> Number {
        try bytes(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// Reads a string in Agora's format: the length as a little-endian number of two bytes, then the bytes.
    mutating func littleString() throws(TokenError) -> [UInt8] { try bytes(Int(little(UInt16.self))) }

    mutating func littleText() throws(TokenError) -> String { String(decoding: try littleString(), as: UTF8.self) }
}
