import IMProtocol
import SansIO

// A frame can get lost on a connection that continues to work. Requests are sent again. Unsolicited frames are counted
// in a checksum on both sides, and every heartbeat and its answer carry the sender's checksum (C-15). A client that
// finds frames missing requests the current state; a server that finds frames missing sends everything unconfirmed
// again. Each does so once per heartbeat. Frames whose order matters carry the checksum as well, so that the client
// detects the gap with the next one of them and does not handle a later frame before the lost one.

extension ServerMachine {
    /// Adds the frames that this input sends to the checksums, and adds the checksums to the frames that carry them.
    mutating func addChecksums(_ effects: inout [ServerEffect], from first: Int) {
        if policy.breakWaitsForSilence {
            // Nothing can be sent over a broken connection.
            let isLost: (ServerEffect) -> Bool = { [connections] effect in
                if case .send(let id, _) = effect { connections[id]?.isBroken == true } else { false }
            }
            if effects[first...].contains(where: isLost) {
                effects.replaceSubrange(first..., with: effects[first...].filter { !isLost($0) })
            }
        }
        for index in effects.indices[first...] {
            guard case .send(let id, var frame) = effects[index] else { continue }
            switch frame.body {
            case .heartbeatAck, .resyncAck:
                guard let checksum = connections.at(id, { $0.sentChecksum }), checksum.count > 0 else { continue }
                frame.checksum = checksum
                effects[index] = .send(id, frame)
            default:
                if frame.body.isHandledInOrder, let checksum = connections.at(id, { $0.sentChecksum }),
                    checksum.count > 0
                {
                    frame.checksum = checksum
                    effects[index] = .send(id, frame)
                }
                connections[id]?.sentChecksum.add(frame)
            }
        }
    }

    /// Compares the client's checksum of its confirmations. If some are missing, everything unconfirmed is sent again,
    /// and confirmed again.
    mutating func compare(
        _ checksum: FrameChecksum?, from user: String, device: String, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        guard let checksum, checksum != connections[id]?.receivedChecksum else { return }
        connections[id]?.receivedChecksum = checksum
        resendUnconfirmed(to: user, device: device, request: 0, on: id, at: now, into: &effects)
    }

    /// Sends the current state to a client that has missed frames. The client starts its tree listens again by itself.
    mutating func resync(
        user: String, device: String, request: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        let others = FramePages.split(presentDevices(of: user, besides: device).map(\.device))
        for frame in FramePages.frames(request: request, others.map(FrameBody.resyncAck)) {
            effects.append(.send(id, frame))
        }
        for watched in connections[id]?.watching ?? [] { sendPresence(of: watched, to: id, into: &effects) }
        for channel in accounts[user]?.devices[device]?.login?.channels ?? [] {
            sendMembers(of: channel, request: request, to: id, into: &effects)
        }
        resendUnconfirmed(to: user, device: device, request: request, on: id, at: now, into: &effects)
        // A client does not handle the end of a sync that arrived too early.
        if connections[id]?.hasSynced == true { effects.append(.send(id, Frame(request: request, .syncDone))) }
    }

    /// Sends everything that waits for the device; the device detects duplicates by their numbers.
    private mutating func resendUnconfirmed(
        to user: String, device: String, request: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        for phase in SyncPhase.allCases where connections[id]?.hasSynced == true {
            sendItems(
                of: phase, waiting: 0, isAnnounced: false, to: user, device: device, request: request, on: id, at: now,
                into: &effects)
        }
        // Messages that wait for a sync come with it: the sync request may have got lost too.
        let waitsForSync = connections[id]?.holdsMessages == true
        var waiting: [(number: UInt64, body: FrameBody)] = []
        if !waitsForSync {
            for message in unconfirmedMessages(of: user, device: device, on: id, at: now) {
                waiting.append((message.number, .message(message)))
            }
        }
        for operation in unconfirmedOperations(of: user, device: device, at: now) {
            waiting.append((operation.number, .operated(operation)))
        }
        // In the order in which they happened.
        for (_, body) in waiting.sorted(by: { $0.number < $1.number }) { effects.append(.send(id, Frame(body))) }
    }
}
