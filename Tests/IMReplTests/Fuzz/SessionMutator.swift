import Foundation
import SansIO

@testable import IMRepl
@testable import IMSession
@testable import Recorder

/// A recording that can be written again with a random change. The checksum chain and the closing record match the
/// changed events, so that a reader does not stop before it reads them.
struct SessionMutator {
    let header: SessionHeader
    let nodes: [String]
    let events: [Event]
    /// Short recordings of every profile.
    static let library: [SessionMutator] = SessionLibrary.scripts.compactMap { name in
        let path = SessionLibrary.recordingPath(name.dropLast(4))
        guard let reader = try? SessionReader(path: path), reader.eventCount < 450 else { return nil }
        return try? SessionMutator(reader)
    }

    init(_ reader: SessionReader) throws {
        header = reader.header
        nodes = reader.nodes
        events = try reader.events()
    }

    func mutated(_ random: inout SeededRandom) -> [UInt8] {
        var header = header
        var nodes = nodes
        var events = events.filter { ![.header, .clock, .closing].contains($0.role) }
        for _ in 0...random.below(3) {
            switch random.below(12) {
            case 0: change(&header, &random)
            case 1: nodes[Int(random.below(UInt64(nodes.count)))] = random.pick(Extremes.texts)
            case 2: shuffle(&events, &random)
            case 3, 4: change(&events, &random) { event, random in envelope(&event, nodes.count, &random) }
            default: change(&events, &random) { event, random in payload(&event, &random) }
            }
        }
        return write(header, nodes, events, &random)
    }

    // MARK: Changes

    private func change(_ header: inout SessionHeader, _ random: inout SeededRandom) {
        switch random.below(6) {
        case 0: header.title = random.pick(Extremes.texts)
        case 1: header.application = random.pick(Extremes.texts)
        case 2: header.os = random.pick(Extremes.texts)
        case 3:
            header.profile = random.pick(["nim", "agora-rtm", "zim", "agora-chat", "wilddog", "x\nclient new evil"])
        case 4: header.epochNanoseconds = Int64(bitPattern: random.pick(Extremes.integers))
        default:
            let key = random.pick(["seed", "world", "time-scale", "strict", "fork-of", random.pick(Extremes.texts)])
            let value = random.pick(["nan", "inf", "0", "-1", "1e308", "live", "true", random.pick(Extremes.texts)])
            header.parameters.removeAll { $0.key == key }
            header.parameters.append(.init(key: key, value: value))
        }
    }

    private func shuffle(_ events: inout [Event], _ random: inout SeededRandom) {
        guard events.count > 2 else { return }
        let position = Int(random.below(UInt64(events.count - 1)))
        switch random.below(3) {
        case 0: events.remove(at: position)
        case 1: events.insert(events[position], at: Int(random.below(UInt64(events.count))))
        default: events.swapAt(position, position + 1)
        }
    }

    private func change(
        _ events: inout [Event], _ random: inout SeededRandom, _ body: (inout Event, inout SeededRandom) -> Void
    ) {
        guard !events.isEmpty else { return }
        // Starts and keyframes are rare, but contain most of a machine's state.
        let states = events.indices.filter { events[$0].role == .start || events[$0].role == .keyframe }
        let position =
            !states.isEmpty && random.isOne(in: 2) ? random.pick(states) : Int(random.below(UInt64(events.count)))
        body(&events[position], &random)
    }

    private func envelope(_ event: inout Event, _ nodeCount: Int, _ random: inout SeededRandom) {
        switch random.below(6) {
        case 0: event.time = Instant(nanoseconds: Int64(bitPattern: random.pick(Extremes.integers)))
        case 1: event.node = NodeIndex(rawValue: UInt16(random.below(UInt64(nodeCount))))
        case 2: event.stream = UInt32(truncatingIfNeeded: random.pick(Extremes.integers))
        case 3: event.role = random.pick(EventRole.allCases)
        case 4: event.comment = random.pick(Extremes.texts)
        default: event.channel = random.pick(Channel.allCases)
        }
    }

    private func payload(_ event: inout Event, _ random: inout SeededRandom) {
        var maker = WireMaker(random: random)
        switch event.role {
        case .keyframe: event.payload = maker.changedJSON(event.payload)
        case .mark: event.payload = Array(random.pick(Extremes.texts).utf8)
        default:
            let isFrame = event.channel == .transport
            event.payload = maker.changed(event.payload, of: isFrame ? "im.v1.Frame" : "imsession.v1.Record")
        }
        random = maker.random
    }

    // MARK: Writing

    private func write(
        _ header: SessionHeader, _ nodes: [String], _ events: [Event], _ random: inout SeededRandom
    ) -> [UInt8] {
        let sink = MemorySink()
        let log = SessionLog(
            sink: sink, formatName: header.formatName, behaviourVersion: IMSessionSchema().behaviourVersion,
            header: header, epochNanoseconds: header.epochNanoseconds)
        for name in nodes.dropFirst() { _ = log.addNode(name) }
        for event in events where ![.header, .clock, .closing].contains(event.role) {
            let draft = EventDraft(
                channel: event.channel, direction: event.direction, stream: event.stream, payload: event.payload)
            log.append(event.role, node: event.node, draft: draft, at: event.time, comment: event.comment)
        }
        let end = events.last?.time ?? .zero
        if random.isOne(in: 6) {
            close(log, sink, at: end, &random)
        } else if !random.isOne(in: 8) {
            try? log.close(at: end)
        }
        try? log.flush()
        return sink.bytes
    }

    /// Writes a closing record with wrong values.
    private func close(_ log: SessionLog, _ sink: MemorySink, at time: Instant, _ random: inout SeededRandom) {
        try? log.flush()
        var record = ClosingRecord()
        record.events = random.isOne(in: 2) ? log.eventCount + 1 : random.pick(Extremes.integers)
        record.offset = UInt64(sink.bytes.count)
        record.chain = log.chain
        record.interfaces = [CaptureInterface(node: .session, channel: .runtime)]
        for _ in 0..<random.below(6) {
            record.nodes.append(
                .init(
                    index: NodeIndex(rawValue: UInt16(truncatingIfNeeded: random.pick(Extremes.integers))),
                    name: random.pick(Extremes.texts)))
            record.entries.append(
                IndexEntry(
                    number: random.isOne(in: 2) ? random.below(log.eventCount + 9) : random.pick(Extremes.integers),
                    offset: random.isOne(in: 2) ? random.below(record.offset + 9) : random.pick(Extremes.integers),
                    node: NodeIndex(rawValue: UInt16(random.below(9))), role: random.pick(EventRole.allCases),
                    interfaceCount: UInt32(truncatingIfNeeded: random.pick(Extremes.integers))))
        }
        if random.isOne(in: 2) { record.entries.sort { ($0.number, $0.offset) < ($1.number, $1.offset) } }
        log.append(
            .closing, node: .session, draft: EventDraft(payload: record.encoded()), at: time, comment: "closed")
    }
}
