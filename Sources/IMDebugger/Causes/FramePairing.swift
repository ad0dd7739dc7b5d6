import IMScript
import IMSession

/// Which arrival belongs to which sending, where both ends of a link are in the session.
///
/// The file does not say so: each node knows only its own name for a link. What is known is that a server's end opens
/// after a client has begun to connect, and that what arrives over it was sent over that client's end; that is enough
/// to find the two ends, and then the frames by what they say and how long they take.
package struct FramePairing {
    /// What became of a frame that was sent.
    package enum Fate: Equatable {
        /// The event at which it arrived, the first time.
        case arrived(Int)
        /// It never did.
        case lost
        /// The session ends while it could still arrive.
        case underway
        /// The other end is not in the session.
        case unseen
    }

    /// One end of a link.
    package struct End: Hashable {
        package var node: Int
        var connection: UInt32

        package init(node: Int, connection: UInt32) {
            self.node = node
            self.connection = connection
        }
    }

    /// An event that says something about a link, by its place in the session.
    package enum Moment {
        case connecting(End, event: Int, at: Int64)
        case opened(End, event: Int, at: Int64)
        case sent(End, words: String, event: Int, at: Int64)
        case received(End, words: String, event: Int, at: Int64)
        /// From here on whatever goes over the links of a client takes so much longer than it would by itself.
        case slowed(node: Int, by: Int64, at: Int64)
    }

    /// How much longer a link takes behind a change of the network, in nanoseconds; nil for other changes.
    package static func slowing(_ action: EnvironmentAction) -> Int64? {
        switch action {
        case .net(.delay(let delay, _)): delay.nanoseconds
        case .net(.clear): 0
        case .net, .sleep, .clockSkew, .other: nil
        }
    }

    /// By the event of the sending.
    package private(set) var fates: [Int: Fate] = [:]
    /// By the event of the arrival: the event of the sending. A frame that arrives twice is there twice.
    package private(set) var origins: [Int: Int] = [:]

    private struct Passage {
        var words: String
        var event: Int
        var at: Int64
    }

    private struct Traffic {
        var begins: Int64 = .max
        var opens: Int64 = .max
        var sent: [Passage] = []
        var received: [Passage] = []
        var peer: End?
        /// How long what is sent from here takes.
        var usual: Int64 = 0
    }

    private var ends: [End: Traffic] = [:]
    /// In the order of their first event.
    private var order: [End] = []
    /// By client, since when its links take how much longer.
    private var slowness: [Int: [(at: Int64, by: Int64)]] = [:]

    /// - Parameters:
    ///   - servers: the nodes that are servers.
    ///   - hasBothSides: whether clients and their server are in the session.
    ///   - lasts: when the session ends.
    package init(_ moments: [Moment], servers: Set<Int>, hasBothSides: Bool, lasts: Int64) {
        for moment in moments { take(moment) }
        if hasBothSides {
            joinEnds(servers)
            for end in order { matchFrames(of: end) }
        }
        for end in order { judgeRest(of: end, hasBothSides: hasBothSides, lasts: lasts) }
    }

    /// The frames of one link of which both ends are known.
    init(_ moments: [Moment], between one: End, and other: End) {
        for moment in moments { take(moment) }
        guard ends[one] != nil, ends[other] != nil else { return }
        ends[one]?.peer = other
        ends[other]?.peer = one
        for end in order { matchFrames(of: end) }
    }

    /// The other end of a link, as far as it is known.
    package func peer(of end: End) -> End? { ends[end]?.peer }

    private mutating func take(_ moment: Moment) {
        switch moment {
        case .connecting(let end, _, let at): change(end, at) { _ in }
        case .opened(let end, _, let at): change(end, at) { $0.opens = min($0.opens, at) }
        case .sent(let end, let words, let event, let at):
            change(end, at) { $0.sent.append(Passage(words: words, event: event, at: at)) }
        case .received(let end, let words, let event, let at):
            change(end, at) { $0.received.append(Passage(words: words, event: event, at: at)) }
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

    private mutating func joinEnds(_ servers: Set<Int>) {
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
        var (low, high) = (0, clients.count)
        while low < high {
            let middle = (low + high) / 2
            if (ends[clients[middle]]?.begins ?? 0) <= opened { low = middle + 1 } else { high = middle }
        }
        for client in clients[..<low].suffix(Self.attemptsMax).reversed() {
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
        var open: [String: [Passage]] = [:]
        var taken: [String: Passage] = [:]
        var crowds: [String: Crowd] = [:]
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
                var crowd = crowds[arrival.words] ?? Crowd(at: arrival.at)
                if crowd.at != arrival.at { crowd = Crowd(at: arrival.at) }
                crowd.add(arrival: arrival.event, sent: sent.event)
                crowds[arrival.words] = crowd
                for (arrival, sent) in zip(crowd.arrivals, crowd.sent) {
                    fates[sent] = .arrived(arrival)
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
    private struct Crowd {
        var at: Int64
        private(set) var arrivals: [Int] = []
        private(set) var sent: [Int] = []

        init(at: Int64) { self.at = at }

        mutating func add(arrival: Int, sent event: Int) {
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

    /// What became of the frames of an end that did not arrive.
    private mutating func judgeRest(of end: End, hasBothSides: Bool, lasts: Int64) {
        guard let mine = ends[end] else { return }
        for passage in mine.sent where fates[passage.event] == nil {
            if !hasBothSides {
                fates[passage.event] = .unseen
            } else {
                fates[passage.event] = passage.at &+ mine.usual >= lasts ? .underway : .lost
            }
        }
    }
}
