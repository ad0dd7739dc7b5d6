import Recorder

/// Which sending an arrival belongs to, told from everything that went over the same link around it: of several equal
/// frames on their way at once, such as heartbeats on a slow link, the newest need not be the one.
struct FrameOrder {
    /// How many events of the session before an arrival are looked at.
    static let window: UInt64 = 20_000

    private let session: DebugSession
    private let links: LinkPairs

    init(_ session: DebugSession, _ links: LinkPairs) {
        self.session = session
        self.links = links
    }

    /// The number of the event that sent what arrives with the given one; nil where it is not told.
    func sending(of arrival: Event, from peer: LinkPairs.End) throws -> UInt64? {
        let own = LinkPairs.End(node: arrival.node, stream: arrival.stream)
        let isAtServer = links.servers.contains(arrival.node)
        let client = isAtServer ? peer : own
        let begin = min(links.begin(of: own) ?? 1, links.begin(of: peer) ?? 1)
        let first = max(begin, arrival.number > Self.window ? arrival.number - Self.window : 1)
        let changes = links.slowed.filter { $0.node == client.node && $0.number < arrival.number }
        var moments = changes.map {
            FramePairing.Moment.slowed(node: Int(client.node.rawValue), by: $0.by, at: $0.at)
        }
        // Equal ones that arrive in one moment are told apart by their order, so all of them are needed.
        try session.timeline.scan(after: first - 1) { view in
            guard view.time <= arrival.time else { return false }
            if let moment = moment(of: view, own, peer) { moments.append(moment) }
            return true
        }
        let pairing = FramePairing(moments, between: Self.end(peer), and: Self.end(own))
        return pairing.origins[Int(arrival.number)].map { UInt64($0) }
    }

    private func moment(of view: EventView, _ own: LinkPairs.End, _ peer: LinkPairs.End) -> FramePairing.Moment? {
        let at = view.time.nanoseconds
        let number = Int(view.number)
        let end = LinkPairs.End(node: view.node, stream: view.stream)
        guard end == own || end == peer, view.channel == .transport || view.channel == .runtime else { return nil }
        switch session.decoded(view).content {
        case .effect(.connect): return .connecting(Self.end(end), event: number, at: at)
        case .input(.linkOpened): return .opened(Self.end(end), event: number, at: at)
        case .effect(.send(_, let frame)):
            return .sent(Self.end(end), words: LinkPairs.key(of: frame), event: number, at: at)
        case .input(.frame(_, let frame)):
            return .received(Self.end(end), words: LinkPairs.key(of: frame), event: number, at: at)
        default: return nil
        }
    }

    private static func end(_ end: LinkPairs.End) -> FramePairing.End {
        FramePairing.End(node: Int(end.node.rawValue), connection: end.stream)
    }
}
