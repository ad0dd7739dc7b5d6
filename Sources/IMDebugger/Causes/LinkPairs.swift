import IMProtocol
import IMSession
import Recorder

/// Which link of a client is which connection of the server. Each side counts its own, so the recording is read once to
/// put them together.
struct LinkPairs: Sendable {
    /// One side of a link.
    struct End: Hashable, Comparable, Sendable {
        var node: NodeIndex
        var stream: UInt32

        static func < (left: End, right: End) -> Bool { (left.node, left.stream) < (right.node, right.stream) }
    }

    /// What is known of one side.
    private struct Life {
        var end: End
        /// A client's connect, a server's opening.
        var begin: UInt64
        /// When a client heard that it is open.
        var opened: UInt64?
        /// The first frame that a client sent, or a server received, without what only one side sees.
        var firstFrame: String?
        var failed = false
    }

    private var pairs: [End: End] = [:]
    private var begins: [End: UInt64] = [:]
    /// The nodes that are servers.
    private(set) var servers: Set<NodeIndex> = []
    /// Where a client's links became slower or as fast as before, in order.
    private(set) var slowed: [(number: UInt64, node: NodeIndex, at: Int64, by: Int64)] = []

    func peer(of node: NodeIndex, _ stream: UInt32) -> End? { pairs[End(node: node, stream: stream)] }

    /// The connect or the opening that began it.
    func begin(of end: End) -> UInt64? { begins[end] }

    /// What both sides see of a frame: a credential becomes a verdict on the way.
    static func key(of frame: Frame) -> String {
        let facts = frame.facts.filter { $0.name != "credential" }
        return facts.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    }

    init(_ session: DebugSession) throws {
        var clients: [Life] = []
        var connections: [Life] = []
        var open: [End: Int] = [:]
        var nodes: Set<NodeIndex> = []
        var slowed: [(number: UInt64, node: NodeIndex, at: Int64, by: Int64)] = []
        try session.timeline.scan(after: 0) { view in
            if view.role == .start, case .start(let start) = session.decoded(view).content {
                if case .server = start.body { nodes.insert(view.node) }
            }
            if view.role == .environment, case .environment(let action) = session.decoded(view).content,
                let slow = FramePairing.slowing(action)
            {
                slowed.append((view.number, view.node, view.time.nanoseconds, slow))
            }
            guard view.stream != 0 else { return true }
            let end = End(node: view.node, stream: view.stream)
            let isServer = nodes.contains(view.node)
            if view.channel == .runtime {
                switch session.decoded(view).content {
                case .effect(.connect):
                    open[end] = clients.count
                    clients.append(Life(end: end, begin: view.number))
                case .input(.linkOpened) where isServer:
                    open[end] = connections.count
                    connections.append(Life(end: end, begin: view.number))
                case .input(.linkOpened): if let place = open[end] { clients[place].opened = view.number }
                case .input(.linkFailed): if let place = open[end] { clients[place].failed = true }
                default: break
                }
            } else if view.channel == .transport, let place = open[end] {
                // Only the first frame is looked into.
                if isServer, connections[place].firstFrame == nil,
                    case .input(.frame(_, let frame)) =
                        session.decoded(view).content
                {
                    connections[place].firstFrame = LinkPairs.key(of: frame)
                } else if !isServer, clients[place].firstFrame == nil,
                    case .effect(.send(_, let frame)) =
                        session.decoded(view).content
                {
                    clients[place].firstFrame = LinkPairs.key(of: frame)
                }
            }
            return true
        }
        servers = nodes
        self.slowed = slowed
        for life in clients + connections { begins[life.end] = life.begin }
        pair(clients, connections)
    }

    /// A connection belongs to a link that was asked for before, of which the client heard later that it is open. Of
    /// several the first frame decides, else the order.
    private mutating func pair(_ clients: [Life], _ connections: [Life]) {
        var free = clients.filter { !$0.failed }
        for connection in connections {
            let possible = free.filter { client in
                client.begin < connection.begin && client.opened.map { $0 > connection.begin } ?? true
            }
            let best =
                possible.first { $0.firstFrame != nil && $0.firstFrame == connection.firstFrame }
                ?? possible.first { $0.firstFrame == nil || connection.firstFrame == nil } ?? possible.first
            guard let best else { continue }
            pairs[best.end] = connection.end
            pairs[connection.end] = best.end
            free.removeAll { $0.end == best.end && $0.begin == best.begin }
        }
    }
}
