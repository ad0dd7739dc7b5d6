import Recorder

/// `--as perfetto`: a trace for Perfetto's viewer and its SQL. A device or a server is a process; frames and kicks are
/// flows. The output for a session is always the same.
struct PerfettoTrace {
    private let tracks: SessionTracks
    private let epoch: Int64
    private let title: String

    /// Perfetto's numbers for clocks. The numbers in the methods below are those of fields in
    /// `perfetto/trace/trace_packet.proto` and related files.
    private enum Clock {
        static let realtime: UInt64 = 1
        static let boottime: UInt64 = 6
    }

    /// - Throws: `SessionError` if the recording is damaged.
    init(_ session: ExportedSession) throws {
        tracks = try SessionTracks(session)
        epoch = session.reader.header.epochNanoseconds
        title = session.reader.header.title
    }

    var bytes: [UInt8] {
        var trace = TraceBytes()
        packet(&trace) { packet in
            packet.number(13, 1)
            packet.message(6) { snapshot in
                for (clock, time) in [(Clock.boottime, 0), (Clock.realtime, UInt64(max(0, epoch)))] {
                    snapshot.message(1) {
                        $0.number(1, clock)
                        $0.number(2, time)
                    }
                }
            }
        }
        for node in tracks.nodes.indices { describe(node, in: &trace) }
        for track in tracks.tracks { describe(track, in: &trace) }
        for mark in tracks.marks { write(mark, to: &trace) }
        return trace.bytes
    }

    private func packet(_ trace: inout TraceBytes, _ body: (inout TraceBytes) -> Void) {
        trace.message(1) { packet in
            packet.number(10, 1)
            body(&packet)
        }
    }

    private func describe(_ node: Int, in trace: inout TraceBytes) {
        packet(&trace) { packet in
            packet.message(60) { track in
                track.number(1, Self.id(ofNode: node))
                track.message(3) { process in
                    process.number(1, UInt64(node + 1))
                    process.text(6, tracks.nodes[node])
                }
            }
        }
    }

    private func describe(_ track: SessionTracks.Track, in trace: inout TraceBytes) {
        packet(&trace) { packet in
            packet.message(60) { descriptor in
                descriptor.number(1, Self.id(of: track))
                descriptor.number(5, Self.id(ofNode: track.node))
                let name =
                    switch track.kind {
                    case .states: "state"
                    case .calls: "calls"
                    case .connection(let number): "connection \(number)"
                    }
                descriptor.text(2, name)
            }
        }
    }

    private func write(_ mark: SessionTracks.Mark, to trace: inout TraceBytes) {
        packet(&trace) { packet in
            packet.number(8, UInt64(max(0, mark.time.nanoseconds)))
            packet.message(11) { event in
                for fact in mark.facts {
                    event.message(4) { annotation in
                        annotation.text(10, fact.name)
                        annotation.text(6, fact.value)
                    }
                }
                if mark.number > 0 {
                    event.message(4) { annotation in
                        annotation.text(10, "event")
                        annotation.number(3, mark.number)
                    }
                }
                switch mark.phase {
                case .begin: event.number(9, 1)
                case .end: event.number(9, 2)
                case .instant: event.number(9, 3)
                }
                event.number(11, Self.id(of: mark.track))
                if !mark.name.isEmpty { event.text(23, mark.name) }
                for flow in mark.flowsOut { event.fixed(47, Self.id(of: flow)) }
                for flow in mark.flowsIn { event.fixed(48, Self.id(of: flow)) }
            }
        }
    }

    private static func id(ofNode node: Int) -> UInt64 { UInt64(node + 1) << 40 }

    private static func id(of track: SessionTracks.Track) -> UInt64 {
        switch track.kind {
        case .states: id(ofNode: track.node) + 1
        case .calls: id(ofNode: track.node) + 2
        case .connection(let number): id(ofNode: track.node) + 16 + UInt64(number)
        }
    }

    private static func id(of flow: SessionTracks.Flow) -> UInt64 { flow.number << 1 | flow.kind.rawValue }
}
