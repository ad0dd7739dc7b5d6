/// The last event of a closed session: the number of events, and an index for random access.
///
/// The event's payload is a protobuf message:
/// ```
/// uint64 events = 1;           // the number of events, including this one
/// uint64 offset = 2;           // the byte offset of this event's block
/// fixed64 chain = 3;           // the checksum of the file up to the end of the previous event; see `Chain`
/// repeated Node nodes = 4;     message Node { uint32 index = 1; string name = 2; }
/// repeated Interface interfaces = 5;   message Interface { uint32 node = 1; uint32 channel = 2; }   // in file order
/// repeated Entry entries = 6;  // the events that start a machine, and the keyframes
/// message Entry { uint64 number = 1; uint64 offset = 2; uint32 node = 3; uint32 role = 4; uint32 interfaces = 5; }
/// bool tables = 7;             // false if nodes and interfaces do not fit into a packet; then the lists are empty
/// fixed64 check = 15;          // the checksum of all bytes before this field, which is the last one
/// ```
struct ClosingRecord: Hashable, Sendable {
    var events: UInt64 = 0
    var offset: UInt64 = 0
    var chain: UInt64 = 0
    var nodes: [NodeName] = []
    var interfaces: [CaptureInterface] = []
    var entries: [IndexEntry] = []
    var hasTables = true

    /// The maximum number of entries in the index, so that it fits into a packet. If there are more, every second entry
    /// is removed.
    static let entryCountMax = 6_000
    private static let checkFieldLength = 9

    struct NodeName: Hashable, Sendable {
        var index: NodeIndex
        var name: String
    }

    func encoded() -> [UInt8] {
        var wire = WireWriter()
        wire.varint(1, events)
        wire.varint(2, offset)
        wire.fixed64(3, chain)
        for node in nodes {
            var entry = WireWriter()
            entry.varint(1, UInt64(node.index.rawValue))
            entry.text(2, node.name)
            wire.message(4, entry.bytes)
        }
        for interface in interfaces {
            var entry = WireWriter()
            entry.varint(1, UInt64(interface.node.rawValue))
            entry.varint(2, UInt64(interface.channel.rawValue))
            wire.message(5, entry.bytes)
        }
        for keyframe in entries {
            var entry = WireWriter()
            entry.varint(1, keyframe.number)
            entry.varint(2, keyframe.offset)
            entry.varint(3, UInt64(keyframe.node.rawValue))
            entry.varint(4, UInt64(keyframe.role.rawValue))
            entry.varint(5, UInt64(keyframe.interfaceCount))
            wire.message(6, entry.bytes)
        }
        wire.varint(7, hasTables ? 1 : 0)
        wire.fixed64(15, ClosingRecord.check(wire.bytes))
        return wire.bytes
    }

    /// The bytes of the record, at most `limit`. Entries, and if necessary the other tables, are left out.
    func encoded(limit: Int) -> [UInt8] {
        var record = self
        while true {
            let bytes = record.encoded()
            if bytes.count <= limit { return bytes }
            if record.entries.isEmpty {
                // The names of the nodes alone exceed the limit. A reader then reads the whole file to find them.
                record.nodes = []
                record.interfaces = []
                record.hasTables = false
                return record.encoded()
            }
            record.entries = ClosingRecord.thinned(record.entries)
        }
    }

    /// Every second entry of a list.
    static func thinned(_ entries: [IndexEntry]) -> [IndexEntry] {
        stride(from: 1, to: entries.count, by: 2).map { entries[$0] }
    }

    /// Reads a record; nil if the bytes are not a record, or if its check field does not match them.
    init?(decoding bytes: [UInt8]) {
        guard bytes.count > ClosingRecord.checkFieldLength else { return nil }
        let check = ClosingRecord.check(Array(bytes.dropLast(ClosingRecord.checkFieldLength)))
        var checked = false
        hasTables = false
        do {
            var wire = WireReader(bytes[...])
            while let (field, value) = try wire.next() {
                switch field {
                case 1: events = value.number
                case 2: offset = value.number
                case 3: chain = value.number
                case 4: nodes.append(try ClosingRecord.node(value.bytes))
                case 5: interfaces.append(try ClosingRecord.interface(value.bytes))
                case 6: entries.append(try ClosingRecord.entry(value.bytes))
                case 7: hasTables = value.number == 1
                case 15: checked = value.number == check
                default: break
                }
            }
        } catch {
            return nil
        }
        guard checked else { return nil }
    }

    init() {}

    /// True if the record is plausible: the entries are in the order of the events and precede the closing event.
    var isInOrder: Bool {
        events > 0 && (entries.first?.number ?? 1) > 0 && (entries.last?.number ?? 0) < events
            && (entries.last?.offset ?? 0) < max(offset, 1)
            && zip(entries, entries.dropFirst()).allSatisfy { $0.number < $1.number && $0.offset < $1.offset }
    }

    private static func check(_ bytes: [UInt8]) -> UInt64 {
        var chain = Chain()
        bytes.withUnsafeBytes { chain.mix($0) }
        return chain.value
    }

    private static func node(_ bytes: ArraySlice<UInt8>) throws -> NodeName {
        var node = NodeName(index: .session, name: "")
        var wire = WireReader(bytes)
        while let (field, value) = try wire.next() {
            switch field {
            case 1: node.index = NodeIndex(rawValue: UInt16(clamping: value.number))
            case 2: node.name = value.text
            default: break
            }
        }
        return node
    }

    private static func interface(_ bytes: ArraySlice<UInt8>) throws -> CaptureInterface {
        var node = NodeIndex.session
        var channel = Channel.transport
        var wire = WireReader(bytes)
        while let (field, value) = try wire.next() {
            switch field {
            case 1: node = NodeIndex(rawValue: UInt16(clamping: value.number))
            case 2:
                guard let known = Channel(rawValue: UInt8(clamping: value.number)) else { throw WireReader.Malformed() }
                channel = known
            default: break
            }
        }
        return CaptureInterface(node: node, channel: channel)
    }

    private static func entry(_ bytes: ArraySlice<UInt8>) throws -> IndexEntry {
        var entry = IndexEntry(number: 0, offset: 0, node: .session, role: .keyframe, interfaceCount: 0)
        var wire = WireReader(bytes)
        while let (field, value) = try wire.next() {
            switch field {
            case 1: entry.number = value.number
            case 2: entry.offset = value.number
            case 3: entry.node = NodeIndex(rawValue: UInt16(clamping: value.number))
            case 4:
                guard let role = EventRole(rawValue: UInt8(clamping: value.number)) else {
                    throw WireReader.Malformed()
                }
                entry.role = role
            case 5: entry.interfaceCount = UInt32(clamping: value.number)
            default: break
            }
        }
        return entry
    }
}

/// The node and the channel of a pcapng interface.
struct CaptureInterface: Hashable, Sendable {
    var node: NodeIndex
    var channel: Channel
}

/// The position of a start or a keyframe in a file.
public struct IndexEntry: Hashable, Sendable {
    /// The event's number.
    public var number: UInt64
    /// The byte offset of the event's block in the file.
    public var offset: UInt64
    /// The node of the machine.
    public var node: NodeIndex
    /// The role of the event: ``EventRole/start`` or ``EventRole/keyframe``.
    public var role: EventRole
    /// The number of interfaces that the file describes before the event.
    var interfaceCount: UInt32
}
