import IMSession
import SansIO

// The random order of due items has no state: a draw depends only on the seed, the time and the item. So a world that
// continues a recording makes the same draws as the recorded world.

extension SimulatedWorld {
    private enum DueItem {
        case toServer(link: Int)
        case toClient(link: Int)
        case timer(NodeID)
    }

    /// Runs one of the items that are due now, chosen at random.
    func stepRandomly() {
        var chosen: DueItem?
        var lowest: UInt64?
        lazy var draws = DueDraws(seed: orderSeed, now: core.now)
        func draw(of due: DueItem) -> UInt64 {
            switch due {
            case .toServer(let index): draws.toServer(network.links[index])
            case .toClient(let index): draws.toClient(network.links[index])
            case .timer(let node): draws.timer(of: node)
            }
        }
        func consider(_ due: DueItem) {
            // Usually only one item is due, and no number is drawn.
            guard let first = chosen else { return chosen = due }
            let (best, new) = (lowest ?? draw(of: first), draw(of: due))
            // Of two items with equal draws, the first wins.
            (chosen, lowest) = new < best ? (due, new) : (first, best)
        }
        for index in network.links.indices {
            if let at = network.links[index].toServer.nextArrival, at <= core.now { consider(.toServer(link: index)) }
            if let at = network.links[index].toClient.nextArrival, at <= core.now { consider(.toClient(link: index)) }
        }
        core.forEachDueNode { consider(.timer($0)) }
        switch chosen {
        case .toServer(let index): network.arriveNext(toServerOn: index)
        case .toClient(let index): network.arriveNext(toClientOn: index)
        case .timer(let node): core.reachDeadline(of: node)
        case nil: break
        }
    }
}

/// The random numbers of the items that are due at an instant. The item with the lowest number runs first.
struct DueDraws {
    private let instantSeed: UInt64

    init(seed: UInt64, now: Instant) {
        var random = SeededRandom(seed: seed ^ UInt64(bitPattern: now.nanoseconds))
        instantSeed = random.next()
    }

    func toServer(_ link: SimulatedNetwork.Link) -> UInt64 { draw(name(of: link) | 1, link.toServer.entries.count) }
    func toClient(_ link: SimulatedNetwork.Link) -> UInt64 { draw(name(of: link) | 2, link.toClient.entries.count) }
    func timer(of node: NodeID) -> UInt64 { draw(UInt64(node.rawValue) << 40 | 3, 0) }

    private func name(of link: SimulatedNetwork.Link) -> UInt64 {
        UInt64(link.client.rawValue) << 40 | UInt64(link.connection.rawValue) << 8
    }

    private func draw(_ name: UInt64, _ queuedCount: Int) -> UInt64 {
        var random = SeededRandom(seed: instantSeed ^ name)
        random = SeededRandom(seed: random.next() ^ UInt64(queuedCount))
        return random.next()
    }
}
