import IMProtocol
import SansIO

// What the server tells without being asked can get lost on a link that lives on. Both sides tally it, and the answer to
// each heartbeat says how much it was: a client that has not heard all of it asks how things stand, once for each
// heartbeat, until both agree (C-15). A frame whose order counts carries the tally too: one that comes after a lost frame
// is not handled, and comes again after the lost one.

extension ClientMachine {
    /// Notes what this input has made the client say, and puts the tally into its heartbeats.
    mutating func tally(_ effects: inout [ClientEffect], from first: Int) {
        for index in effects.indices[first...] {
            guard case .send(let id, var frame) = effects[index], let link, link.id == id else { continue }
            guard case .heartbeat = frame.body else {
                changeLink { $0.said.add(frame) }
                continue
            }
            guard link.said.count > 0 else { continue }
            frame.said = link.said
            effects[index] = .send(id, frame)
        }
    }

    /// What the server has said before this on the link.
    mutating func compare(_ said: Tally?, into effects: inout [ClientEffect]) {
        // While a login is under way there is more to come, and it ends by itself.
        guard case .online(_, let link, _) = phase, let said, said != link.heard else { return }
        requestResync(on: link.id, into: &effects)
    }

    /// Whether a frame that was sent before this one got lost on the connection. Then this one is not handled: the resync
    /// that is requested now brings both, in their order. While one is under way, the next heartbeat requests another. A
    /// client that is logging out requests nothing: the next login brings both. A frame that arrives again is behind what
    /// was received; it is ignored, because nothing is missing.
    mutating func comesTooEarly(_ frame: Frame, into effects: inout [ClientEffect]) -> Bool {
        // The first such frame of a connection carries no tally.
        let said = frame.said ?? Tally()
        guard frame.body.isHandledInOrder, let link, said != link.heard else { return false }
        let isRepeated = Int32(bitPattern: said.count &- link.heard.count) < 0
        if !isRepeated, openLink != nil, link.resync == nil { requestResync(on: link.id, into: &effects) }
        return true
    }

    private mutating func requestResync(on connection: ConnectionID, into effects: inout [ClientEffect]) {
        let request = makeRequestNumber()
        changeLink { $0.resync = request }
        effects.append(.send(connection, Frame(request: request, .resync)))
    }

    /// How things stand; from here on both tallies are one again.
    mutating func resynced(
        _ frame: Frame, _ devices: [Device], at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard let link = openLink, frame.request == link.resync else { return }
        changeLink {
            $0.resync = nil
            if let said = frame.said { $0.heard = said }
        }
        let gone = otherDevices.filter { old in !devices.contains { $0.id == old.id } }
        let new = devices.filter { device in !otherDevices.contains(device) }
        otherDevices = devices
        if policy.announcesDevices {
            if !gone.isEmpty { effects.append(.notify(.devicesChanged(.logout, gone))) }
            if !new.isEmpty { effects.append(.notify(.devicesChanged(.login, new))) }
        }
        tree.listenAnew(over: link.id, &common, at: now, into: &effects)
        fetchChanges(at: now, into: &effects)
    }

    /// Asks for what a sync brings, while the client is online already.
    mutating func sync(on connection: ConnectionID, at now: Instant, into effects: inout [ClientEffect]) {
        let request = makeRequestNumber()
        changeLink { $0.sync = request }
        timers.set(.request(request), at: now + policy.requestTimeLimit)
        effects.append(.send(connection, Frame(request: request, .sync)))
    }

    /// The sync did not come to its end, or its request did not arrive: it is asked for again, and brings the rest.
    ///
    /// - Returns: whether the number is that of a sync.
    mutating func syncTimedOut(_ number: UInt32, at now: Instant, into effects: inout [ClientEffect]) -> Bool {
        guard let link, link.sync == number else { return false }
        changeLink { $0.sync = nil }
        if case .online = phase { sync(on: link.id, at: now, into: &effects) }
        return true
    }

    /// The sync is over, or its link is.
    mutating func endSync() {
        guard let number = link?.sync else { return }
        timers.cancel(.request(number))
        changeLink { $0.sync = nil }
    }
}
