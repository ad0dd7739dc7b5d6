import IMClient
import IMNetwork
import IMProtocol
import IMSession
import SansIO

/// What the simulated network does is what was asked of it, counted by a reading of the verbs of its own: what is neither
/// lost nor held arrives once, a rule for N frames is for N, what is held arrives once when it is let go.
struct NetworkOracle {
    /// A link as both ends know it.
    private struct Link {
        var client: ConnectionID
        var server: ConnectionID?
        /// Frames that have to arrive, and those that did, by the way that they go.
        var due = [0, 0]
        var arrived = [0, 0]
        var held = [0, 0]
        /// Chance decides, or the device's network went away under it: nothing is known.
        var isKnown = true
    }

    private struct Device {
        var rules: [FrameRule] = []
        var loss: UInt64 = 0
        var isHalfOpen = false
        var link: Link?
    }

    private var devices: [String: Device] = [:]
    /// Which client a connection of the server belongs to, by the device that logged in over it.
    private var owners: [ConnectionID: String] = [:]
    private var names: [String: String] = [:]
    /// Connections whose client's end is closed, and those of them that the server has said something to since: it has to
    /// learn that nobody is there.
    private var gone: [ConnectionID: String] = [:]
    private var unanswered: [ConnectionID: String] = [:]
    /// Connections whose client's network went away under them: nothing that is said there reaches anybody.
    private var severed: Set<ConnectionID> = []

    mutating func seeClient(_ event: SessionEvent) {
        let node = event.node
        var device = devices[node] ?? Device()
        defer { devices[node] = device }
        switch event.content {
        case .start(let start):
            if case .client(_, let described, _, _, _, _) = start.body { names[described.id] = node }
            device.link = nil
        case .stop: end(&device, node)
        case .environment(.net(let action)):
            apply(action, to: &device)
            if action == .down || action == .switchNetwork {
                severed.formUnion(owners.filter { $0.value == node }.map(\.key))
            }
        case .input(.linkOpened(let id)): device.link = Link(client: id)
        case .input(.linkClosed), .input(.linkFailed), .effect(.closeLink): end(&device, node)
        case .input(.frame(let id, _)) where device.link?.client == id: device.link?.arrived[1] += 1
        case .effect(.send(let id, let frame)) where device.link?.client == id: send(frame, 0, &device)
        default: break
        }
    }

    mutating func seeServer(_ event: SessionEvent) {
        switch event.content {
        case .start, .stop:
            owners.removeAll()
            gone.removeAll()
            unanswered.removeAll()
            for name in devices.keys { devices[name]?.link?.isKnown = false }
        case .input(.frame(let id, let frame)):
            if case .login(let login) = frame.body, owners[id] == nil, let node = names[login.device.id],
                devices[node]?.link?.server == nil
            {
                owners[id] = node
                devices[node]?.link?.server = id
            }
            if let node = owners[id], devices[node]?.link?.server == id { devices[node]?.link?.arrived[0] += 1 }
        case .input(.linkClosed(let id, _)), .effect(.closeLink(let id)):
            owners[id] = nil
            gone[id] = nil
            unanswered[id] = nil
        case .effect(.send(let id, let frame)):
            guard let node = owners[id], var device = devices[node] else {
                // Nobody knows whose rules it uses up.
                for name in devices.keys { devices[name]?.link?.isKnown = false }
                return
            }
            guard !severed.contains(id) else { return }
            if gone[id] != nil, !device.isHalfOpen, device.loss == 0, device.rules.isEmpty { unanswered[id] = node }
            send(frame, 1, &device, isCounted: device.link?.server == id)
            devices[node] = device
        default: break
        }
    }

    private mutating func end(_ device: inout Device, _ node: String) {
        if let id = device.link?.server, owners[id] != nil, !severed.contains(id) { gone[id] = node }
        device.link = nil
    }

    private func apply(_ action: NetAction, to device: inout Device) {
        switch action {
        case .down, .switchNetwork:
            device.link = nil
            device.isHalfOpen = false
        case .reset: device.link = nil
        case .up: device.isHalfOpen = false
        case .halfOpen: device.isHalfOpen = true
        case .delay: break
        case .loss(let loss): device.loss = loss
        case .rule(let rule): device.rules.append(rule)
        case .release: release(&device)
        case .clear:
            device.rules = []
            device.loss = 0
            device.isHalfOpen = false
            release(&device)
        }
    }

    private func release(_ device: inout Device) {
        guard var link = device.link else { return }
        for way in 0...1 {
            link.due[way] += link.held[way]
            link.held[way] = 0
        }
        device.link = link
    }

    /// - Parameter isCounted: false for one over an older link, which uses up rules all the same.
    private func send(_ frame: Frame, _ way: Int, _ device: inout Device, isCounted: Bool = true) {
        guard !device.isHalfOpen else { return }
        let counted = device.link
        defer { if !isCounted { device.link = counted } }
        let direction: LinkDirection = way == 0 ? .toServer : .toClient
        let place = device.rules.firstIndex { rule in
            (rule.frame == FrameRule.anyFrame || rule.frame == frame.body.name)
                && (rule.direction == nil || rule.direction == direction)
        }
        guard let place else {
            if device.loss > 0 { device.link?.isKnown = false }
            device.link?.due[way] += 1
            return
        }
        let action = device.rules[place].action
        if let left = device.rules[place].remaining {
            if left > 1 { device.rules[place].remaining = left - 1 } else { device.rules.remove(at: place) }
        }
        switch action {
        case .drop: break
        case .hold: device.link?.held[way] += 1
        case .duplicate:
            if device.loss > 0 { device.link?.isKnown = false }
            device.link?.due[way] += 2
        }
    }

    /// To be called where nothing is under way between a client and the server.
    func fault(of node: String) -> Violation? {
        if unanswered.values.contains(node) {
            return Violation(.network, "ZIM-5", "nobody says that an end is gone")
        }
        guard let link = devices[node]?.link, link.isKnown, link.server != nil else { return nil }
        for way in 0...1 where link.due[way] != link.arrived[way] {
            let words = "\(link.arrived[way]) of \(link.due[way]) \(way == 0 ? "to the server" : "to the client")"
            let kind =
                link.arrived[way] < link.due[way] ? "frames that nobody stopped are missing" : "frames arrive twice"
            return Violation(.network, "C-16", kind, words)
        }
        return nil
    }
}
