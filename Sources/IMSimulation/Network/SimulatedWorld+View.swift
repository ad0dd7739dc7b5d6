import IMSession
import SansIO

// What is on its way, for whoever watches a world from outside and wants to know when nothing is.

extension SimulatedWorld {
    /// Whether a packet is on its way between a client and the server, in either direction and on whichever of the
    /// client's connections; held ones among them.
    package func isAnythingUnderway(of client: NodeID) -> Bool {
        fabric.links.contains {
            $0.client == client
                && !($0.toServer.isEmpty && $0.toClient.isEmpty && $0.toServer.held.isEmpty
                    && $0.toClient.held.isEmpty)
        }
    }

    /// Whether the network between a client and the server does nothing to frames but carry them, and soon.
    package func isNetworkWhole(of client: NodeID) -> Bool {
        guard let conditions = fabric.conditions(of: client) else { return false }
        return conditions.carriesPackets && conditions.loss == 0 && conditions.rules.isEmpty
            && conditions.delay + conditions.jitter <= .milliseconds(500)
    }

    /// When a frame between a client and the server was last lost, held or doubled; nil for never.
    package func lastDisturbance(of client: NodeID) -> Instant? {
        client.rawValue < fabric.disturbances.count ? fabric.disturbances[client.rawValue] : nil
    }

    /// How many connections have an end that is not closed, or a packet on its way.
    package var linkCount: Int { fabric.links.count }

    /// When something happens next by itself; nil for never.
    public var nextMoment: Instant? { nextInstant }

    /// Lets the one thing happen that comes next, if it comes by then.
    ///
    /// - Returns: false when nothing was due; the time is then at the end.
    public func stepOnce(until end: Instant) -> Bool {
        guard !core.isOver, let next = nextInstant, next <= end else {
            if !core.isStalled { core.now = max(core.now, end) }
            return false
        }
        core.now = max(core.now, next)
        step()
        return true
    }

    /// Whether something is still to happen at this very instant.
    public var isAnythingDue: Bool { nextInstant.map { $0 <= core.now } ?? false }

    /// Lets time pass up to `end`, but not beyond what happens next by itself, which is still to happen then.
    public func passTime(until end: Instant) {
        core.now = max(core.now, min(end, nextInstant ?? end))
    }

    /// Whatever chance decides from here on is decided anew: the network's, and the machines' own.
    package func drawAnew(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        orderSeed = seed
        fabric.drawAnew(&random)
        core.drawAnew(&random)
    }
}

extension SimulatedFabric {
    /// A frame that is lost, held or doubled is something that whoever compares both sides has to know of.
    func noteDisturbance(_ verdict: FrameVerdict, _ client: Int) {
        if case .deliver = verdict { return }
        while disturbances.count <= client { disturbances.append(nil) }
        disturbances[client] = core.now
    }

    func drawAnew(_ random: inout SeededRandom) {
        for place in core.nodes.indices { conditions[place]?.drawAnew(&random) }
    }
}
