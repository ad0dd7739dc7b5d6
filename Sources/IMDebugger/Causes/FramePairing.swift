import IMProtocol
import IMSession
import Recorder
import SansIO

/// Pairs sent and received frames in a recording without causes (format 1) that contains both ends of a connection.
///
/// Each node has only its own number for a connection. A server's end opens after a client has begun to connect, and
/// everything that arrives over it was sent over that client's end. That is enough to find the two ends, and then to
/// pair the frames by their contents and delays.
package struct FramePairing {
    typealias End = CausalGraph.End

    /// An event that says something about a connection, with its number.
    enum ConnectionEvent {
        case connecting(End, event: UInt64, at: Int64)
        case opened(End, event: UInt64, at: Int64)
        case sent(End, words: String, event: UInt64, at: Int64)
        case received(End, words: String, event: UInt64, at: Int64)
        /// From here on, everything over a client's connections takes this much longer than usual.
        case slowed(node: NodeIndex, by: Int64, at: Int64)
    }

    /// How much longer a connection takes after a change of the network, in nanoseconds; nil for other changes.
    static func slowing(_ action: EnvironmentAction) -> Int64? {
        switch action {
        case .net(.delay(let delay, _)): delay.nanoseconds
        case .net(.clear): 0
        case .net, .sleep, .clockSkew, .other, .observed: nil
        }
    }

    /// For each sent frame, the event at which it first arrived.
    private(set) var arrivals: [UInt64: UInt64] = [:]
    /// For each arrival, the event that sent the frame. A frame that arrives twice has two entries.
    private(set) var origins: [UInt64: UInt64] = [:]

    private struct SentFrame {
        var words: String
        var event: UInt64
        var at: Int64
    }

    private struct Traffic {
        var begins: Int64 = .max
        var opens: Int64 = .max
        var sent: [SentFrame] = []
        var received: [SentFrame] = []
        var peer: End?
        /// How long frames from this end take, in nanoseconds.
        var usual: Int64 = 0
    }

    private var ends: [End: Traffic] = [:]
    /// In the order of their first event.
    private var order: [End] = []
    /// For each client, from which time its connections take how much longer.
    private var slowness: [NodeIndex: [(at: Int64, by: Int64)]] = [:]

    /// - Parameter servers: the nodes that are servers.
    init(_ connectionEvents: [ConnectionEvent], servers: Set<NodeIndex>) {
        for moment in connectionEvents { take(moment) }
        joinEnds(servers)
        for end in order { matchFrames(of: end) }
    }

    /// The other end of each end of a connection, in both directions.
    var peers: [End: End] { ends.compactMapValues(\.peer) }

    /// How long the last frame from an end took.
    var delays: [End: Interval] { ends.mapValues { Interval(nanoseconds: $0.usual) } }

    private mutating func take(_ moment: ConnectionEvent) {
        switch moment {
        case .connecting(let end, _, let at): change(end, at) { _ in }
        case .opened(let end, _, let at): change(end, at) { $0.opens = min($0.opens, at) }
        case .sent(let end, let words, let event, let at):
            change(end, at) { $0.sent.append(SentFrame(words: words, event: event, at: at)) }
        case .received(let end, let words, let event, let at):
            change(end, at) { $0.received.append(SentFrame(words: words, event: event, at: at)) }
        case .slowed(let node, let slow, let at): slowness[node, default: []].append((at, slow))
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

    /// At most this many of the latest attempts are checked for the other end of a connection.
    private static let attemptsMax = 256

    private mutating func joinEnds(_ servers: Set<NodeIndex>) {
        let clients = order.filter { !servers.contains($0.node) }
        let accepted = order.filter { servers.contains($0.node) }
        // First by the frames' contents. Connections over which nothing arrived are joined by time alone.
        for end in accepted {
            guard let first = ends[end]?.received.first else { continue }
            join(end, with: clients) { client in
                client.sent.prefix(Self.attemptsMax).contains { $0.words == first.words && $0.event < first.event }
            }
        }
        for end in accepted where ends[end]?.peer == nil {
            let opened = ends[end]?.begins ?? 0
            join(end, with: clients) { $0.opens >= opened }
        }
    }

    /// Joins a server's end with the latest fitting attempt before it.
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

    /// Pairs each frame that arrived at an end with the one that was sent at the other end.
    private mutating func matchFrames(of end: End) {
        guard let mine = ends[end], let peer = mine.peer, let theirs = ends[peer] else { return }
        var open: [String: [SentFrame]] = [:]
        var taken: [String: SentFrame] = [:]
        var bursts: [String: Burst] = [:]
        let slow = Slowness((slowness[end.node] ?? []) + (slowness[peer.node] ?? []))
        // How long a frame takes without extra delay: at first as long as the connection took to open.
        var usual = mine.opens == .max ? 0 : max(0, mine.opens &- theirs.begins &- slow.value(at: theirs.begins))
        var next = 0
        var last = Int64.min
        for arrival in mine.received {
            while next < theirs.sent.count, theirs.sent[next].event < arrival.event {
                open[theirs.sent[next].words, default: []].append(theirs.sent[next])
                next += 1
            }
            var candidates = open[arrival.words] ?? []
            // Of equal frames, such as heartbeats of which some were lost, take the one that was due about now. A frame
            // that is due earlier than one sent before it waits for that one.
            let best = candidates.indices.suffix(Self.attemptsMax).min { left, right in
                func distance(_ sent: Int64) -> UInt64 {
                    (arrival.at &- max(last, sent &+ slow.value(at: sent) &+ usual)).magnitude
                }
                return distance(candidates[left].at) < distance(candidates[right].at)
            }
            if let best {
                let sent = candidates.remove(at: best)
                open[arrival.words] = candidates
                taken[arrival.words] = sent
                var burst = bursts[arrival.words] ?? Burst(at: arrival.at)
                if burst.at != arrival.at { burst = Burst(at: arrival.at) }
                burst.add(arrival: arrival.event, sent: sent.event)
                bursts[arrival.words] = burst
                for (arrival, sent) in zip(burst.arrivals, burst.sent) {
                    arrivals[sent] = arrival
                    origins[arrival] = sent
                }
                // A frame that had to wait does not show how fast the connection is.
                if arrival.at > last { usual = max(0, arrival.at &- sent.at &- slow.value(at: sent.at)) }
                ends[peer]?.usual = max(arrival.at &- sent.at, 0)
            } else if let again = taken[arrival.words] {
                origins[arrival.event] = again.event
            }
            last = arrival.at
        }
    }

    /// Equal frames that arrive at one instant, such as frames that were held and then released. They keep their order.
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

    /// How much longer a connection takes, at each time.
    private struct Slowness {
        private let changes: [(at: Int64, by: Int64)]

        init(_ changes: [(at: Int64, by: Int64)]) { self.changes = changes }

        package func value(at moment: Int64) -> Int64 { changes.last { $0.at <= moment }?.by ?? 0 }
    }
}

extension FramePairing.ConnectionEvent {
    /// Nil for an event that says nothing about a connection.
    init?(_ event: SessionEvent, _ end: CausalGraph.End) {
        let at = event.time.nanoseconds
        switch event.content {
        case .effect(.connect): self = .connecting(end, event: event.number, at: at)
        case .input(.linkOpened): self = .opened(end, event: event.number, at: at)
        case .effect(.send(_, let frame)):
            self = .sent(end, words: Self.words(of: frame), event: event.number, at: at)
        case .input(.frame(_, let frame)):
            self = .received(end, words: Self.words(of: frame), event: event.number, at: at)
        case .environment(let action):
            guard let slow = FramePairing.slowing(action) else { return nil }
            self = .slowed(node: end.node, by: slow, at: at)
        default: return nil
        }
    }

    /// The text of a frame that is the same at both ends: the server has a verdict where the client had a credential.
    private static func words(of frame: Frame) -> String {
        switch frame.body {
        case .heartbeat, .heartbeatAck: frame.body.name
        default:
            frame.facts.filter { $0.name != "credential" }.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
        }
    }
}
