import IMProtocol
import SansIO

// An unsolicited frame from the server can get lost on a connection that continues to work. Both sides keep a checksum
// of these frames, and the answer to each heartbeat contains it: a client that has missed one requests a resync, once
// per heartbeat, until both agree (C-15). A frame whose order matters carries the checksum too: after a lost frame it
// is not handled, and is sent again after the lost one.

extension ClientMachine {
    /// Adds the frames that this input sends to the checksum, and adds the checksum to the heartbeats.
    mutating func addChecksums(_ effects: inout [ClientEffect], from first: Int) {
        for index in effects.indices[first...] {
            guard case .send(let id, var frame) = effects[index], let link, link.id == id else { continue }
            guard case .heartbeat = frame.body else {
                changeLink { $0.sentChecksum.add(frame) }
                continue
            }
            guard link.sentChecksum.count > 0 else { continue }
            frame.checksum = link.sentChecksum
            effects[index] = .send(id, frame)
        }
    }

    /// Compares the server's checksum with the received frames.
    mutating func compare(_ checksum: FrameChecksum?, into effects: inout [ClientEffect]) {
        // During a login more frames are to come, and the login ends by itself.
        guard case .online(_, let link, _) = phase, let checksum, checksum != link.receivedChecksum else { return }
        requestResync(on: link.id, into: &effects)
    }

    /// True if a frame that was sent before this one got lost on the connection. Then this one is not handled: the
    /// resync requested now brings both, in their order. While a resync is in progress, the next heartbeat requests
    /// another. A client that is logging out requests none: the next login brings both. A repeated frame is older than
    /// the received ones; it is ignored, because nothing is missing.
    mutating func isOutOfOrder(_ frame: Frame, into effects: inout [ClientEffect]) -> Bool {
        // The first such frame of a connection carries no checksum.
        let checksum = frame.checksum ?? FrameChecksum()
        guard frame.body.isHandledInOrder, let link, checksum != link.receivedChecksum else { return false }
        let isRepeated = Int32(bitPattern: checksum.count &- link.receivedChecksum.count) < 0
        if !isRepeated, openLink != nil, link.resync == nil { requestResync(on: link.id, into: &effects) }
        return true
    }

    private mutating func requestResync(on connection: ConnectionID, into effects: inout [ClientEffect]) {
        let request = makeRequestNumber()
        changeLink { $0.resync = request }
        effects.append(.send(connection, Frame(request: request, .resync)))
    }

    /// Handles the current state from the server; from now on both checksums agree.
    mutating func handleResync(
        _ frame: Frame, _ devices: [Device], at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard let link = openLink, frame.request == link.resync else { return }
        changeLink {
            $0.resync = nil
            if let checksum = frame.checksum { $0.receivedChecksum = checksum }
        }
        let gone = otherDevices.filter { old in !devices.contains { $0.id == old.id } }
        let new = devices.filter { device in !otherDevices.contains(device) }
        otherDevices = devices
        if policy.announcesDevices {
            if !gone.isEmpty { effects.append(.notify(.devicesChanged(.logout, gone))) }
            if !new.isEmpty { effects.append(.notify(.devicesChanged(.login, new))) }
        }
        tree.repeatListens(over: link.id, &common, at: now, into: &effects)
        fetchChanges(at: now, into: &effects)
    }

    /// Requests a sync while the client is already online.
    mutating func sync(on connection: ConnectionID, at now: Instant, into effects: inout [ClientEffect]) {
        let request = makeRequestNumber()
        changeLink { $0.sync = request }
        timers.set(.request(request), at: now + policy.requestTimeLimit)
        effects.append(.send(connection, Frame(request: request, .sync)))
    }

    /// Requests a sync again that did not finish, or whose request got lost; it brings the rest.
    ///
    /// - Returns: true if the number belongs to a sync.
    mutating func syncTimedOut(_ number: UInt32, at now: Instant, into effects: inout [ClientEffect]) -> Bool {
        guard let link, link.sync == number else { return false }
        changeLink { $0.sync = nil }
        if case .online = phase { sync(on: link.id, at: now, into: &effects) }
        return true
    }

    /// Ends the sync, because it has finished or its connection has ended.
    mutating func endSync() {
        guard let number = link?.sync else { return }
        timers.cancel(.request(number))
        changeLink { $0.sync = nil }
    }
}
