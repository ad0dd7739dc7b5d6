import IMProtocol
import SansIO

// Frames from clients. What a connection may say depends on how far it has come.

extension ServerMachine {
    mutating func receive(
        _ frame: Frame, on id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard let stage = connections[id]?.stage else { return }
        connections[id]?.lastHeard = now
        switch stage {
        case .fresh:
            switch frame.body {
            case .login(let login): logIn(login, request: frame.request, on: id, at: now, into: &effects)
            case .logout:
                // The client gave up a login that had not got this far.
                effects.append(.close(id))
                connectionEnded(id, brokenAt: now, at: now, into: &effects)
            default: refuse(id, .protocolViolation, detail: "log in first", at: now, into: &effects)
            }
        case .loggedIn(let user, let device):
            receive(frame, from: user, device: device, on: id, at: now, into: &effects)
        case .ended(let user, let device):
            // Frames that were under way when the login ended mean nothing any more.
            if case .kickedAck(let epoch) = frame.body {
                confirmKick(of: device, user: user, epoch: epoch)
                effects.append(.close(id))
                connectionEnded(id, brokenAt: now, at: now, into: &effects)
            }
        }
    }

    private mutating func receive(
        _ frame: Frame, from user: String, device: String, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        func reply(_ body: FrameBody) { effects.append(.send(id, Frame(request: frame.request, body))) }
        switch frame.body {
        case .heartbeat: reply(.heartbeatAck)
        case .logout(let keepsPush):
            logOut(user: user, device: device, keepsPush: keepsPush, into: &effects)
            reply(.logoutAck(.ok))
        case .sync:
            for phase in SyncPhase.allCases { reply(.syncPhase(phase, count: 0)) }
            reply(.syncDone)
            deliverStored(to: user, on: id, into: &effects)
        case .kick(let target):
            reply(.kickAck(kick(target, of: user, by: device, at: now, into: &effects)))
        case .renewToken(let credential):
            reply(.renewTokenAck(admission(credential, user: user)))
        case .send(let message): takeIn(message, from: user, on: id, into: &effects)
        case .messageAck(let message): accounts[user]?.inbox.removeAll { $0.id == message }
        case .join(let channel): join(channel, user: user, request: frame.request, on: id, into: &effects)
        case .leave(let channel):
            let wasMember = leave(channel, user: user, into: &effects)
            reply(.leaveAck(wasMember ? .ok : .notFound, channel: channel))
        case .kickedAck(let epoch): confirmKick(of: device, user: user, epoch: epoch)
        case .goodbye:
            effects.append(.close(id))
            connectionEnded(id, brokenAt: now, at: now, into: &effects)
        case .login: refuse(id, .protocolViolation, detail: "already logged in", at: now, into: &effects)
        case .loginAck, .logoutAck, .heartbeatAck, .kicked, .kickAck, .syncPhase, .syncDone, .devicesChanged,
            .renewTokenAck, .tokenNotice, .sendAck, .message, .joinAck, .leaveAck, .memberChanged:
            refuse(id, .protocolViolation, detail: "only a server may say that", at: now, into: &effects)
        }
    }

    private mutating func logOut(
        user: String, device: String, keepsPush: Bool, into effects: inout [ServerEffect]
    ) {
        endPresence(of: device, user: user, as: .logout, into: &effects)
        accounts[user]?.devices[device]?.login = nil
        if !keepsPush { accounts[user]?.devices[device]?.isPushBound = false }
        // The connection stays fresh for another login, but not for long: the client closes it.
        if let id = connections.first(where: { $0.value.stage == .loggedIn(user: user, device: device) })?.key {
            connections[id]?.stage = .ended(user: user, device: device)
            timers.set(.overdue(id), at: (connections[id]?.lastHeard ?? .zero) + policy.loginOverdueAfter)
        }
    }
}
