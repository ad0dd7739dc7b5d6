import IMProtocol
import IMSession
import Recorder
import SansIO

/// Which arrival belongs to which sending in a recording that does not say so (format 1), where both ends of a link are
/// in it.
///
/// Each node knows only its own name for a link. What is known is that a server's end opens
/// after a client has begun to connect, and that what arrives over it was sent over that client's end; that is enough
/// to find the two ends, and then the frames by what they say and how long they take.
package struct FramePairing {
    typealias End = CausalGraph.End

    /// An event that says something about a link, by its number.
    enum Moment {
        case connecting(End, event: UInt64, at: Int64)
        case opened(End, event: UInt64, at: Int64)
        case sent(End, words: String, event: UInt64, at: Int64)
        case received(End, words: String, event: UInt64, at: Int64)
        /// From here on whatever goes over the links of a client takes so much longer than it would by itself.
        case slowed(node: NodeIndex, by: Int64, at: Int64)
    }

    /// How much longer a link takes behind a change of the network, in nanoseconds; nil for other changes.
    static func slowing(_ action: EnvironmentAction) -> Int64? {
        switch action {
        case .net(.delay(let delay, _)): delay.nanoseconds
        case .net(.clear): 0
        case .net, .sleep, .clockSkew, .other, .observed: nil
        }
    }

    /// By the number of a sending: the event at which it arrived, the first time.
    private(set) var arrivals: [UInt64: UInt64] = [:]
    /// By the number of an arrival: the sending. A frame that arrives twice is there twice.
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
        /// How long what is sent from here takes.
        var usual: Int64 = 0
    }

    private var ends: [End: Traffic] = [:]
    /// In the order of their first event.
    private var order: [End] = []
    /// By client, since when its links take how much longer.
    private var slowness: [NodeIndex: [(at: Int64, by: Int64)]] = [:]

    /// - Parameter servers: the nodes that are servers.
    init(_ moments: [Moment], servers: Set<NodeIndex>) {
        for moment in moments { take(moment) }
        joinEnds(servers)
        for end in order { matchFrames(of: end) }
    }

    /// The two ends of each link, each way.
    var peers: [End: End] { ends.compactMapValues(\.peer) }

    /// How long the last frame from an end took.
    var delays: [End: Interval] { ends.mapValues { Interval(nanoseconds: $0.usual) } }

    private mutating func take(_ moment: Moment) {
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

    // MARK: The two ends of a link

    /// How many of the latest attempts are looked at for the other end of a link.
    private static let attemptsMax = 256

    private mutating func joinEnds(_ servers: Set<NodeIndex>) {
        let clients = order.filter { !servers.contains($0.node) }
        let accepted = order.filter { servers.contains($0.node) }
        // First by what was said, then, for links over which nothing came through, by time alone.
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

    /// Joins a server's end with the latest attempt before it that fits.
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

    /// Finds for each frame that arrived at an end the one that was sent at the other.
    private mutating func matchFrames(of end: End) {
        guard let mine = ends[end], let peer = mine.peer, let theirs = ends[peer] else { return }
        var open: [String: [SentFrame]] = [:]
        var taken: [String: SentFrame] = [:]
        var bursts: [String: Burst] = [:]
        let slow = Slowness((slowness[end.node] ?? []) + (slowness[peer.node] ?? []))
        // What a frame takes where nothing slows it down: at first as long as the link took to open.
        var usual = mine.opens == .max ? 0 : max(0, mine.opens &- theirs.begins &- slow.value(at: theirs.begins))
        var next = 0
        var last = Int64.min
        for arrival in mine.received {
            while next < theirs.sent.count, theirs.sent[next].event < arrival.event {
                open[theirs.sent[next].words, default: []].append(theirs.sent[next])
                next += 1
            }
            var candidates = open[arrival.words] ?? []
            // Among equal ones, such as heartbeats of which some were lost, the one that was due about now; what is due
            // earlier than one that was sent before it waits for that.
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
                // One that had to wait says nothing of the link.
                if arrival.at > last { usual = max(0, arrival.at &- sent.at &- slow.value(at: sent.at)) }
                ends[peer]?.usual = max(arrival.at &- sent.at, 0)
            } else if let again = taken[arrival.words] {
                origins[arrival.event] = again.event
            }
            last = arrival.at
        }
    }

    /// Equal frames that arrive in one moment, such as those that were held and are let go: they keep their order.
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

    /// How much longer a link takes, at each moment.
    private struct Slowness {
        private let changes: [(at: Int64, by: Int64)]

        init(_ changes: [(at: Int64, by: Int64)]) { self.changes = changes }

        package func value(at moment: Int64) -> Int64 { changes.last { $0.at <= moment }?.by ?? 0 }
    }
}

extension FramePairing.Moment {
    /// What an event says about a link; nil for one that says nothing.
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

    /// What a frame says at both ends: the server sees a verdict where the client had a credential.
    private static func words(of frame: Frame) -> String {
        switch frame.body {
        case .heartbeat, .heartbeatAck: frame.body.name
        default:
            frame.facts.filter { $0.name != "credential" }.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
        }
    }
}
