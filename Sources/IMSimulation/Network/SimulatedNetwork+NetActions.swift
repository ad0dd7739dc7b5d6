import IMClient
import IMProtocol
import IMSession
import SansIO

// The effects of the `net` commands on the connections of a client.

extension SimulatedNetwork {
    @discardableResult
    func apply(_ action: NetAction, to client: NodeID, cause: EventID, notifyClient: () -> Void) -> ReleasedFrames {
        let clientIndex = client.rawValue
        var released = ReleasedFrames()
        failureCauses.changed(client, cause)
        switch action {
        case .down:
            conditions[clientIndex]?.down()
            sever(client, cause)
        case .switchNetwork:
            conditions[clientIndex]?.up()
            sever(client, cause)
        case .up: conditions[clientIndex]?.up()
        case .halfOpen: conditions[clientIndex]?.halfOpen()
        case .reset: reset(client, cause)
        case .delay(let delay, let jitter):
            conditions[clientIndex]?.delay = delay
            conditions[clientIndex]?.jitter = jitter
        case .loss(let loss): conditions[clientIndex]?.loss = loss
        case .rule(let rule): conditions[clientIndex]?.add(rule)
        case .release: released = release(client)
        case .clear:
            conditions[clientIndex]?.clear()
            released = release(client)
        }
        notifyClient()
        endSevered(client, cause)
        return released
    }

    /// The client loses its address: no packet from the server reaches the client any more. The server's ends of the
    /// connections remain open, and receive nothing that the client sends from now on.
    private func sever(_ client: NodeID, _ cause: EventID) {
        for index in links.indices where links[index].client == client && !links[index].isSevered {
            links[index].isSevered = true
            noteLost(links[index].toClient, of: client)
            links[index].toClient.removeAll()
            if links[index].clientEnd != .closed { links[index].closeCause = cause }
        }
    }

    /// Closes the client's ends of severed connections.
    private func endSevered(_ client: NodeID, _ cause: EventID) {
        var lost: [NodeInput] = []
        for index in links.indices where links[index].client == client && links[index].isSevered {
            if let input = closeClientEnd(index, .networkDown, cause) { lost.append(input) }
        }
        for input in lost { core.deliver(input, to: client, cause: cause) }
        removeFinishedLinks()
    }

    private func reset(_ client: NodeID, _ cause: EventID) {
        var ends: [(NodeInput, NodeID)] = []
        for index in links.indices where links[index].client == client && !links[index].isSevered {
            if let input = closeClientEnd(index, .reset, cause) { ends.append((input, client)) }
            if let connection = links[index].serverConnection, let server = core.serverID {
                links[index].serverConnection = nil
                ends.append((.linkClosed(connection, .reset), server))
            }
            noteLost(links[index].toClient, of: client)
            noteLost(links[index].toServer, of: client)
            links[index].toClient.removeAll()
            links[index].toServer.removeAll()
        }
        for (input, node) in ends { core.deliver(input, to: node, cause: cause) }
        removeFinishedLinks()
    }

    /// Closes the client's end of a connection. Returns the input that notifies the client; nil if the end was already
    /// closed.
    func closeClientEnd(_ index: Int, _ error: LinkError, _ cause: EventID) -> NodeInput? {
        let connection = links[index].connection
        if links[index].clientEnd != .closed { links[index].closeCause = cause }
        defer { links[index].clientEnd = .closed }
        switch links[index].clientEnd {
        case .connecting: return .linkFailed(connection, error)
        case .open: return .linkClosed(connection, error)
        case .closed: return nil
        }
    }

    private func release(_ client: NodeID) -> ReleasedFrames {
        var frames = ReleasedFrames(lost: lostHeld.removeValue(forKey: client.rawValue) ?? 0)
        for index in links.indices where links[index].client == client {
            let isOpenThere = links[index].serverConnection != nil
            let isOpenHere = links[index].clientEnd != .closed
            let toServer = links[index].toServer.release(at: core.now)
            let toClient = links[index].toClient.release(at: core.now)
            frames += ReleasedFrames(
                toServer: toServer, isOpenThere: isOpenThere, toClient: toClient, isOpenHere: isOpenHere)
        }
        return frames
    }
}
