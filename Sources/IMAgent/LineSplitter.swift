/// Cuts bytes into lines. Of a line that is too long nothing is kept.
public struct LineSplitter: Sendable {
    /// A line, or that there was one that is too long.
    public enum Piece: Hashable, Sendable {
        /// A line without its end.
        case line(String)
        /// A line of more bytes than ``bytesMax``.
        case tooLong
    }

    /// The bytes of the longest line.
    public let bytesMax: Int
    private var pending: [UInt8] = []
    private var isTooLong = false

    /// Begins at the start of a line.
    public init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Takes bytes, and gives the lines that end in them.
    public mutating func feed(_ bytes: some Sequence<UInt8>) -> [Piece] {
        var pieces: [Piece] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if let piece = end() { pieces.append(piece) }
            } else if pending.count < bytesMax {
                pending.append(byte)
            } else {
                isTooLong = true
            }
        }
        return pieces
    }

    /// The last line, if it has no end.
    public mutating func end() -> Piece? {
        defer { (pending, isTooLong) = ([], false) }
        if isTooLong { return .tooLong }
        return pending.isEmpty ? nil : .line(String(decoding: pending, as: UTF8.self))
    }
}
