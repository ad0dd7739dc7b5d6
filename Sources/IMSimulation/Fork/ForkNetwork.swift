import IMProtocol
import IMSession
import SansIO

// Follows the connections of a recording event by event. Meanwhile the nodes have no machines, so that an arriving
// packet has no effects. Each recorded effect of a node is carried out. For each recorded input of a node, the packet
// that caused it is removed from its connection.

extension SimulatedNetwork {
    enum PacketChange {
        case remove
        case replace(Frame)
        case delay(Interval)
    }

    /// Delivers the packets that arrive before `instant` and that no recording contains: those to a process that does
    /// not run, to a closed end of a connection, or to a sleeping device.
    ///
    /// - Parameter isIncluded: true if packets that are due at `instant` itself also arrive.
    func deliverUnrecorded(before instant: Instant, isIncluded: Bool) {
        while let next = nextSilentArrival, next.at < instant || isIncluded && next.at == instant {
            core.now = max(core.now, next.at)
            if next.isToServer {
                arriveNext(toServerOn: next.link)
            } else {
                arriveNext(toClientOn: next.link)
            }
        }
    }

    private struct Arrival {
        var at: Instant
        var link: Int
        var isToServer: Bool
    }

    private var nextSilentArrival: Arrival? {
        var next: Arrival?
        for (position, link) in links.enumerated() {
            if let entry = link.toServer.entries.first, entry.at < next?.at ?? Instant(nanoseconds: .max),
                isSilentAtServer(entry.item.content, link)
            {
                next = Arrival(at: entry.at, link: position, isToServer: true)
            }
            if let entry = link.toClient.entries.first, entry.at < next?.at ?? Instant(nanoseconds: .max),
                link.clientEnd == .closed || core[link.client].isAsleep
            {
                next = Arrival(at: entry.at, link: position, isToServer: false)
            }
        }
        return next
    }

    private func isSilentAtServer(_ packet: Content, _ link: Link) -> Bool {
        switch packet {
        case .connect: !isListening
        case .frame, .close, .reset: link.serverConnection == nil
        case .opened, .refused, .unreachable: true
        }
    }

    // MARK: Recorded arrivals

    /// Delivers the packet that caused a recorded input of a node, which removes it from its connection.
    func follow(_ input: NodeInput, at node: NodeID) {
        switch input {
        case .linkOpened(let connection):
            if core.isServer(node) {
                followAccept(connection)
            } else if let position = position(of: input, at: node) {
                deliver(position)
            } else if let index = index(of: connection, at: node) {
                links[index].clientEnd = .open
            }
        case .frame, .unreadable:
            if let position = position(of: input, at: node) { deliver(position) }
        case .linkClosed(let connection, _), .linkFailed(let connection, _):
            if let position = position(of: input, at: node) {
                deliver(position)
            } else if let index = index(of: connection, at: node) {
                // A connection of a live world broke without a packet, as real connections can.
                if core.isServer(node) {
                    links[index].serverConnection = nil
                } else {
                    links[index].clientEnd = .closed
                }
            }
            removeFinishedLinks()
        case .deadlineReached, .network, .app, .data, .clientCommand, .serverCommand: break
        }
    }

    private func followAccept(_ connection: ConnectionID) {
        nextServerConnection = connection
        if let position = connectPosition { deliver(position) }
        nextServerConnection = connection.successor
    }

    /// The packet of the connection attempt that the server accepted. The recording does not contain which client made
    /// the attempt. With a fixed order it is the oldest attempt. With a random order it is the due attempt with the
    /// lowest draw.
    private var connectPosition: PacketPosition? {
        var found: PacketPosition?
        var first = (at: Instant(nanoseconds: .max), draw: UInt64.max)
        let draws = DueDraws(seed: core.configuration.seed, now: core.now)
        for (index, link) in links.enumerated() where link.serverConnection == nil {
            guard let entry = link.toServer.entries.first, case .connect = entry.item.content else { continue }
            let isDrawn = core.configuration.order == .drawn
            let candidate = (at: isDrawn ? max(entry.at, core.now) : entry.at, draw: isDrawn ? draws.toServer(link) : 0)
            guard found == nil || candidate < first else { continue }
            first = candidate
            found = PacketPosition(link: index, isToServer: true, entry: 0)
        }
        return found
    }

    private struct PacketPosition {
        var link: Int
        var isToServer: Bool
        var entry: Int
    }

    private func position(of input: NodeInput, at node: NodeID) -> PacketPosition? {
        guard let connection = input.connection else { return nil }
        if core.isServer(node), case .linkOpened = input { return connectPosition }
        guard let index = index(of: connection, at: node) else { return nil }
        let isToServer = core.isServer(node)
        let entries = isToServer ? links[index].toServer.entries : links[index].toClient.entries
        let entry = entries.firstIndex { Self.isPacket($0.item.content, of: input) }
        return entry.map { PacketPosition(link: index, isToServer: isToServer, entry: $0) }
    }

    private static func isPacket(_ packet: Content, of input: NodeInput) -> Bool {
        switch (packet, input) {
        case (.frame(let sent), .frame(_, let received)):
            if sent.body.credential != nil {
                return sent.body.name == received.body.name && sent.request == received.request
            }
            return sent == received
        case (.frame, .unreadable), (.opened, .linkOpened), (.close, .linkClosed), (.reset, .linkClosed),
            (.reset, .linkFailed), (.close, .linkFailed), (.refused, .linkFailed), (.unreachable, .linkFailed):
            return true
        default: return false
        }
    }

    private func deliver(_ position: PacketPosition) {
        let index = position.link
        guard let packet = remove(position) else { return }
        if position.isToServer { arriveAtServer(packet, index) } else { arriveAtClient(packet, index) }
        removeFinishedLinks()
    }

    private func remove(_ position: PacketPosition) -> Packet? {
        var removed: Packet?
        change(position) { entries in removed = entries.remove(at: position.entry).item }
        return removed
    }

    private func change(_ position: PacketPosition, _ body: (inout [(at: Instant, item: Packet)]) -> Void) {
        let old = position.isToServer ? links[position.link].toServer : links[position.link].toClient
        var entries = old.entries.map { (at: $0.at, item: $0.item) }
        body(&entries)
        var queue = LinkQueue<Packet>()
        for item in old.held { queue.hold(item) }
        for entry in entries { queue.send(entry.item, after: .zero, at: entry.at) }
        if position.isToServer { links[position.link].toServer = queue } else { links[position.link].toClient = queue }
    }

    // MARK: Changing packets

    /// Changes the packet that causes a recorded input of a node.
    ///
    /// - Returns: false if no connection has that packet in flight.
    func changePacket(with input: NodeInput, at node: NodeID, _ packetChange: PacketChange) -> Bool {
        guard let position = position(of: input, at: node) else { return false }
        change(position) { entries in
            switch packetChange {
            case .remove: entries.remove(at: position.entry)
            case .replace(let frame):
                var frame = frame
                // The recorded frame contains the verdict that the host inserted. The packet in flight contains the
                // credential instead, and an edited verdict separately.
                if case .frame(let sent) = entries[position.entry].item.content, let credential = sent.body.credential {
                    if case .frame(_, let received) = input, received.body.credential != frame.body.credential,
                        case .verdict(let verdict)? = frame.body.credential
                    {
                        entries[position.entry].item.verdict = verdict
                    }
                    frame = frame.replacingCredential(with: credential)
                }
                entries[position.entry].item.content = .frame(frame)
            case .delay(let delay): entries[position.entry].at = max(entries[position.entry].at, core.now) + delay
            }
        }
        return true
    }
}
