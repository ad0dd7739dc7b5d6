import IMNetwork
import IMSession
import Recorder
import SansIO

/// Which frames can still arrive when their usual time is over: `net hold` keeps them until a release, `net delay` makes
/// them late, and a device that sleeps reads them when it wakes.
struct LateFrames {
    private struct Network {
        var isCut = false
        var rules: [FrameRule] = []
        var delay = Interval.zero
        /// When the device wakes.
        var awake = Instant.zero
        /// The frames that have not arrived, by the number of the event that sent them.
        var frames: [UInt64: Frame] = [:]
    }

    private struct Frame {
        /// The client's connection.
        var connection: UInt32
        /// Nil while it is held.
        var due: Instant?
    }

    private var networks: [NodeIndex: Network] = [:]

    /// - Parameter end: the client's end of the connection that an event is about; nil where that is not known.
    mutating func take(_ event: SessionEvent, of node: NodeIndex, client end: CausalGraph.End?) {
        switch event.content {
        case .environment(.net(let action)): take(action, at: event.time, of: node)
        case .environment(.sleep(let length)): networks[node, default: Network()].awake = event.time + length
        case .input(.linkClosed):
            guard let end, var network = networks[end.node] else { return }
            network.frames = network.frames.filter { $0.value.connection != end.connection }
            networks[end.node] = network
        case .input(.frame): if let end { networks[end.node]?.frames[event.cause] = nil }
        case .stop: networks[node]?.frames = [:]
        case .effect(.send(_, let frame)):
            if let end { send(frame.body.name, event, over: end, end.node == node ? .toServer : .toClient) }
        default: break
        }
    }

    private mutating func take(_ action: NetAction, at now: Instant, of client: NodeIndex) {
        var network = networks[client] ?? Network()
        func release() {
            let due = now + network.delay
            network.frames = network.frames.mapValues { frame in
                Frame(connection: frame.connection, due: frame.due ?? due)
            }
        }
        switch action {
        case .down, .halfOpen: network.isCut = true
        case .up, .switchNetwork: network.isCut = false
        case .delay(let delay, let jitter): network.delay = delay + jitter
        case .rule(let rule): network.rules.append(rule)
        case .release: release()
        case .clear:
            release()
            (network.isCut, network.rules, network.delay) = (false, [], .zero)
        case .reset, .loss: break
        }
        networks[client] = network
    }

    private mutating func send(
        _ name: String, _ event: SessionEvent, over end: CausalGraph.End, _ direction: LinkDirection
    ) {
        guard let network = networks[end.node], !network.isCut else { return }
        if let index = network.rules.firstIndex(where: { $0.applies(to: name, direction) }) {
            let rule = network.rules[index]
            if let remaining = rule.remaining { networks[end.node]?.rules[index].remaining = remaining - 1 }
            if rule.action == .hold {
                networks[end.node]?.frames[event.number] = Frame(connection: end.connection, due: nil)
            }
            if rule.action != .duplicate { return }
        }
        let arrival = event.time + network.delay
        let due = direction == .toClient ? max(arrival, network.awake) : arrival
        networks[end.node]?.frames[event.number] = Frame(connection: end.connection, due: due)
    }

    /// Whether a frame that has not arrived can still do so.
    func canArrive(_ number: UInt64, after last: Instant) -> Bool {
        networks.values.contains { network in
            network.frames[number].map { $0.due.map { $0 >= last } ?? true } ?? false
        }
    }
}
