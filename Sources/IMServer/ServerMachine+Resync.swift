import IMProtocol
import SansIO

// Detection of frames that are lost on a working connection (C-15). A client repeats a request without an answer.
// Frames that answer no request are counted: both sides add them to a checksum, and each heartbeat and its answer
// contain the checksum of their sender. A client that misses frames requests the current state with `resync`. A server
// that misses confirmations sends all unconfirmed frames again. Each side does so once per heartbeat. Frames whose
// order matters contain the checksum, too, so that the client detects the gap at the next of these frames, and does not
// handle it before the lost one.

extension ServerMachine {
    /// Adds the frames that the current input sends to the checksum of their connection, and puts the checksum into the
    /// frames that must contain it.
    mutating func addChecksums(_ effects: inout [ServerEffect], from first: Int) {
        if policy.breakWaitsForSilence {
            // Frames to a connection that the client has already lost are discarded.
            let isLost: (ServerEffect) -> Bool = { [connections] effect in
                if case .send(let id, _) = effect { connections[id]?.isBroken == true } else { false }
            }
            if effects[first...].contains(where: isLost) {
                effects.replaceSubrange(first..., with: effects[first...].filter { !isLost($0) })
            }
        }
        for index in effects.indices[first...] {
            guard case .send(let id, var frame) = effects[index] else { continue }
            let isAnswer =
                switch frame.body {
                case .heartbeatAck, .resyncAck: true
                default: false
                }
            if isAnswer || frame.body.isHandledInOrder, let checksum = connections.at(id, { $0.sentChecksum }),
                checksum.count > 0
            {
                frame.checksum = checksum
                effects[index] = .send(id, frame)
            }
            if !isAnswer { connections[id]?.sentChecksum.add(frame) }
        }
    }

    /// Compares the client's checksum of its confirmations with the received ones. If confirmations are missing, all
    /// unconfirmed frames are sent again, and the client confirms them again.
    mutating func compare(
        _ checksum: FrameChecksum?, from user: String, device: String, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        guard let checksum, checksum != connections[id]?.receivedChecksum else { return }
        connections[id]?.receivedChecksum = checksum
        resendUnconfirmed(to: user, device: device, request: 0, on: id, at: now, into: &effects)
    }

    /// Sends the current state to a client that has missed frames. The listens of the tree are not part of it: the
    /// client starts them again by itself.
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
        // The client ignores a `syncDone` that arrived before lost items, so the frame is sent again.
        if connections[id]?.hasSynced == true { effects.append(.send(id, Frame(request: request, .syncDone))) }
    }

    /// Sends all unconfirmed items, messages and operations. The device detects duplicates by their numbers.
    private mutating func resendUnconfirmed(
        to user: String, device: String, request: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        for phase in SyncPhase.allCases where connections[id]?.hasSynced == true {
            sendItems(
                of: phase, waiting: 0, isAnnounced: false, to: user, device: device, request: request, on: id, at: now,
                into: &effects)
        }
        // Messages that wait for a sync are sent with it. The client may still send the sync request, or repeat it.
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
        // Messages and operations are sent in the order in which they happened.
        for (_, body) in waiting.sorted(by: { $0.number < $1.number }) { effects.append(.send(id, Frame(body))) }
    }
}
