import IMClient
import IMDebugger
import IMProtocol
import IMScript
import IMSession
import IMSimulation
import Recorder
import SansIO

/// A session as it is drawn: its nodes, its events with their words, and which arrival belongs to which sending. What
/// every picture is made from.
package struct SessionPicture {
    struct Node {
        var name: String
        var isServer: Bool
        /// What its start says: device, platform.
        var facts: [AnswerField]
    }

    struct Event {
        var number: UInt64
        var time: Instant
        /// Its place in ``SessionPicture/nodes``; nil for the session itself.
        var node: Int?
        var kind: String
        var text: String
        var facts: [AnswerField]
        var direction: String?
        var connection: UInt32
        var weight: Narrator.Weight
        var what: What
        /// Whether it tells that a client was kicked: the word that the client got, or the state it went to.
        var isKick: Bool
    }

    /// What pictures draw in a way of its own.
    enum What: Equatable {
        case other
        case heartbeat
        case frame
        case transition(from: ClientState, to: ClientState, reason: String)
        case start
        case stop
        case command
        /// What a user did to the world.
        case fault
        case mark
    }

    let header: SessionHeader
    let completeness: SessionReader.Completeness
    let profileTitle: String
    private(set) var nodes: [Node] = []
    private(set) var events: [Event] = []
    let pairing: FramePairing
    /// Whether clients and their server are both in it.
    let hasBothSides: Bool

    /// The nodes as they stand beside each other: the servers in the middle, so that an arrow crosses as few others
    /// as can be.
    var lanes: [Int] {
        let clients = nodes.indices.filter { !nodes[$0].isServer }
        let before = (clients.count + 1) / 2
        return clients.prefix(before) + nodes.indices.filter { nodes[$0].isServer } + clients.dropFirst(before)
    }

    /// - Throws: `SessionError` where the recording is damaged.
    package init(_ session: ExportedSession) throws {
        header = session.reader.header
        completeness = session.reader.completeness
        profileTitle = session.dialect.title
        var nodes: [Node] = []
        var events: [Event] = []
        var places: [NodeIndex: Int] = [:]
        var moments: [FramePairing.Moment] = []
        try session.forEach { view, event, telling, _ in
            if case .start(let start) = event.content, places[view.node] == nil {
                places[view.node] = nodes.count
                nodes.append(Node(name: event.node, isServer: start.isServer, facts: event.facts))
            }
            let node = places[view.node]
            let picture = Event(event, telling, node: node)
            if let node, let moment = Self.moment(of: event, picture, place: events.count, node: node) {
                moments.append(moment)
            }
            events.append(picture)
        }
        let servers = Set(nodes.indices.filter { nodes[$0].isServer })
        hasBothSides = !servers.isEmpty && servers.count < nodes.count
        pairing = FramePairing(
            moments, servers: servers, hasBothSides: hasBothSides, lasts: events.last?.time.nanoseconds ?? 0)
        self.nodes = nodes
        self.events = events
    }

    /// What an event says about a link.
    private static func moment(
        of event: SessionEvent, _ picture: Event, place: Int, node: Int
    ) -> FramePairing.Moment? {
        let end = FramePairing.End(node: node, connection: picture.connection)
        let at = event.time.nanoseconds
        switch event.content {
        case .effect(.connect): return .connecting(end, event: place, at: at)
        case .input(.linkOpened): return .opened(end, event: place, at: at)
        case .effect(.send): return .sent(end, words: words(of: picture), event: place, at: at)
        case .input(.frame): return .received(end, words: words(of: picture), event: place, at: at)
        case .environment(let action):
            return FramePairing.slowing(action).map { .slowed(node: node, by: $0, at: at) }
        default: return nil
        }
    }

    /// What a frame says at both ends: the server sees a verdict where the client had a credential.
    private static func words(of event: Event) -> String {
        if event.what == .heartbeat { return event.facts.first?.value ?? "" }
        return event.facts.filter { $0.name != "credential" }.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
    }
}

extension SessionPicture.Event {
    init(_ event: SessionEvent, _ telling: Narrator.Telling, node: Int?) {
        self.init(
            number: event.number, time: event.time, node: node, kind: event.kind, text: telling.text,
            facts: event.facts, direction: event.direction, connection: event.connection, weight: telling.weight,
            what: SessionPicture.What(event.content), isKick: event.isKick)
    }

    func fact(_ name: String) -> String? {
        facts.first { $0.name == name }?.value
    }
}

extension SessionPicture.What {
    init(_ content: SessionEvent.Content) {
        switch content {
        case .start: self = .start
        case .stop: self = .stop
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
