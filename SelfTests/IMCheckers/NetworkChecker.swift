import IMProtocol
import IMSession
import SansIO

/// Checks the simulated network against an independent model of its commands. Frames that are neither lost nor held
/// arrive once and in order. A rule for N frames applies to N frames. Held frames arrive once after their release. If
/// packets vanish, so does the end of a connection.
struct NetworkChecker {
    /// By node index.
    private var devices: [Device] = []
    /// The node index of each server connection, by the device that logged in over it.
    private var owners: [ConnectionID: Int] = [:]
    private var nodeIndices: [String: Int] = [:]
    /// Devices with more than one process. Their connections cannot be assigned.
    private var shared: Set<String> = []
    /// Connections that the client has closed, and those of them on which the server has sent a frame after that. The
    /// server must then receive the close.
    private var gone: [ConnectionID: Int] = [:]
    private var unanswered: [ConnectionID: Int] = [:]
    /// Connections whose client's network failed. Frames sent there reach nobody.
    private var severed: Set<ConnectionID> = []
    /// Connections whose network failed before the client closed them. The server receives no close there.
    private var silenced: Set<ConnectionID> = []
    /// Connections that a client closed in order, with the earlier frames that have not arrived, and the earliest
    /// arrival of the close.
    private var closing: [ConnectionID: (node: Int, due: [UInt64], earliest: Instant)] = [:]
    /// Connections whose client's network was reset, with the time. The server receives the reset at once.
    private var resets: [ConnectionID: Instant] = [:]
    /// Connections that the client closed while packets vanished.
    private var endedUnheard: [ConnectionID: Int] = [:]

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        let node = trace.node
        while devices.count <= node { devices.append(Device()) }
        if devices[node].pendingNotice != nil || !devices[node].hanging.isEmpty, case .input(let input) = event.content
        {
            checkNotice(input, node, at: event.time, trace, into: &violations)
        }
        switch event.content {
        case .start(let start):
            devices[node].pendingNotice = nil
            if case .client(_, let described, _, _, _, _) = start.body {
                if let other = nodeIndices[described.id], other != node { shared.insert(described.id) }
                nodeIndices[described.id] = node
            }
            devices[node].link = nil
        case .environment(.net(let action)):
            if action == .down || action == .switchNetwork, let id = devices[node].link?.server {
                silenced.insert(id)
            }
            if action == .reset, !devices[node].isDown, !devices[node].isHalfOpen, let link = devices[node].link,
                let id = link.server, owners[id] != nil, !link.isServerGone, !severed.contains(id)
            {
                resets[id] = event.time
            }
            // A reset reaches both ends at once. After `up` or `clear` the other end may receive the close.
            if [.reset, .up, .clear].contains(action) { endedUnheard = endedUnheard.filter { $0.value != node } }
            devices[node].apply(action, at: event.time)
            let isHalfOpen = devices[node].isHalfOpen
            devices[node].halfOpenSince = isHalfOpen ? event.time : nil
            // From here on the answer of the device's end may be lost.
            if ![.clear, .up, .release].contains(action) { unanswered = unanswered.filter { $0.value != node } }
            if [.down, .switchNetwork, .reset, .halfOpen].contains(action) {
                closing = closing.filter { $0.value.node != node }
            }
            if action == .down || action == .switchNetwork {
                severed.formUnion(owners.filter { $0.value == node }.map(\.key))
            }
        case .input(.app(.woke)): if !devices[node].rules.isEmpty { devices[node].areRulesKnown = false }
        case .effect(.connect(let id)):
            devices[node].connects(id, at: event.time)
        case .input(.linkOpened(let id)):
            devices[node].connecting = nil
            if devices[node].hanging.contains(id) {
                violations.add(.network, "C-16", "a connection opens over a half-open network")
            }
            devices[node].login = nil
            devices[node].link = Link(client: id, isTimely: !devices[node].isDelayed)
        case .stop, .input(.linkClosed), .input(.linkFailed), .effect(.closeLink):
            // Packets that were already in flight at the start still arrive.
            if case .input(.linkClosed(_, let linkError)) = event.content, linkError != .networkDown,
                let since = devices[node].halfOpenSince, event.time - since > .seconds(30),
                event.time - trace.awakeSince > .seconds(30)
            {
                violations.add(.network, "C-16", "the client receives a close over a half-open network")
            }
            // The client has waited longer than any answer takes.
            if case .effect(.closeLink(let id)) = event.content, let (own, since) = devices[node].connecting, own == id,
                case .deadlineReached? = trace.input, event.time - since > .seconds(2), since > trace.awakeSince
            {
                violations.add(.network, "C-9", "a connection does not open over a working network")
            }
            if case .effect(.closeLink) = event.content, case .deadlineReached? = trace.input,
                let since = devices[node].link?.unansweredSince, event.time - max(since, trace.awakeSince) > .seconds(2)
            {
                violations.add(.network, "C-12", "the client does not receive the close of the server's end")
            }
            devices[node].connecting = nil
            if case .effect(.closeLink(let id)) = event.content { close(id, of: node, at: event.time) }
            end(node)
        case .input(.frame(let id, let frame)):
            devices[node].arrived(frame, atClient: id, at: event.time, awakeSince: trace.awakeSince)
        case .effect(.send(let id, let frame)): devices[node].sent(frame, over: id, at: event.time)
        default: break
        }
    }

    /// The device is notified of a network change at once, or as soon as it wakes.
    private mutating func checkNotice(
        _ input: NodeInput, _ node: Int, at now: Instant, _ trace: ClientTrace, into violations: inout [Violation]
    ) {
        if case .linkFailed(let id, let linkError) = input, devices[node].hanging.contains(id),
            linkError != .reset, linkError != .networkDown || !devices[node].isDown
        {
            violations.add(
                .network, "C-16", "a connection attempt fails at once over a half-open network", linkError.name)
        }
        guard let (change, since) = devices[node].pendingNotice else { return }
        if input == .network(change) {
            devices[node].pendingNotice = nil
        } else if now > since {
            devices[node].pendingNotice = nil
            guard trace.awakeSince < since else { return }
            violations.add(.network, "C-9", "a device is not notified of a change of its network", change.name)
        }
    }

    mutating func observeServer(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop:
            owners.removeAll()
            gone.removeAll()
            unanswered.removeAll()
            endedUnheard.removeAll()
            resets.removeAll()
            closing.removeAll()
            for node in devices.indices {
                devices[node].link?.isKnown = false
                devices[node].link?.isServerGone = true
                devices[node].earlier.removeAll()
            }
        case .input(.frame(let id, let frame)):
            if case .login(let login) = frame.body, owners[id] == nil, !shared.contains(login.device.id),
                let node = nodeIndices[login.device.id], let sent = Login(frame)
            {
                loggedIn(sent, of: node, on: id)
            }
            if let due = closing[id]?.due {
                let isNext = due.first == Device.mark(frame)
                closing[id]?.due = isNext ? Array(due.dropFirst()) : []
            }
            if let node = owners[id] { devices[node].arrived(frame, atServer: id, at: event.time) }
        case .input(.linkClosed(let id, _)), .effect(.closeLink(let id)):
            if case .input = event.content, silenced.contains(id) {
                violations.add(.network, "ZIM-5", "the server receives a close from a network that is down")
            }
            if case .input = event.content, let node = endedUnheard[id], devices[node].isHalfOpen {
                violations.add(.network, "C-12", "the server receives a close over a half-open network")
            }
            if case .effect = event.content, let since = resets[id], event.time > since {
                violations.add(.network, "C-16", "a reset does not reach the server")
            }
            if case .input = event.content, let closed = closing[id] {
                if !closed.due.isEmpty {
                    violations.add(.network, "C-16", "a close overtakes earlier frames")
                }
                if event.time < closed.earliest {
                    violations.add(.network, "C-16", "a close arrives before its delay")
                }
            }
            closing[id] = nil
            resets[id] = nil
            endedUnheard[id] = nil
            if let node = owners[id], devices[node].link?.server == id { devices[node].link?.isServerGone = true }
            owners[id] = nil
            gone[id] = nil
            unanswered[id] = nil
        case .effect(.send(let id, let frame)):
            guard let node = owners[id] else {
                // It is not known whose rules the frame uses up.
                for node in devices.indices { devices[node].lostCount() }
                return
            }
            guard !severed.contains(id) else { return }
            if gone[id] != nil, devices[node].isReliable { unanswered[id] = node }
            devices[node].answered(frame, over: id, at: event.time)
        default: break
        }
    }

    /// A login may arrive over an ended connection, after the login of the next connection.
    private mutating func loggedIn(_ login: Login, of node: Int, on id: ConnectionID) {
        if let index = devices[node].earlier.firstIndex(where: { $0.login == login }) {
            owners[id] = node
            // If the login equals that of the current connection, it may be either.
            guard devices[node].login != login else { return devices[node].lostCount() }
            if devices[node].earlier.remove(at: index).isSevered { severed.insert(id) }
        } else if devices[node].link?.server == nil {
            owners[id] = node
            if devices[node].login == login { devices[node].link?.server = id }
        }
    }

    /// A close is queued after the frames that were sent before it.
    private mutating func close(_ id: ConnectionID, of node: Int, at now: Instant) {
        let device = devices[node]
        guard let link = device.link, link.client == id, link.isKnown, !link.isServerGone, link.disorder == nil,
            device.areRulesKnown, !device.isHalfOpen, let server = link.server, owners[server] == node,
            !severed.contains(server)
        else { return }
        closing[server] = (node, link.due[0].map(\.mark), now + device.delay)
    }

    private mutating func end(_ node: Int) {
        if let id = devices[node].link?.server, owners[id] != nil, !severed.contains(id) {
            gone[id] = node
            if devices[node].isHalfOpen { endedUnheard[id] = node }
        }
        devices[node].endLink(isSevered: false)
    }

    /// Call it at any time.
    ///
    /// - Parameter awakeSince: the time from which the device reads frames.
    func overdue(of node: Int, at now: Instant, awakeSince: Instant) -> Violation? {
        guard node < devices.count, devices[node].areRulesKnown, let link = devices[node].link, link.isKnown,
            link.isTimely, link.server != nil
        else { return nil }
        for way in 0...1 {
            guard let next = link.due[way].first, now - max(next.earliest, awakeSince) > .seconds(60) else { continue }
            let detail = way == 0 ? "to the server" : "to the client"
            return Violation(.network, "C-16", "frames do not arrive without a rule against them", detail)
        }
        return nil
    }

    /// Call it if nothing is in flight between a client and the server.
    ///
    /// - Parameter node: the client's node index.
    func violation(of node: Int) -> Violation? {
        guard node < devices.count else { return nil }
        if unanswered.values.contains(node) {
            return Violation(.network, "ZIM-5", "the server does not receive the close of a client")
        }
        guard let link = devices[node].link, link.isKnown, link.server != nil else { return nil }
        func detail(_ way: Int) -> String {
            "\(link.arrived[way]), \(link.due[way].count) missing, \(way == 0 ? "to the server" : "to the client")"
        }
        for way in 0...1 where !link.due[way].isEmpty {
            return Violation(.network, "C-16", "frames are missing without a rule against them", detail(way))
        }
        if let hurry = link.hurry {
            return Violation(.network, "C-16", "a frame arrives before its delay", "\(hurry.inMilliseconds) ms")
        }
        if let lateness = link.lateness {
            return Violation(.network, "C-16", "a frame arrives after its delay", "\(lateness.inMilliseconds) ms")
        }
        if let way = link.disorder {
            return Violation(.network, "C-16", "frames arrive twice or out of order", detail(way))
        }
        return nil
    }
}
