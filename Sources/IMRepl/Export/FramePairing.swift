/// Which arrival belongs to which sending, where both ends of a link are in the session.
///
/// The file does not say so: each node knows only its own name for a link. What is known is that a server's end opens
/// after a client has begun to connect, and that what arrives over it was sent over that client's end; that is enough
/// to find the two ends, and then the frames by what they say and how long they take.
struct FramePairing {
    /// What became of a frame that was sent.
    enum Fate: Equatable {
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
    struct End: Hashable {
        var node: Int
        var connection: UInt32
    }

    /// An event that says something about a link, by its place in the session.
    enum Moment {
        case connecting(End, event: Int, at: Int64)
        case opened(End, event: Int, at: Int64)
        case sent(End, words: String, event: Int, at: Int64)
        case received(End, words: String, event: Int, at: Int64)
    }

    /// By the event of the sending.
    private(set) var fates: [Int: Fate] = [:]
    /// By the event of the arrival: the event of the sending. A frame that arrives twice is there twice.
    private(set) var origins: [Int: Int] = [:]

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

    /// - Parameters:
    ///   - servers: the nodes that are servers.
    ///   - hasBothSides: whether clients and their server are in the session.
    ///   - lasts: when the session ends.
    init(_ moments: [Moment], servers: Set<Int>, hasBothSides: Bool, lasts: Int64) {
        for moment in moments { take(moment) }
        if hasBothSides {
            joinEnds(servers)
            for end in order { matchFrames(of: end) }
        }
        for end in order { judgeRest(of: end, hasBothSides: hasBothSides, lasts: lasts) }
    }

    /// The other end of a link, as far as it is known.
    func peer(of end: End) -> End? { ends[end]?.peer }

    private mutating func take(_ moment: Moment) {
        switch moment {
        case .connecting(let end, _, let at): change(end, at) { _ in }
        case .opened(let end, _, let at): change(end, at) { $0.opens = min($0.opens, at) }
        case .sent(let end, let words, let event, let at):
            change(end, at) { $0.sent.append(Passage(words: words, event: event, at: at)) }
        case .received(let end, let words, let event, let at):
            change(end, at) { $0.received.append(Passage(words: words, event: event, at: at)) }
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
        // What a frame takes: at first as long as the link took to open.
        var usual = max(0, min(mine.begins, mine.opens) - theirs.begins)
        var next = 0
        for arrival in mine.received {
            while next < theirs.sent.count, theirs.sent[next].event < arrival.event {
                open[theirs.sent[next].words, default: []].append(theirs.sent[next])
                next += 1
            }
            var candidates = open[arrival.words] ?? []
            // Among equal ones, such as heartbeats of which some were lost, the one that took about as long as usual.
            let best = candidates.indices.suffix(Self.attemptsMax).min { left, right in
                abs(arrival.at - candidates[left].at - usual) < abs(arrival.at - candidates[right].at - usual)
            }
            if let best {
                let sent = candidates.remove(at: best)
                open[arrival.words] = candidates
                taken[arrival.words] = sent
                fates[sent.event] = .arrived(arrival.event)
                origins[arrival.event] = sent.event
                usual = arrival.at - sent.at
                ends[peer]?.usual = max(usual, 0)
            } else if let again = taken[arrival.words] {
                origins[arrival.event] = again.event
            }
        }
    }

    /// What became of the frames of an end that did not arrive.
    private mutating func judgeRest(of end: End, hasBothSides: Bool, lasts: Int64) {
        guard let mine = ends[end] else { return }
        for passage in mine.sent where fates[passage.event] == nil {
            if !hasBothSides {
                fates[passage.event] = .unseen
            } else {
                fates[passage.event] = passage.at + mine.usual >= lasts ? .underway : .lost
            }
        }
    }
}
