import IMProtocol
import SansIO

// A frame from the server that answers no request can get lost on a connection that continues to work. Client and
// server each compute a checksum of these frames. The server's answer to a heartbeat contains its checksum. If the
// client has missed a frame, the checksums differ, and the client requests a resync with each heartbeat until they
// agree (C-15). Some frames must be handled in order. Such a frame contains the checksum of the frames before it. If
// one of those is lost, the client ignores the frame, and the resync sends both again.

extension ClientMachine {
    /// Adds the frames among the effects to the checksum of sent frames, and writes the checksum into heartbeats.
    ///
    /// - Parameter first: the index of the first effect of the current input.
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

    /// Requests a resync if the server's checksum differs from that of the received frames.
    mutating func compare(_ checksum: FrameChecksum?, into effects: inout [ClientEffect]) {
        // During a login no resync is requested: if a frame of the login is lost, the attempt fails at its time limit.
        guard case .online(_, let link, _) = phase, let checksum, checksum != link.receivedChecksum else { return }
        requestResync(on: link.id, into: &effects)
    }

    /// True if the client must not handle a frame, because an earlier frame was lost or because this frame is a
    /// repeated one. After a lost frame, the client requests a resync, and the server sends both frames again in their
    /// order. The client requests none while a resync is in progress, because the next heartbeat does. It requests none
    /// during a logout, because the next login gets both frames.
    mutating func isOutOfOrder(_ frame: Frame, into effects: inout [ClientEffect]) -> Bool {
        // The first frame of a connection contains no checksum, because there are no frames before it.
        let checksum = frame.checksum ?? FrameChecksum()
        guard frame.body.isHandledInOrder, let link, checksum != link.receivedChecksum else { return false }
        let isRepeated = Int32(bitPattern: checksum.count &- link.receivedChecksum.count) < 0
        if !isRepeated, openLink != nil, link.resync == nil { requestResync(on: link.id, into: &effects) }
        return true
    }

    private mutating func requestResync(on connection: ConnectionID, into effects: inout [ClientEffect]) {
        let request = common.makeRequestNumber()
        changeLink { $0.resync = request }
        effects.append(.send(connection, Frame(request: request, .resync)))
    }

    /// Handles the server's answer to a resync: the user's other devices, and the checksum from which both sides
    /// continue.
    mutating func handleResync(
        _ frame: Frame, _ devices: [Device], at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard let link = openLink, frame.request == link.resync else { return }
        changeLink {
            $0.resync = nil
            if let checksum = frame.checksum { $0.receivedChecksum = checksum }
        }
        let removed = otherDevices.filter { old in !devices.contains { $0.id == old.id } }
        let added = devices.filter { device in !otherDevices.contains(device) }
        otherDevices = devices
        if policy.announcesDevices {
            if !removed.isEmpty { effects.append(.notify(.devicesChanged(.logout, removed))) }
            if !added.isEmpty { effects.append(.notify(.devicesChanged(.login, added))) }
        }
        tree.repeatListens(over: link.id, &common, at: now, into: &effects)
        fetchChanges(at: now, into: &effects)
    }

    /// Requests a sync while the client is already online.
    mutating func sync(on connection: ConnectionID, at now: Instant, into effects: inout [ClientEffect]) {
        let request = common.makeRequestNumber()
        changeLink { $0.sync = request }
        timers.set(.request(request), at: now + policy.requestTimeLimit)
        effects.append(.send(connection, Frame(request: request, .sync)))
    }

    /// Handles the time limit of a sync while online: requests a sync again, which sends the items that did not arrive.
    ///
    /// - Returns: true if the number belongs to a sync.
    mutating func syncTimedOut(_ number: UInt32, at now: Instant, into effects: inout [ClientEffect]) -> Bool {
        guard let link, link.sync == number else { return false }
        changeLink { $0.sync = nil }
        if case .online = phase { sync(on: link.id, at: now, into: &effects) }
        return true
    }

    /// Cancels the timer of a sync while online, because the sync has finished or its connection has ended.
    mutating func endSync() {
        guard let number = link?.sync else { return }
        timers.cancel(.request(number))
        changeLink { $0.sync = nil }
    }
}
