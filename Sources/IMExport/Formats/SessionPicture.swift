import IMClient
import IMDebugger
import IMProtocol
import IMSession
import IMSimulation
import Recorder
import SansIO

/// The data from which a page, a diagram and a report are made: the nodes of a session, its events with their texts,
/// and for each sent frame its arrival.
package struct SessionPicture {
    struct Node {
        var name: String
        var isServer: Bool
        /// The fields of the node's start event, such as device and platform.
        var facts: [AnswerField]
    }

    struct Event {
        var number: UInt64
        var time: Instant
        /// The index of the event's node in ``SessionPicture/nodes``; nil for the session itself.
        var node: Int?
        /// The event's node and connection; connection 0 for an event without one.
        var end: CausalGraph.End
        var kind: String
        var text: String
        var facts: [AnswerField]
        var direction: String?
        var weight: EventFormatter.Weight
        var drawingKind: DrawingKind
        /// True if the event reports a kick: a kick frame, or a transition to `kicked`.
        var isKick: Bool
    }

    /// The kinds of event that are drawn differently.
    enum DrawingKind: Equatable {
        case other
        case heartbeat
        case frame
        case transition(from: ClientState, to: ClientState, reason: String)
        case start
        case stop
        case command
        /// An action on the world, such as `net down`.
        case fault
        case mark
    }

    let header: SessionHeader
    let completeness: SessionReader.Completeness
    let profileTitle: String
    private(set) var nodes: [Node] = []
    private(set) var events: [Event] = []
    /// For each frame that was sent, whether and where it arrived.
    let graph: CausalGraph
    private let nodeIndices: [NodeIndex: Int]

    /// The final state of each node, by name.
    let finalStates: NodeStates<String>

    /// The index of a node in ``nodes``.
    func position(of node: NodeIndex) -> Int? { nodeIndices[node] }

    /// The index of an event in ``events``.
    static func position(ofEvent number: UInt64) -> Int { Int(clamping: number) - 1 }

    /// The indices of the nodes in the order of their lanes. Servers are in the middle, so that an arrow crosses as few
    /// lanes as possible.
    var lanes: [Int] {
        let clients = nodes.indices.filter { !nodes[$0].isServer }
        let before = (clients.count + 1) / 2
        return clients.prefix(before) + nodes.indices.filter { nodes[$0].isServer } + clients.dropFirst(before)
    }

    /// - Throws: `SessionError` if the recording is damaged.
    package init(_ session: ExportedSession) throws {
        header = session.reader.header
        completeness = session.reader.completeness
        profileTitle = session.dialect.title
        var nodes: [Node] = []
        var events: [Event] = []
        var nodeIndices: [NodeIndex: Int] = [:]
        var graph = CausalGraph.Builder(header)
        var states = NodeStates<String>()
        try session.forEach { view, event, formatted, _ in
            if case .start(let start) = event.content, nodeIndices[view.node] == nil {
                nodeIndices[view.node] = nodes.count
                nodes.append(Node(name: event.node, isServer: start.isServer, facts: event.facts))
            }
            if event.observed != nil, nodeIndices[view.node] == nil {
                nodeIndices[view.node] = nodes.count
                nodes.append(Node(name: event.node, isServer: false, facts: []))
            }
            graph.take(event, of: view.node)
            states.note(event)
            events.append(
                Event(
                    event, formatted, node: nodeIndices[view.node],
                    end: .init(node: view.node, connection: event.connection)
                ))
        }
        self.graph = graph.build()
        finalStates = states
        self.nodeIndices = nodeIndices
        self.nodes = nodes
        self.events = events
    }
}

extension SessionPicture.Event {
    init(_ event: SessionEvent, _ formatted: EventFormatter.FormattedEvent, node: Int?, end: CausalGraph.End) {
        self.init(
            number: event.number, time: event.time, node: node, end: end, kind: event.kind, text: formatted.text,
            facts: event.facts, direction: event.direction, weight: formatted.weight,
            drawingKind: SessionPicture.DrawingKind(event.content), isKick: event.isKick)
    }
}

extension SessionPicture.DrawingKind {
    init(_ content: SessionEvent.Content) {
        switch content {
        case .start: self = .start
        case .stop: self = .stop
        case .environment(.observed(let event)): self = event.kind == .call ? .command : .other
        case .environment: self = .fault
        case .mark: self = .mark
        case .input(.frame(_, let frame)), .effect(.send(_, let frame)):
            switch frame.body {
            case .heartbeat, .heartbeatAck: self = .heartbeat
            default: self = .frame
            }
        case .input(.clientCommand), .input(.serverCommand): self = .command
        case .effect(.transition(let change)):
            self = .transition(from: change.from, to: change.to, reason: change.reason.name)
        case .header, .clock, .keyframe, .closing, .unreadable, .input, .effect: self = .other
        }
    }
}
