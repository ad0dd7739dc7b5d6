import IMProtocol
import IMSession
import Recorder
import SansIO

/// Pairs sent and received frames in a recording without causes (format 1) that contains both ends of a connection.
///
/// Client and server give different numbers to the same connection. A server's end opens after the client has begun to
/// connect, and all frames that arrive at it were sent over the client's end. From this, the two ends of each
/// connection are found. Then the frames are paired by their contents and delays.
package struct FramePairing {
    typealias End = CausalGraph.End

    /// An event that concerns a connection. `event` is its number, and `at` its time in nanoseconds.
    enum ConnectionEvent {
        case connecting(End, event: UInt64, at: Int64)
        case opened(End, event: UInt64, at: Int64)
        case sent(End, contents: String, event: UInt64, at: Int64)
        case received(End, contents: String, event: UInt64, at: Int64)
        /// From the time `at`, frames over the client's connections take `by` nanoseconds longer than usual.
        case slowed(node: NodeIndex, by: Int64, at: Int64)
    }

    /// The extra delay of a client's connections after a change of the network, in nanoseconds; nil if the change does
    /// not set a delay.
    static func extraDelay(_ action: EnvironmentAction) -> Int64? {
        switch action {
        case .net(.delay(let delay, _)): delay.nanoseconds
        case .net(.clear): 0
        case .net, .sleep, .clockSkew, .other, .observed: nil
        }
    }

    /// The number of the event at which a frame first arrived. The key is the number of the event that sent the frame.
    private(set) var arrivals: [UInt64: UInt64] = [:]
    /// The number of the event that sent a frame. The key is the number of the event at which the frame arrived. A
    /// frame that arrives twice has two entries.
    private(set) var origins: [UInt64: UInt64] = [:]

    private struct SentFrame {
        var contents: String
        var event: UInt64
        var at: Int64
    }

    private struct Traffic {
        var begins: Int64 = .max
        var opens: Int64 = .max
        var sent: [SentFrame] = []
        var received: [SentFrame] = []
        var peer: End?
        /// The time that the last frame from this end took to arrive, in nanoseconds.
        var lastDelay: Int64 = 0
    }

    private var ends: [End: Traffic] = [:]
    /// The ends, in the order of their first events.
    private var order: [End] = []
    /// For each client, the times at which the extra delay of its connections changes, with the new delay in
    /// nanoseconds.
    private var extraDelays: [NodeIndex: [(at: Int64, by: Int64)]] = [:]

    /// - Parameter servers: the nodes that are servers.
    init(_ connectionEvents: [ConnectionEvent], servers: Set<NodeIndex>) {
        for event in connectionEvents { take(event) }
        joinEnds(servers)
        for end in order { matchFrames(of: end) }
    }

    /// The other end of the connection, for each client's end and each server's end.
    var peers: [End: End] { ends.compactMapValues(\.peer) }

    /// For each end, the time that the last frame from it took to arrive.
    var delays: [End: Interval] { ends.mapValues { Interval(nanoseconds: $0.lastDelay) } }

    private mutating func take(_ event: ConnectionEvent) {
        switch event {
        case .connecting(let end, _, let at): change(end, at) { _ in }
        case .opened(let end, _, let at): change(end, at) { $0.opens = min($0.opens, at) }
        case .sent(let end, let contents, let event, let at):
            change(end, at) { $0.sent.append(SentFrame(contents: contents, event: event, at: at)) }
        case .received(let end, let contents, let event, let at):
            change(end, at) { $0.received.append(SentFrame(contents: contents, event: event, at: at)) }
        case .slowed(let node, let delay, let at): extraDelays[node, default: []].append((at, delay))
        }
    }

    private mutating func change(_ end: End, _ at: Int64, _ body: (inout Traffic) -> Void) {
        if ends[end] == nil { order.append(end) }
        var traffic = ends.removeValue(forKey: end) ?? Traffic()
        traffic.begins = min(traffic.begins, at)
        body(&traffic)
        ends[end] = traffic
    }

    // MARK: The two ends of a connection

    /// The maximum number of a client's latest ends that are examined for a server's end, and of sent frames for an
    /// arrival.
    private static let attemptsMax = 256

    private mutating func joinEnds(_ servers: Set<NodeIndex>) {
        let clients = order.filter { !servers.contains($0.node) }
        let accepted = order.filter { servers.contains($0.node) }
        // First join ends by the contents of their frames. Then join ends over which no frame arrived, by time alone.
        for end in accepted {
            guard let first = ends[end]?.received.first else { continue }
            join(end, with: clients) { client in
                client.sent.prefix(Self.attemptsMax).contains {
                    $0.contents == first.contents && $0.event < first.event
                }
            }
        }
        for end in accepted where ends[end]?.peer == nil {
            let opened = ends[end]?.begins ?? 0
            join(end, with: clients) { $0.opens >= opened }
        }
    }

    /// Joins a server's end with the latest client's end before it for which `fits` is true.
    private mutating func join(_ end: End, with clients: [End], where fits: (Traffic) -> Bool) {
        let opened = ends[end]?.begins ?? 0
        let later = clients.partitioningIndex { (ends[$0]?.begins ?? 0) > opened }
        for client in clients[..<later].suffix(Self.attemptsMax).reversed() {
            guard let traffic = ends[client], traffic.peer == nil, fits(traffic) else { continue }
            ends[client]?.peer = end
            ends[end]?.peer = client
            return
        }
    }

    // MARK: Frames

    /// Pairs each frame that arrived at an end with the frame that was sent at the other end.
    private mutating func matchFrames(of end: End) {
        guard let receiver = ends[end], let peer = receiver.peer, let sender = ends[peer] else { return }
        var open: [String: [SentFrame]] = [:]
        var matched: [String: SentFrame] = [:]
        var bursts: [String: Burst] = [:]
        let extraDelay = ExtraDelay((extraDelays[end.node] ?? []) + (extraDelays[peer.node] ?? []))
        // The time that a frame takes without extra delay. The first estimate is the time that the connection took to
        // open.
        var usualDelay =
            receiver.opens == .max ? 0 : max(0, receiver.opens &- sender.begins &- extraDelay.value(at: sender.begins))
        var next = 0
        var last = Int64.min
        for arrival in receiver.received {
            while next < sender.sent.count, sender.sent[next].event < arrival.event {
                open[sender.sent[next].contents, default: []].append(sender.sent[next])
                next += 1
            }
            var candidates = open[arrival.contents] ?? []
            // Several equal frames may be possible, such as heartbeats of which some were lost. Use the frame whose
            // expected arrival is nearest to this arrival. A frame only overtakes frames that a rule holds, so no other
            // frame is expected before the last arrival.
            let best = candidates.indices.suffix(Self.attemptsMax).min { left, right in
                func distance(_ sent: Int64) -> UInt64 {
                    (arrival.at &- max(last, sent &+ extraDelay.value(at: sent) &+ usualDelay)).magnitude
                }
                return distance(candidates[left].at) < distance(candidates[right].at)
            }
            if let best {
                let sent = candidates.remove(at: best)
                open[arrival.contents] = candidates
                matched[arrival.contents] = sent
                var burst = bursts[arrival.contents] ?? Burst(at: arrival.at)
                if burst.at != arrival.at { burst = Burst(at: arrival.at) }
                burst.add(arrival: arrival.event, sent: sent.event)
                bursts[arrival.contents] = burst
                for (arrival, sent) in zip(burst.arrivals, burst.sent) {
                    arrivals[sent] = arrival
                    origins[arrival] = sent
                }
                // A frame that arrives together with the frame before it had to wait for it, so its delay is not the
                // usual one.
                if arrival.at > last { usualDelay = max(0, arrival.at &- sent.at &- extraDelay.value(at: sent.at)) }
                ends[peer]?.lastDelay = max(arrival.at &- sent.at, 0)
            } else if let earlier = matched[arrival.contents] {
                origins[arrival.event] = earlier.event
            }
            last = arrival.at
        }
    }

    /// Equal frames that arrive at one instant, such as frames that were held and then released. They arrive in the
    /// order in which they were sent.
    private struct Burst {
        var at: Int64
        private(set) var arrivals: [UInt64] = []
        private(set) var sent: [UInt64] = []

        init(at: Int64) { self.at = at }

        mutating func add(arrival: UInt64, sent event: UInt64) {
            arrivals.append(arrival)
            sent.insert(event, at: sent.firstIndex { $0 > event } ?? sent.count)
        }
    }

    /// The extra delay of a connection at each time, in nanoseconds.
    private struct ExtraDelay {
        private let changes: [(at: Int64, by: Int64)]

        init(_ changes: [(at: Int64, by: Int64)]) { self.changes = changes }

        package func value(at time: Int64) -> Int64 { changes.last { $0.at <= time }?.by ?? 0 }
    }
}

extension FramePairing.ConnectionEvent {
    /// Nil for an event that does not concern a connection.
    init?(_ event: SessionEvent, _ end: CausalGraph.End) {
        let at = event.time.nanoseconds
        switch event.content {
        case .effect(.connect): self = .connecting(end, event: event.number, at: at)
        case .input(.linkOpened): self = .opened(end, event: event.number, at: at)
        case .effect(.send(_, let frame)):
            self = .sent(end, contents: Self.contents(of: frame), event: event.number, at: at)
        case .input(.frame(_, let frame)):
            self = .received(end, contents: Self.contents(of: frame), event: event.number, at: at)
        case .environment(let action):
            guard let delay = FramePairing.extraDelay(action) else { return nil }
            self = .slowed(node: end.node, by: delay, at: at)
        default: return nil
        }
    }

    /// A text of a frame that is equal at both ends. Credentials are omitted, because the recorded frame has a verdict
    /// instead of the credential at the server.
    private static func contents(of frame: Frame) -> String {
        switch frame.body {
        case .heartbeat, .heartbeatAck: frame.body.name
        default:
            frame.facts.filter { $0.name != "credential" }.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
        }
    }
}
