import IMProtocol
import SansIO

// Frames from the server. A frame that only a client may send, or that comes out of turn, ends the link.

extension ClientMachine {
    mutating func receive(
        _ frame: Frame, on connection: ConnectionID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        timers.cancel(.heartbeatAnswer)
        switch frame.body {
        case .loginAck(let reply): loginAnswered(reply, on: connection, at: now, into: &effects)
        case .logoutAck: logoutAnswered(at: now, into: &effects)
        case .heartbeatAck: break
        case .kicked(let notice): kicked(notice, on: connection, into: &effects)
        case .kickAck(let status), .renewTokenAck(let status):
            answered(frame.request, Completion(status), into: &effects)
        case .syncPhase: break
        case .syncDone: syncFinished(on: connection, at: now, into: &effects)
        case .devicesChanged(let change, let devices): devicesChanged(change, devices, into: &effects)
        case .tokenNotice(let expired, let remaining):
            effects.append(.notify(expired ? .tokenExpired : .tokenWillExpire(inMilliseconds: remaining)))
        case .sendAck(let status, let id): messageAnswered(id, status, into: &effects)
        case .message(let message):
            effects.append(.send(connection, Frame(.messageAck(id: message.id))))
            effects.append(.notify(.messageReceived(message)))
        case .joinAck(let status, let channel, let members):
            joinAnswered(frame.request, status, channel: channel, members: members, into: &effects)
        case .leaveAck(let status, _): answered(frame.request, Completion(status), into: &effects)
        case .memberChanged(let channel, let user, let joined):
            if channels.contains(channel) {
                effects.append(.notify(.memberChanged(channel: channel, user: user, joined: joined)))
            }
        case .goodbye: break  // The close that follows says the rest.
        case .login, .logout, .heartbeat, .kickedAck, .kick, .sync, .renewToken, .send, .messageAck, .join, .leave:
            endLinkForViolation(at: now, into: &effects)
        }
    }

    private mutating func devicesChanged(
        _ change: DeviceChange, _ devices: [Device], into effects: inout [ClientEffect]
    ) {
        switch change {
        case .initial: otherDevices = devices
        case .login:
            for device in devices {
                otherDevices.removeAll { $0.id == device.id }
                otherDevices.append(device)
            }
        case .logout:
            otherDevices.removeAll { gone in devices.contains { $0.id == gone.id } }
        }
        if policy.announcesDevices { effects.append(.notify(.devicesChanged(change, devices))) }
    }

    /// The login has been ended by somebody else: nothing of it is left, and nothing brings it back by itself (C-5).
    private mutating func kicked(
        _ notice: KickNotice, on connection: ConnectionID, into effects: inout [ClientEffect]
    ) {
        // A notice for a login that this device has since replaced does not concern the present one.
        guard let login, notice.epoch == login.epoch else { return }
        let leaving: CommandID? = if case .leaving(_, let command, _) = phase { command } else { nil }
        effects.append(.send(connection, Frame(.kickedAck(epoch: notice.epoch))))
        effects.append(.closeLink(connection))
        clearLogin()
        local.lastResult = .kicked
        local.autologinAllowed = false
        effects.append(.persist(local))
        if let leaving {
            // The user was going anyway; there is no login left that could have been kicked.
            enter(.loggedOut, because: .logout, into: &effects)
            failCalls(.cancelled, into: &effects)
            complete(leaving, .ok, into: &effects)
            return
        }
        enter(.kicked(notice), because: StateReason(notice.reason), into: &effects)
        effects.append(.notify(.kicked(notice)))
        failCalls(.kicked, into: &effects)
        complete(login.command, .kicked, into: &effects)
    }
}
