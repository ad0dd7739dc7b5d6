import IMSession
import Recorder
import SansIO

/// The fate of every frame of a recording, and the two ends of each connection: the client's and the server's.
///
/// A recording contains the cause of each event. An older recording (format 1) does not. For such a recording,
/// ``FramePairing`` derives the causes from the events.
public struct CausalGraph {
    /// The fate of a sent frame.
    public enum Delivery: Hashable, Sendable {
        /// The number of the event at which the frame first arrived.
        case arrived(UInt64)
        /// The frame never arrived.
        case lost
        /// The session ends while the frame can still arrive.
        case inFlight
        /// The node at the other end of the frame's connection is not in the session.
        case notRecorded
    }

    /// One end of a connection.
    public struct End: Hashable, Sendable {
        /// The node of this end.
        public var node: NodeIndex
        /// The number that the node itself gives to the connection.
        public var connection: UInt32

        /// - Parameter connection: the number that the node itself gives to the connection.
        public init(node: NodeIndex, connection: UInt32) {
            self.node = node
            self.connection = connection
        }
    }

    /// The fate of each frame. The key is the number of the event that sent the frame.
    public internal(set) var deliveries: [UInt64: Delivery] = [:]
    /// The number of the event that sent a frame. The key is the number of the event at which the frame arrived. A
    /// frame that arrives twice has two entries.
    public internal(set) var sendings: [UInt64: UInt64] = [:]
    /// The servers of the session.
    public internal(set) var servers: Set<NodeIndex> = []
    /// True if the session contains both clients and their server.
    public internal(set) var hasBothSides = false
    /// The faults that prevented frames from arriving.
    package fileprivate(set) var faults = FaultTimeline()
    /// The clients of the session, by the id of their device.
    package fileprivate(set) var clientsByDevice: [String: NodeIndex] = [:]
    /// For each end, the numbers of the events that sent frames over it, in order.
    private var sent: [End: [UInt64]] = [:]
    fileprivate var peers: [End: End] = [:]
    /// For each end, the event that began it: a client's request to connect, or the opening at a server.
    fileprivate var begins: [End: UInt64] = [:]

    fileprivate init() {}

    /// The other end of a connection; nil if it is not known.
    public func peer(of end: End) -> End? { peers[end] }

    /// The number of the event that began an end: a client's request to connect, or the opening at a server.
    public func begin(of end: End) -> UInt64? { begins[end] }

    /// The ends over which a node sent frames, in the order of their connection numbers.
    package func ends(of node: NodeIndex) -> [End] {
        sent.keys.filter { $0.node == node }.sorted { $0.connection < $1.connection }
    }

    /// The numbers of the events that sent frames over an end, between the events `first` and `last`, in order.
    package func sends(over end: End, after first: UInt64, before last: UInt64) -> ArraySlice<UInt64> {
        guard let sent = sent[end] else { return [] }
        let begin = sent.partitioningIndex { $0 > first }
        return sent[begin..<max(begin, sent.partitioningIndex { $0 >= last })]
    }

    fileprivate mutating func add(_ number: UInt64, sentOver end: End) { sent[end, default: []].append(number) }
}

extension CausalGraph {
    /// Builds the graph. The caller must pass the events of a recording in order.
    package struct Builder {
        /// A sent frame.
        private struct Sending {
            var end: End
            var time: Instant
        }

        private let isRecorded: Bool
        private var graph = CausalGraph()
        private var clients: Set<NodeIndex> = []
        /// The clients' ends of the connections. The key is the number of the event that requested the connection.
        private var connects: [UInt64: End] = [:]
        private var sendings: [UInt64: Sending] = [:]
        /// For each end, the time that the last frame from it took to arrive.
        private var delays: [End: Interval] = [:]
        private var last = Instant.zero
        /// The events about connections, for ``FramePairing``; empty if the recording contains causes.
        private var connectionEvents: [FramePairing.ConnectionEvent] = []

        package init(_ header: SessionHeader) {
            isRecorded = header.recordsCauses
        }

        package mutating func take(_ event: SessionEvent, of node: NodeIndex) {
            last = max(last, event.time)
            let end = End(node: node, connection: event.connection)
            switch event.content {
            case .start(let start):
                if start.isServer { graph.servers.insert(node) } else { clients.insert(node) }
                if case .client(_, let device, _, _, _, _) = start.body { graph.clientsByDevice[device.id] = node }
            case .effect(.connect):
                connects[event.number] = end
                graph.begins[end] = event.number
            case .input(.linkOpened):
                if graph.begins[end] == nil { graph.begins[end] = event.number }
                if graph.servers.contains(node), let client = connects[event.cause] {
                    (graph.peers[end], graph.peers[client]) = (client, end)
                }
            case .effect(.send):
                sendings[event.number] = Sending(end: end, time: event.time)
                graph.add(event.number, sentOver: end)
            case .input(.frame) where event.cause != 0: arrive(event)
            default: break
            }
            let isServer = graph.servers.contains(node)
            graph.faults.take(event, of: node, client: isServer ? graph.peers[end] : end, isServer: isServer)
            if !isRecorded, let connectionEvent = FramePairing.ConnectionEvent(event, end) {
                connectionEvents.append(connectionEvent)
            }
        }

        private mutating func arrive(_ event: SessionEvent) {
            graph.sendings[event.number] = event.cause
            guard let sending = sendings[event.cause] else { return }
            delays[sending.end] = event.time - sending.time
            if graph.deliveries[event.cause] == nil { graph.deliveries[event.cause] = .arrived(event.number) }
        }

        /// The graph, with the fate of the frames that did not arrive.
        ///
        /// - Parameter present: the current time, if it is later than the last event.
        package mutating func build(at present: Instant = .zero) -> CausalGraph {
            last = max(last, present)
            graph.hasBothSides = !graph.servers.isEmpty && !clients.isEmpty
            if !isRecorded, graph.hasBothSides { pairFrames() }
            for (number, sending) in sendings where graph.deliveries[number] == nil {
                if !graph.hasBothSides {
                    graph.deliveries[number] = .notRecorded
                } else {
                    let due = sending.time + (delays[sending.end] ?? .zero)
                    let isInFlight =
                        due >= last || graph.faults.canStillArrive(number, sentAt: sending.time, until: last)
                    graph.deliveries[number] = isInFlight ? .inFlight : .lost
                }
            }
            return graph
        }

        private mutating func pairFrames() {
            let pairing = FramePairing(connectionEvents, servers: graph.servers)
            for (arrival, sending) in pairing.origins { graph.sendings[arrival] = sending }
            for (sending, arrival) in pairing.arrivals { graph.deliveries[sending] = .arrived(arrival) }
            for (end, delay) in pairing.delays { delays[end] = delay }
            for (end, peer) in pairing.peers { graph.peers[end] = peer }
        }
    }
}

extension SessionHeader {
    /// True if each event contains the number of its cause.
    public var recordsCauses: Bool { formatVersion >= 2 }
}
