import IMProtocol
import IMSession
import SansIO

/// Checks the simulated network against an independent model of its commands. Frames that are neither lost nor held
/// arrive once and in order. A rule for N frames applies to N frames. Held frames arrive once, after their release. If
/// the network drops packets, the other end does not detect the close of a connection either.
struct NetworkChecker {
    /// The models of the devices, by node index.
    private var devices: [Device] = []
    /// For each server connection, the node index of the device that logged in over it.
    private var owners: [ConnectionID: Int] = [:]
    private var nodeIndices: [String: Int] = [:]
    /// Device ids that more than one process uses. The checker cannot tell which process their connections belong to.
    private var shared: Set<String> = []
    /// Connections that the client has closed, with its node index. If the server then sends a frame over one of them,
    /// and the network works, ``unanswered`` also contains the connection. The server must then detect the close.
    private var closedByClient: [ConnectionID: Int] = [:]
    private var unanswered: [ConnectionID: Int] = [:]
    /// Connections whose client's network failed. A frame that the server sends over them is lost.
    private var severed: Set<ConnectionID> = []
    /// Connections whose network failed before the client closed them. The server does not detect the close.
    private var silenced: Set<ConnectionID> = []
    /// Connections that a client closed on a working network, with the earlier frames that have not arrived, and the
    /// earliest time at which the server may detect the close.
    private var closing: [ConnectionID: (node: Int, expected: [UInt64], earliest: Instant)] = [:]
    /// Connections whose client's network was reset, with the time. The server must detect the reset at once.
    private var resets: [ConnectionID: Instant] = [:]
    /// Connections that the client closed while the network dropped packets, with the client's node index.
    private var closedWhileDropping: [ConnectionID: Int] = [:]

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        let node = trace.node
        while devices.count <= node { devices.append(Device()) }
        if devices[node].pendingNotice != nil || !devices[node].neverOpening.isEmpty,
            case .input(let input) = event.content
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
            if action == .down || action == .switchNetwork, let id = devices[node].link?.server { silenced.insert(id) }
            if action == .reset, !devices[node].isDown, !devices[node].isHalfOpen, let link = devices[node].link,
                let id = link.server, owners[id] != nil, !link.isClosedByServer, !severed.contains(id)
            {
                resets[id] = event.time
            }
            // Both ends detect a reset at once. After `up` or `clear`, the server may detect an earlier close.
            if [.reset, .up, .clear].contains(action) {
                closedWhileDropping = closedWhileDropping.filter { $0.value != node }
            }
            devices[node].apply(action, at: event.time)
            let isHalfOpen = devices[node].isHalfOpen
            devices[node].halfOpenSince = isHalfOpen ? event.time : nil
            // After this action, the network may lose the answer of the device's end.
            if ![.clear, .up, .release].contains(action) { unanswered = unanswered.filter { $0.value != node } }
            if [.down, .switchNetwork, .reset, .halfOpen].contains(action) {
                closing = closing.filter { $0.value.node != node }
            }
            if action == .down || action == .switchNetwork {
                severed.formUnion(owners.filter { $0.value == node }.map(\.key))
            }
        case .input(.app(.woke)): if !devices[node].rules.isEmpty { devices[node].areRulesKnown = false }
        case .effect(.connect(let id)): devices[node].connects(id, at: event.time)
        case .input(.linkOpened(let id)):
            devices[node].connecting = nil
            if devices[node].neverOpening.contains(id) {
                violations.add(.network, "C-16", "a connection opens over a half-open network")
            }
            devices[node].login = nil
            devices[node].link = Link(client: id, isTimely: !devices[node].isDelayed)
        case .stop, .input(.linkClosed), .input(.linkFailed), .effect(.closeLink):
            // Packets that were in flight when the half-open state began may still arrive for a while.
            if case .input(.linkClosed(_, let linkError)) = event.content, linkError != .networkDown,
                let since = devices[node].halfOpenSince, event.time - since > .seconds(30),
                event.time - trace.awakeSince > .seconds(30)
            {
                violations.add(.network, "C-16", "the client receives a close over a half-open network")
            }
            // The client has waited longer than the opening of a connection takes.
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

    /// Checks that the device is notified of a network change at once, or as soon as it wakes.
    private mutating func checkNotice(
        _ input: NodeInput, _ node: Int, at now: Instant, _ trace: ClientTrace, into violations: inout [Violation]
    ) {
        if case .linkFailed(let id, let linkError) = input, devices[node].neverOpening.contains(id),
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
            closedByClient.removeAll()
            unanswered.removeAll()
            closedWhileDropping.removeAll()
            resets.removeAll()
            closing.removeAll()
            for node in devices.indices {
                devices[node].link?.isKnown = false
                devices[node].link?.isClosedByServer = true
                devices[node].earlier.removeAll()
            }
        case .input(.frame(let id, let frame)):
            if case .login(let login) = frame.body, owners[id] == nil, !shared.contains(login.device.id),
                let node = nodeIndices[login.device.id], let sent = Login(frame)
            {
                loggedIn(sent, of: node, on: id)
            }
            if let expected = closing[id]?.expected {
                let isNext = expected.first == Device.mark(frame)
                closing[id]?.expected = isNext ? Array(expected.dropFirst()) : []
            }
            if let node = owners[id] { devices[node].arrived(frame, atServer: id, at: event.time) }
        case .input(.linkClosed(let id, _)), .effect(.closeLink(let id)):
            if case .input = event.content, silenced.contains(id) {
                violations.add(.network, "ZIM-5", "the server receives a close from a network that is down")
            }
            if case .input = event.content, let node = closedWhileDropping[id], devices[node].isHalfOpen {
                violations.add(.network, "C-12", "the server receives a close over a half-open network")
            }
            if case .effect = event.content, let since = resets[id], event.time > since {
                violations.add(.network, "C-16", "a reset does not reach the server")
            }
            if case .input = event.content, let closed = closing[id] {
                if !closed.expected.isEmpty { violations.add(.network, "C-16", "a close overtakes earlier frames") }
                if event.time < closed.earliest { violations.add(.network, "C-16", "a close arrives before its delay") }
            }
            closing[id] = nil
            resets[id] = nil
            closedWhileDropping[id] = nil
            if let node = owners[id], devices[node].link?.server == id { devices[node].link?.isClosedByServer = true }
            owners[id] = nil
            closedByClient[id] = nil
            unanswered[id] = nil
        case .effect(.send(let id, let frame)):
            guard let node = owners[id] else {
                // The frame may count for the rules of any device, because the device of the connection is unknown.
                for node in devices.indices { devices[node].noteUnknownFrame() }
                return
            }
            guard !severed.contains(id) else { return }
            if closedByClient[id] != nil, devices[node].isReliable { unanswered[id] = node }
            devices[node].answered(frame, over: id, at: event.time)
        default: break
        }
    }

    /// Assigns a server connection to a client. A login request over an ended connection may arrive after the next one.
    private mutating func loggedIn(_ login: Login, of node: Int, on id: ConnectionID) {
        if let index = devices[node].earlier.firstIndex(where: { $0.login == login }) {
            owners[id] = node
            // If the request equals that of the current connection, it may have come over either connection.
            guard devices[node].login != login else { return devices[node].noteUnknownFrame() }
            if devices[node].earlier.remove(at: index).isSevered { severed.insert(id) }
        } else if devices[node].link?.server == nil {
            owners[id] = node
            if devices[node].login == login { devices[node].link?.server = id }
        }
    }

    /// Notes that the client closes a connection. The close must arrive after the frames that were sent before it.
    private mutating func close(_ id: ConnectionID, of node: Int, at now: Instant) {
        let device = devices[node]
        guard let link = device.link, link.client == id, link.isKnown, !link.isClosedByServer, link.disorder == nil,
            device.areRulesKnown, !device.isHalfOpen, let server = link.server, owners[server] == node,
            !severed.contains(server)
        else { return }
        closing[server] = (node, link.expected[0].map(\.mark), now + device.delay)
    }

    private mutating func end(_ node: Int) {
        if let id = devices[node].link?.server, owners[id] != nil, !severed.contains(id) {
            closedByClient[id] = node
            if devices[node].isHalfOpen { closedWhileDropping[id] = node }
        }
        devices[node].endLink(isSevered: false)
    }

    /// A violation if a frame is overdue; can be called at any time. The device reads frames from `awakeSince` on.
    func overdue(of node: Int, at now: Instant, awakeSince: Instant) -> Violation? {
        guard node < devices.count, devices[node].areRulesKnown, let link = devices[node].link, link.isKnown,
            link.isTimely, link.server != nil
        else { return nil }
        for way in 0...1 {
            guard let next = link.expected[way].first, now - max(next.earliest, awakeSince) > .seconds(60) else {
                continue
            }
            let detail = way == 0 ? "to the server" : "to the client"
            return Violation(.network, "C-16", "frames do not arrive without a rule against them", detail)
        }
        return nil
    }

    /// Checks the client at this node index. Call the method only if nothing is in flight between client and server.
    func violation(of node: Int) -> Violation? {
        guard node < devices.count else { return nil }
        if unanswered.values.contains(node) {
            return Violation(.network, "ZIM-5", "the server does not receive the close of a client")
        }
        guard let link = devices[node].link, link.isKnown, link.server != nil else { return nil }
        func detail(_ way: Int) -> String {
            "\(link.arrived[way]), \(link.expected[way].count) missing, \(way == 0 ? "to the server" : "to the client")"
        }
        for way in 0...1 where !link.expected[way].isEmpty {
            return Violation(.network, "C-16", "frames are missing without a rule against them", detail(way))
        }
        if let earliness = link.earliness {
            return Violation(.network, "C-16", "a frame arrives before its delay", "\(earliness.inMilliseconds) ms")
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
