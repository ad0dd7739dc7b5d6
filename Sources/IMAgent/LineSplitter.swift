/// Splits a stream of bytes into lines. A line that is too long is discarded and reported.
public struct LineSplitter: Sendable {
    /// A line, or the report that a line was too long.
    public enum Piece: Hashable, Sendable {
        /// A line without its end.
        case line(String)
        /// A line of more bytes than ``bytesMax``.
        case tooLong
    }

    /// The maximum length of a line, in bytes.
    public let bytesMax: Int
    private var pending: [UInt8] = []
    private var isTooLong = false

    /// Creates a splitter; the first byte that it receives begins a line.
    public init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Adds bytes of the stream and returns the lines that these bytes complete.
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

    /// Ends the current line and returns it; nil if it is empty. At the end of the stream this returns a last line
    /// without a line feed.
    public mutating func end() -> Piece? {
        defer { (pending, isTooLong) = ([], false) }
        if isTooLong { return .tooLong }
        return pending.isEmpty ? nil : .line(String(decoding: pending, as: UTF8.self))
    }
}
