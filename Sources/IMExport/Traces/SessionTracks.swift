import IMDebugger
import IMProtocol
import IMSession
import Recorder
import SansIO

/// A session as slices and instants on tracks, as a trace viewer draws them.
///
/// A node has a track of states, a track of callbacks, commands and faults, and one for each connection.
struct SessionTracks {
    /// A track of a node. The node is an index in ``nodes``.
    struct Track: Hashable {
        enum Kind: Hashable {
            case states
            case calls
            case connection(UInt32)
        }

        var node: Int
        var kind: Kind
    }

    /// The begin or the end of a slice, or an instant.
    struct Mark {
        enum Phase { case begin, end, instant }

        var phase: Phase
        var track: Track
        var time: Instant
        /// The text of the mark; empty for the end of a slice.
        var name = ""
        /// The event's number; 0 for the end of the session.
        var number: UInt64 = 0
        var facts: [AnswerField] = []
        /// Flows that begin at this mark, and flows that end at it.
        var flowsOut: [Flow] = []
        var flowsIn: [Flow] = []
    }

    /// An arrow between two marks.
    struct Flow: Hashable {
        enum Kind: UInt64 { case frame, kick }

        var kind: Kind
        /// The event that sent the frame or the kick.
        var number: UInt64
    }

    private(set) var nodes: [String] = []
    private(set) var tracks: [Track] = []
    private(set) var marks: [Mark] = []
    private var logins = LoginsOfKicks()
    private var known: Set<Track> = []
    /// For each track, the number of slices that have begun and not ended.
    private var open: [Track: Int] = [:]
    private var end = Instant.zero

    /// - Throws: `SessionError` if the recording is damaged.
    init(_ session: ExportedSession) throws {
        let graph = CausalGraph(reading: session.reader)
        var nodeIndices: [NodeIndex: Int] = [:]
        try session.forEach { view, event, formatted, _ in
            end = event.time
            if nodeIndices[view.node] == nil, Self.isShown(event) {
                nodeIndices[view.node] = nodes.count
                nodes.append(event.node.isEmpty ? "session" : event.node)
            }
            guard let node = nodeIndices[view.node] else { return }
            logins.take(event)
            take(event, formatted.text, of: node, graph)
        }
        for track in tracks { close(track, at: end) }
        // A flow of a kick begins at the arrival of the login that caused the kick. These flows are added last, because
        // the login arrives before the kick is sent.
        let kicks = Dictionary(grouping: logins.loginArrivals.keys.sorted()) { logins.loginArrivals[$0] ?? 0 }
        for index in marks.indices where marks[index].phase == .instant {
            marks[index].flowsOut += kicks[marks[index].number, default: []].map { Flow(kind: .kick, number: $0) }
        }
    }

    /// True if an event adds its node to the trace. Marks and faults belong to the session, which has no start event.
    private static func isShown(_ event: SessionEvent) -> Bool {
        switch event.content {
        case .start, .mark, .environment: true
        default: false
        }
    }

    private mutating func take(_ event: SessionEvent, _ text: String, of node: Int, _ graph: CausalGraph) {
        let calls = Track(node: node, kind: .calls)
        let link = Track(node: node, kind: .connection(event.connection))
        switch event.content {
        case .start(let start):
            if !start.isServer { enter("logged-out", event, node) }
        case .stop:
            for track in tracks where track.node == node { close(track, at: event.time) }
            add(Mark(phase: .instant, track: calls, time: event.time, name: "stop", number: event.number))
        case .effect(.transition(let change)): enter(change.to.name, event, node)
        case .effect(.connect): begin(link, "attempt", event)
        case .input(.linkOpened):
            close(link, at: event.time)
            begin(link, "connection", event)
        case .input(.linkFailed), .input(.linkClosed), .effect(.closeLink): close(link, at: event.time)
        case .effect(.send(_, let frame)) where !frame.body.isHeartbeat:
            var mark = instant(link, event, frame.body.name)
            if case .arrived = graph.deliveries[event.number] {
                mark.flowsOut.append(Flow(kind: .frame, number: event.number))
            }
            if logins.loginArrivals[event.number] != nil {
                mark.flowsIn.append(Flow(kind: .kick, number: event.number))
            }
            add(mark)
        case .input(.frame(_, let frame)) where !frame.body.isHeartbeat:
            var mark = instant(link, event, frame.body.name)
            if let sending = graph.sendings[event.number], graph.deliveries[sending] == .arrived(event.number) {
                mark.flowsIn.append(Flow(kind: .frame, number: sending))
            }
            add(mark)
        case .environment(.observed(let seen)):
            if let state = seen.state { enter(state.name, event, node) }
            if seen.kind != .line { add(instant(calls, event, text)) }
        case .environment, .mark, .input(.clientCommand), .input(.serverCommand), .effect(.complete), .effect(.notify):
            add(instant(calls, event, text))
        case .header, .clock, .keyframe, .closing, .unreadable, .input, .effect: break
        }
    }

    private func instant(_ track: Track, _ event: SessionEvent, _ name: String) -> Mark {
        Mark(
            phase: .instant, track: track, time: event.time, name: name, number: event.number, facts: event.facts)
    }

    /// Ends the state that the node has, and begins another one. A node has one state at a time.
    private mutating func enter(_ state: String, _ event: SessionEvent, _ node: Int) {
        let track = Track(node: node, kind: .states)
        close(track, at: event.time)
        begin(track, state, event)
    }

    private mutating func begin(_ track: Track, _ name: String, _ event: SessionEvent) {
        add(
            Mark(
                phase: .begin, track: track, time: event.time, name: name, number: event.number, facts: event.facts))
        open[track, default: 0] += 1
    }

    private mutating func close(_ track: Track, at time: Instant) {
        guard let count = open[track], count > 0 else { return }
        for _ in 0..<count { marks.append(Mark(phase: .end, track: track, time: time)) }
        open[track] = 0
    }

    private mutating func add(_ mark: Mark) {
        if known.insert(mark.track).inserted { tracks.append(mark.track) }
        marks.append(mark)
    }
}
