import IMSession
import SansIO

// The packets in flight, for observers outside of the world that need to detect quiescence.

extension SimulatedWorld {
    /// True if a packet is in flight between a client and the server, in either direction and on any of the client's
    /// connections; held packets count.
    package func hasPacketsInFlight(of client: NodeID) -> Bool {
        network.links.contains {
            $0.client == client
                && !($0.toServer.isEmpty && $0.toClient.isEmpty && $0.toServer.held.isEmpty
                    && $0.toClient.held.isEmpty)
        }
    }

    /// True if the network between a client and the server delivers all frames, with a delay of at most 500 ms.
    package func isNetworkReliable(of client: NodeID) -> Bool {
        guard let conditions = network.conditions(of: client) else { return false }
        return conditions.carriesPackets && conditions.loss == 0 && conditions.rules.isEmpty
            && conditions.delay + conditions.jitter <= .milliseconds(500)
    }

    /// The last time a frame between a client and the server was lost, held or duplicated; nil for never.
    package func lastDisturbance(of client: NodeID) -> Instant? {
        client.rawValue < network.disturbances.count ? network.disturbances[client.rawValue] : nil
    }

    /// The time of the next packet, deadline or wake-up; nil if there is none.
    public var nextEventTime: Instant? { nextInstant }

    /// Runs the next due event, if it is due by `end`.
    ///
    /// - Returns: false if nothing was due; the time is then `end`.
    public func stepOnce(until end: Instant) -> Bool {
        guard !core.isOver, let next = nextInstant, next <= end else {
            if !core.isStalled { core.now = max(core.now, end) }
            return false
        }
        core.now = max(core.now, next)
        step()
        return true
    }

    /// True if something is still due at the current instant.
    public var hasDueEvents: Bool { nextInstant.map { $0 <= core.now } ?? false }

    /// Advances the time to `end`, or to the next due event if that is earlier. It does not run that event.
    public func passTime(until end: Instant) {
        core.now = max(core.now, min(end, nextInstant ?? end))
    }

    /// Reseeds all later random choices: the network's, the order's and the machines'.
    package func reseed(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        orderSeed = seed
        network.reseed(&random)
        core.reseed(&random)
    }
}

extension SimulatedNetwork {
    /// Records the time if a frame was lost, held or duplicated. A checker that compares client and server needs this
    /// time.
    func noteDisturbance(_ verdict: FrameVerdict, _ client: Int) {
        if case .deliver = verdict { return }
        while disturbances.count <= client { disturbances.append(nil) }
        disturbances[client] = core.now
    }

    func reseed(_ random: inout SeededRandom) {
        for nodeIndex in core.nodes.indices { conditions[nodeIndex]?.reseed(&random) }
    }
}
