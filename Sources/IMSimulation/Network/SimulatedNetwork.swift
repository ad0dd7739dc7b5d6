import IMClient
import IMProtocol
import IMSession
import SansIO

/// Connections without sockets: the states of their ends and the packets in flight. `LinkConditions` in
/// `IMSession/Network/LinkConditions.swift` defines what the `net` commands do, on this network and on real sockets.
/// `WorldCore` explains why `@exclusivity(unchecked)` is used.
final class SimulatedNetwork: WorldNetwork {
    /// A packet in flight, and its cause.
    struct Packet {
        var content: Content
        var cause: EventID
        /// The verdict to use for the frame's credential if a what-if edited it; nil to check the credential.
        var verdict: CredentialVerdict?

        init(_ content: Content, cause: EventID) {
            self.content = content
            self.cause = cause
        }
    }

    enum Content {
        case frame(Frame)
        /// Sent to the server: a connection attempt. The answer takes `answerDelay` to arrive.
        case connect(answerDelay: Interval)
        case opened
        case refused
        /// Sent by the device to itself: it has no network.
        case unreachable
        case close
        case reset
    }

    enum ClientEnd {
        case connecting
        case open
        case closed
    }

    /// One connection, from the client's attempt until both ends are closed and nothing is in flight.
    struct Link {
        let client: NodeID
        let connection: ConnectionID
        var clientEnd = ClientEnd.connecting
        /// The event that closed the client's end.
        var closeCause = EventID.none
        /// The server's id of the connection; nil before the server accepts it, and after the server's end is closed.
        var serverConnection: ConnectionID?
        /// True if the client lost the network that this connection used: no packet from the server arrives any more.
        var isSevered = false
        var toServer = LinkQueue<Packet>()
        var toClient = LinkQueue<Packet>()

        var isFinished: Bool {
            clientEnd == .closed && serverConnection == nil && toServer.isEmpty && toServer.held.isEmpty
        }

        var nextArrival: Instant? {
            switch (toServer.nextArrival, toClient.nextArrival) {
            case (let atServer?, let atClient?): min(atServer, atClient)
            case (let atServer, let atClient): atServer ?? atClient
            }
        }
    }

    /// Unowned, because world and network have the same lifetime. Unsafe, because each packet reads this reference, and
    /// reference counting would be slow.
    unowned(unsafe) let core: WorldCore
    @exclusivity(unchecked) var links: [Link] = []
    @exclusivity(unchecked) var conditions = ClientConditions()
    /// The last time a frame of a client was lost, held or duplicated, by the client's index; nil for never.
    @exclusivity(unchecked) var disturbances: [Instant?] = []
    var failureCauses = FailureCauses()
    var nextServerConnection = ConnectionID(1)
    /// The number of held frames whose connection was closed, by the client's index, until the next release.
    var lostHeld: [Int: Int] = [:]
    var isListening = false

    init(core: WorldCore) {
        self.core = core
    }

    /// A copy with the packets in flight, for a copy of the world.
    init(copying other: SimulatedNetwork, core: WorldCore) {
        self.core = core
        links = other.links
        conditions = other.conditions
        disturbances = other.disturbances
        failureCauses = other.failureCauses
        nextServerConnection = other.nextServerConnection
        lostHeld = other.lostHeld
        isListening = other.isListening
    }

    // MARK: Effects

    func connect(_ connection: ConnectionID, from client: NodeID, cause: EventID) {
        guard let verdict = conditions[client.rawValue]?.connectVerdict() else { return }
        var link = Link(client: client, connection: connection)
        switch verdict {
        case .proceed(let delay, let answerDelay):
            link.toServer.send(Packet(.connect(answerDelay: answerDelay), cause: cause), after: delay, at: core.now)
            links.append(link)
        case .hang: links.append(link)
        case .fail:
            // A packet without delay, not a direct input: as with a real socket, the client receives the failure after
            // the command that caused it has returned.
            link.toClient.send(
                Packet(.unreachable, cause: failureCauses.networkCause(client, else: cause)), after: .zero, at: core.now
            )
            links.append(link)
        }
    }

    func send(_ frame: Frame, over connection: ConnectionID, from node: NodeID, cause: EventID) {
        guard let index = index(of: connection, at: node) else { return }
        let client = links[index].client.rawValue
        let direction: LinkDirection = core.isServer(node) ? .toClient : .toServer
        if links[index].isSevered { return }
        guard let verdict = conditions[client]?.verdict(frame: frame.body.name, direction: direction) else { return }
        noteDisturbance(verdict, client)
        let packet = Packet(.frame(frame), cause: cause)
        switch direction {
        case .toServer: links[index].toServer.apply(verdict, to: packet, at: core.now)
        case .toClient: links[index].toClient.apply(verdict, to: packet, at: core.now)
        }
    }

    func close(_ connection: ConnectionID, from node: NodeID, cause: EventID) {
        end(connection, from: node, with: Packet(.close, cause: cause))
    }

    func processEnded(_ node: NodeID, cause: EventID) {
        if core.isServer(node) { failureCauses.serverEnd = cause }
        let reset = Packet(.reset, cause: cause)
        for link in links {
            if core.isServer(node) {
                if let connection = link.serverConnection { end(connection, from: node, with: reset) }
            } else if link.client == node, link.clientEnd != .closed {
                end(link.connection, from: node, with: reset)
            }
        }
    }

    /// Closes a node's end of a connection, and sends `packet` to the other end if the network carries packets.
    private func end(_ connection: ConnectionID, from node: NodeID, with packet: Packet) {
        guard let index = index(of: connection, at: node) else { return }
        let conditions = conditions[links[index].client.rawValue]
        if core.isServer(node) {
            links[index].serverConnection = nil
            if !links[index].isSevered, let delay = conditions?.closeDelay(direction: .toClient) {
                links[index].toClient.send(packet, after: delay, at: core.now)
            }
        } else {
            links[index].clientEnd = .closed
            if !links[index].isSevered {
                links[index].closeCause = packet.cause
                if let delay = conditions?.closeDelay(direction: .toServer) {
                    links[index].toServer.send(packet, after: delay, at: core.now)
                }
            }
        }
        removeFinishedLinks()
    }

    func index(of connection: ConnectionID, at node: NodeID) -> Int? {
        if core.isServer(node) { return links.lastIndex { $0.serverConnection == connection } }
        return links.lastIndex { $0.client == node && $0.connection == connection && $0.clientEnd != .closed }
    }

    func removeFinishedLinks() {
        // Usually no link is finished, and this check is cheaper than `removeAll`.
        guard links.contains(where: \.isFinished) else { return }
        for link in links where link.isFinished { noteLost(link.toClient, of: link.client) }
        links.removeAll { $0.isFinished }
    }

    /// Counts the held frames of a queue as lost.
    func noteLost(_ queue: LinkQueue<Packet>, of client: NodeID) {
        guard !queue.held.isEmpty else { return }
        lostHeld[client.rawValue, default: 0] += queue.held.count
    }

    // MARK: The network

    func clientAdded(_ client: NodeID, seed: UInt64) {
        conditions[client.rawValue] = LinkConditions(seed: seed, latency: core.configuration.latency)
    }

    func setListening(_ isListening: Bool) { self.isListening = isListening }

    func conditions(of client: NodeID) -> LinkConditions? { conditions[client.rawValue] }

    // MARK: Arrivals

    var nextArrival: Instant? {
        var next: Instant?
        for index in links.indices {
            if let instant = links[index].nextArrival { next = min(next ?? instant, instant) }
        }
        return next
    }

    /// Delivers the next due packet. Packets of older connections come first, and of one connection those to the
    /// server.
    ///
    /// - Returns: true if a packet was due.
    func deliverNext() -> Bool {
        for index in links.indices where arriveNext(toServerOn: index) || arriveNext(toClientOn: index) { return true }
        return false
    }

    /// Delivers the next due packet to the server on the connection at that index.
    ///
    /// - Returns: false if none is due.
    @discardableResult
    func arriveNext(toServerOn index: Int) -> Bool {
        guard let packet = links[index].toServer.popArrived(by: core.now) else { return false }
        arriveAtServer(packet, index)
        removeFinishedLinks()
        return true
    }

    /// Delivers the next due packet to the client on the connection at that index.
    ///
    /// - Returns: false if none is due.
    @discardableResult
    func arriveNext(toClientOn index: Int) -> Bool {
        guard let packet = links[index].toClient.popArrived(by: core.now) else { return false }
        arriveAtClient(packet, index)
        removeFinishedLinks()
        return true
    }

    func arriveAtServer(_ packet: Packet, _ index: Int) {
        switch packet.content {
        case .connect(let answerDelay):
            guard isListening, let server = core.serverID else {
                links[index].toClient.send(
                    Packet(.refused, cause: failureCauses.refusalCause(packet.cause)), after: answerDelay, at: core.now)
                return
            }
            let connection = nextServerConnection
            nextServerConnection = connection.successor
            links[index].serverConnection = connection
            links[index].toClient.send(Packet(.opened, cause: packet.cause), after: answerDelay, at: core.now)
            core.deliver(.linkOpened(connection), to: server, cause: packet.cause)
        case .frame(let frame):
            guard let connection = links[index].serverConnection, let server = core.serverID else {
                return sendReset(.toClient, index, packet.cause)
            }
            guard !frame.isTooLarge else { return refuseTooLarge(from: server, index, packet.cause) }
            withVerdict(frame, from: links[index].client, editedVerdict: packet.verdict) {
                core.deliver(.frame(connection, $0), to: server, cause: packet.cause)
            }
        case .close, .reset:
            guard let connection = links[index].serverConnection, let server = core.serverID else { return }
            links[index].serverConnection = nil
            let isReset = if case .reset = packet.content { true } else { false }
            core.deliver(
                .linkClosed(connection, isReset ? .reset : .closedByPeer), to: server, cause: packet.cause)
        case .opened, .refused, .unreachable: break
        }
    }

    func arriveAtClient(_ packet: Packet, _ index: Int) {
        let (client, connection) = (links[index].client, links[index].connection)
        guard links[index].clientEnd != .closed else {
            if case .frame = packet.content, links[index].serverConnection != nil {
                sendReset(.toServer, index, links[index].closeCause)
            }
            return
        }
        switch packet.content {
        case .opened:
            links[index].clientEnd = .open
            core.deliver(.linkOpened(connection), to: client, cause: packet.cause)
        case .refused:
            links[index].clientEnd = .closed
            core.deliver(.linkFailed(connection, .refused), to: client, cause: packet.cause)
        case .unreachable:
            links[index].clientEnd = .closed
            core.deliver(.linkFailed(connection, .networkDown), to: client, cause: packet.cause)
        case .frame(let frame):
            guard !frame.isTooLarge else { return refuseTooLarge(from: client, index, packet.cause) }
            core.deliver(.frame(connection, frame), to: client, cause: packet.cause)
        case .close, .reset:
            let isReset = if case .reset = packet.content { true } else { false }
            if let input = closeClientEnd(index, isReset ? .reset : .closedByPeer, packet.cause) {
                core.deliver(input, to: client, cause: packet.cause)
            }
        case .connect: break
        }
    }

    /// Sends a reset in answer to a packet that arrived at a closed end: the sender of the packet has not received the
    /// close.
    private func sendReset(_ direction: LinkDirection, _ index: Int, _ cause: EventID) {
        let conditions = conditions[links[index].client.rawValue]
        guard !links[index].isSevered || direction == .toServer,
            let delay = conditions?.closeDelay(direction: direction)
        else { return }
        let packet = Packet(.reset, cause: cause)
        switch direction {
        case .toServer: links[index].toServer.send(packet, after: delay, at: core.now)
        case .toClient: links[index].toClient.send(packet, after: delay, at: core.now)
        }
    }

    /// Closes a connection on which a frame above the size limit arrived, as a real connection does. The machine of the
    /// receiving node gets only the close, not the frame. The sender of the frame gets the close too.
    private func refuseTooLarge(from node: NodeID, _ index: Int, _ cause: EventID) {
        let connection = core.isServer(node) ? links[index].serverConnection : links[index].connection
        guard let connection else { return }
        end(connection, from: node, with: Packet(.close, cause: cause))
        core.deliver(.linkClosed(connection, .reset), to: node, cause: cause)
    }

    /// Calls `then` with the frame, whose credential, if it has one, is replaced by the verdict on it. The call happens
    /// before this function returns, because the simulated authority answers immediately.
    private func withVerdict(
        _ frame: Frame, from client: NodeID, editedVerdict: CredentialVerdict?, then: (Frame) -> Void
    ) {
        guard var credential = frame.body.credential else { return then(frame) }
        if let editedVerdict { return then(frame.replacingCredential(with: .verdict(editedVerdict))) }
        // The frame contains only the name of the secret, because client and server have the same host here.
        if case .reference(let name) = credential {
            credential = .secret(
                core.vault.wireText(
                    of: name, user: frame.body.credentialUser, wallMilliseconds: core.wallMilliseconds))
        }
        let result = CheckResult()
        let bearerKey = CredentialRateLimiter.BearerKey(
            address: core.name(of: client), user: frame.body.credentialUser, device: frame.body.credentialDevice)
        core.vault.checkCredential(credential, from: bearerKey, wallMilliseconds: core.wallMilliseconds) {
            result.credentialCheck = $0
        }
        let verdict = core.serverVerdict(
            result.credentialCheck.map(core.vault.verdict(of:)) ?? CredentialVerdict(.wrong), from: bearerKey.address)
        then(frame.replacingCredential(with: .verdict(verdict)))
    }

    /// `@unchecked Sendable`: written and read by one thread, within one call of `withVerdict`.
    private final class CheckResult: @unchecked Sendable {
        var credentialCheck: CredentialCheck?
    }
}

/// The network conditions of each client, by node index; nil for the server. A forged recording can contain a
/// connection attempt by the server, so the server's index must be readable.
struct ClientConditions {
    private var all: [LinkConditions?] = []

    subscript(clientIndex: Int) -> LinkConditions? {
        get { all.indices.contains(clientIndex) ? all[clientIndex] : nil }
        set {
            while all.count <= clientIndex { all.append(nil) }
            all[clientIndex] = newValue
        }
    }
}
