/// Checks the end of a file: whether the last block was written incompletely, or whether its length or type was
/// changed.
///
/// An incomplete block is the beginning of a correct block, so all of its values are consistent. If the length of a
/// complete block was changed, it contradicts the length of the packet and the position of the end of options.
struct TornTail {
    /// The rest of the file, which is shorter than the length in the block.
    let bytes: UnsafeRawBufferPointer
    /// The tags that precede each payload; empty before the first event.
    let prefix: [UInt8]
    /// The number that the next event must have.
    let number: UInt64
    let interfaceCount: Int

    /// The reason why the bytes are not the beginning of a correct block; nil if they are.
    var contradiction: String? {
        for type in [SessionFormat.enhancedPacket, SessionFormat.interfaceDescription] {
            guard begins(with: type) else { continue }
            // With fewer than eight bytes there is no length to check.
            guard let length = load32(at: 4) else { return nil }
            guard length >= 12, length % 4 == 0, length <= SessionFormat.blockLengthMax else {
                return "invalid block length: \(length) bytes"
            }
            return type == SessionFormat.enhancedPacket ? packet(Int(length)) : interface(Int(length))
        }
        return "a block of a type that no recorder writes"
    }

    private func packet(_ length: Int) -> String? {
        guard let interface = load32(at: 8) else { return nil }
        guard interface < interfaceCount else { return "an interface that was not described" }
        guard let stated = load32(at: 20) else { return nil }
        let dataLength = Int(stated)
        let shortest = max(prefix.count, 4) + SessionFormat.packetHeaderLength + SessionFormat.packetTrailerLength
        guard dataLength <= SessionFormat.packetLengthMax, length >= shortest else { return contradictingLengths }
        if let original = load32(at: 24), original != stated { return "the two lengths of the packet differ" }
        let options = SessionFormat.packetHeaderLength + SessionFormat.padded(dataLength)
        let trailer = SessionFormat.packetTrailerLength
        guard options + trailer <= length else { return contradictingLengths }
        if let flags = load32(at: options), flags != option(SessionFormat.packetFlags, 4) { return strangeOptions }
        if let packetID = load32(at: options + 8), packetID != option(SessionFormat.packetID, 8) {
            return strangeOptions
        }
        if let low = load32(at: options + 12), low != UInt32(truncatingIfNeeded: number) {
            return "found another event number instead"
        }
        guard let next = load32(at: options + 20) else { return nil }
        if next == 0 { return options + trailer == length ? nil : contradictingLengths }
        guard UInt16(truncatingIfNeeded: next) == SessionFormat.optionComment else { return strangeOptions }
        let comment = 4 + SessionFormat.padded(Int(next >> 16))
        return options + comment + trailer == length ? nil : contradictingLengths
    }

    private func interface(_ length: Int) -> String? {
        guard let name = load32(at: 16) else { return nil }
        guard UInt16(truncatingIfNeeded: name) == SessionFormat.interfaceName else { return strangeOptions }
        return 20 + SessionFormat.padded(Int(name >> 16)) + 16 == length ? nil : contradictingLengths
    }

    private let contradictingLengths = "the block's length does not match its contents"
    private let strangeOptions = "options that no recorder writes"

    private func option(_ code: UInt16, _ length: UInt32) -> UInt32 {
        UInt32(code) | length << 16
    }

    private func load32(at offset: Int) -> UInt32? {
        offset + 4 <= bytes.count ? bytes.load32(at: offset) : nil
    }

    private func begins(with type: UInt32) -> Bool {
        for index in 0..<min(4, bytes.count) where bytes[index] != UInt8(truncatingIfNeeded: type >> (8 * index)) {
            return false
        }
        return true
    }
}
