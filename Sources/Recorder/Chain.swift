/// The chain: a 64-bit checksum over all bytes of the file so far. Each event contains the checksum after its block.
///
/// A step combines the value with the next word. For a fixed word it maps different values to different values, and for
/// a fixed value different words to different values, because a multiplication by an odd factor and a shift by half the
/// width are invertible. So one changed word always changes the value, and the value remains different while the
/// following words are unchanged. The chain detects accidental damage and edits. It does not detect forgery, because
/// anyone can compute it.
struct Chain: Hashable, Sendable {
    private(set) var value: UInt64 = 0x696D_7265_706C_0001

    /// Adds bytes. The last word is padded with zeros. The padding is unambiguous, because every block contains its
    /// length.
    mutating func mix(_ bytes: UnsafeRawBufferPointer) {
        var running = value
        var index = 0
        while index &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            running = Chain.step(running, UInt64(littleEndian: word))
            index &+= 8
        }
        if index < bytes.count {
            var word: UInt64 = 0
            var shift: UInt64 = 0
            while index < bytes.count {
                word |= UInt64(bytes[index]) &<< shift
                shift &+= 8
                index &+= 1
            }
            running = Chain.step(running, word)
        }
        value = running
    }

    /// Adds a block without the eight bytes at `hole`, in which the block stores the chain.
    mutating func mix(_ block: UnsafeRawBufferPointer, hole: Int) {
        guard hole >= 0, hole <= block.count - 8 else { return mix(block) }
        mix(UnsafeRawBufferPointer(rebasing: block[0..<hole]))
        mix(UnsafeRawBufferPointer(rebasing: block[(hole + 8)...]))
    }

    @inline(__always)
    private static func step(_ value: UInt64, _ word: UInt64) -> UInt64 {
        let product = (value ^ word) &* 0x9E37_79B9_7F4A_7C15 &+ 0xD1B5_4A32_D192_ED03
        return product ^ (product >> 32)
    }
}
