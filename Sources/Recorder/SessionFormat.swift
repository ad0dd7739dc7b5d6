/// The numbers of session format 2, which is a profile of pcapng (draft-ietf-opsawg-pcapng), little-endian.
///
/// ```
/// Section Header Block      options in this order: shb_userappl "<application> (session format 2)", shb_os,
///                           opt_comment "<title> (<profile>)", end
/// Interface Description     one per node and channel, right before its first event: link type 252, snap length 0,
///                           if_name "<node>/<channel>", if_tsresol 9, end
/// Enhanced Packet Block     one per event; time stamp = epoch + session time, in nanoseconds
///   packet data             tag 12 (dissector name), length, format name padded with zeros to 4
///                           tag 0x4953 "IS", length 24: role u8, format version u8, node u16, stream u32, chain u64,
///                           cause u64 (the number of the event that caused it, 0 for none)
///                           tag 0 (end of tags), length 0
///                           payload
///   options                 epb_flags (direction), epb_packetid (event number), opt_comment if there is one, end
/// Attachment                after the last event, if there are any; see ``SessionAttachment``
/// ```
/// Tag numbers and lengths are big-endian, as the exported-PDU tags are in every capture; all others are little-endian.
/// The chain covers every byte of every block, from the first byte of the file, except for its own eight.
/// ``FormatMigration`` describes the older versions.
enum SessionFormat {
    static let version: UInt8 = 2

    static let sectionHeader: UInt32 = 0x0A0D_0D0A
    static let interfaceDescription: UInt32 = 1
    static let enhancedPacket: UInt32 = 6
    /// The type of an attachment's block: "IS" in the file's byte order, with the bit that pcapng reserves for local
    /// use.
    static let attachment: UInt32 = 0x8000_4953
    static let byteOrderMagic: UInt32 = 0x1A2B_3C4D
    static let linkTypeUpperPDU: UInt16 = 252
    static let nanosecondResolution: UInt8 = 9

    static let optionEnd: UInt16 = 0
    static let optionComment: UInt16 = 1
    static let interfaceName: UInt16 = 2
    static let interfaceResolution: UInt16 = 9
    static let sectionOS: UInt16 = 3
    static let sectionApplication: UInt16 = 4
    static let packetFlags: UInt16 = 2
    static let packetID: UInt16 = 5

    static let tagDissectorName: UInt16 = 12
    static let tagEvent: UInt16 = 0x4953
    static let tagEventLength = 24

    /// The length of an Enhanced Packet Block before the packet data, in bytes.
    static let packetHeaderLength = 28
    /// The length of epb_flags, epb_packetid, the end of options and the trailing block length, in bytes.
    static let packetTrailerLength = 8 + 12 + 4 + 4

    /// The largest packet that Wireshark's reader accepts for this link type.
    static let packetLengthMax = 262_144
    static let formatNameLengthMax = 64
    /// The largest payload that fits into a packet, even with the longest format name.
    static let payloadLengthMax = packetLengthMax - (4 + formatNameLengthMax + 4 + tagEventLength + 4)
    /// The role of a packet that is not an event. If the payload of a start event is longer than a packet, such packets
    /// with its first parts precede the event, and have its number.
    static let rolePart: UInt8 = 11
    static let commentLengthMax = 65_000
    /// The maximum length of a title, a profile's name and other texts of the header, in UTF-8 bytes.
    static let textLengthMax = 4_000
    static let blockLengthMax =
        packetHeaderLength + packetLengthMax + 4 + commentLengthMax + 4 + packetTrailerLength
    static let nodeCountMax = Int(UInt16.max) - 1

    /// The text in the application's name that identifies a file which a recorder wrote.
    static let applicationMark = " (session format "

    /// Rounds a length in bytes up to whole 32-bit words. `length` must have been checked: a large one would overflow.
    @inline(__always)
    static func padded(_ length: Int) -> Int {
        (length &+ 3) & ~3
    }

    /// The longest prefix of `text` that has at most `limit` UTF-8 bytes and does not split a character.
    static func clipped(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var prefix = ""
        var length = 0
        for scalar in text.unicodeScalars {
            length += UTF8.width(scalar)
            if length > limit { break }
            prefix.unicodeScalars.append(scalar)
        }
        return prefix
    }
}
