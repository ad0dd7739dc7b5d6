import IMProtocol
import SansIO

// Frames from the server. A frame that only a client may send, or that the current phase does not permit, is a protocol
// violation and ends the connection.

extension ClientMachine {
    mutating func receive(
        _ frame: Frame, on connection: ConnectionID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        timers.cancel(.heartbeatAnswer)
        if policy.silenceLimit > .zero { changeLink { $0.recordReceived(at: now) } }
        if case .attempting(_, _, let stage) = phase, stage != .syncing, !frame.body.mayPrecedeLogin {
            endLinkForViolation(at: now, into: &effects)
            return
        }
        if phase.adminCall != nil && !frame.body.mayAnswerAccountCall {
            // A connection for an admin call has no login, so no other frame can arrive over it.
            return endLinkForViolation(at: now, into: &effects)
        }
        if isOutOfOrder(frame, into: &effects) { return }
        if !frame.body.isHeartbeat { changeLink { $0.receivedChecksum.add(frame) } }
        switch calls.add(frame, pagesMax: frame.body.isTreeAnswer ? TreeLimit.answerPagesMax : policy.answerPagesMax) {
        case .whole(let whole): receive(whole: whole, on: connection, at: now, into: &effects)
        case .part: break
        case .tooMany: endLinkForViolation(at: now, into: &effects)
        }
    }

    private mutating func receive(
        whole frame: Frame, on connection: ConnectionID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        switch frame.body {
        case .loginAck(let reply): loginAnswered(reply, on: connection, at: now, into: &effects)
        case .logoutAck: logoutAnswered(at: now, into: &effects)
        case .heartbeatAck: compare(frame.checksum, into: &effects)
        case .resyncAck(let devices): handleResync(frame, devices, at: now, into: &effects)
        case .kicked(let notice): handleKick(notice, on: connection, at: now, into: &effects)
        case .kickAck(let status), .operationAck(let status):
            calls.end(frame.request, Completion(status), &common, into: &effects)
        case .watchAck(let status):
            subscriptions.watchAnswered(
                frame.request, status, over: connection, &calls, &common, at: now, into: &effects)
        case .settleAck(let channels, let watched):
            subscriptions.snapshotConfirmed(
                frame.request, of: user ?? "", refusedChannels: channels, refusedWatches: watched, calls, &common,
                into: &effects)
        case .setAttributesAck(let status):
            subscriptions.setAttributesAnswered(frame.request, status, &calls, &common, into: &effects)
        case .renewTokenAck(let status, let expiry, let issue):
            renewalAnswered(
                frame.request, status, TokenLife(issuedAt: issue, expiresAt: expiry), at: now, into: &effects)
        case .syncPhase(let phase, let count, let items):
            syncItemsArrived(items, of: phase, count: count, at: now, into: &effects)
        case .syncDone: syncFinished(at: now, into: &effects)
        case .devicesChanged(let change, let devices): devicesChanged(change, devices, into: &effects)
        case .tokenNotice(let expired, let remaining):
            if expired {
                tokenExpired(at: now, into: &effects)
            } else {
                effects.append(.notify(.tokenWillExpire(inMilliseconds: remaining)))
            }
        case .sendAck(let status, let id): messageAnswered(id, status, into: &effects)
        case .message(let message):
            messageArrived(message, on: connection, into: &effects)
        case .joinAck(let status, let channel, let members):
            subscriptions.joinAnswered(
                frame.request, status, channel: channel, members: members, of: user ?? "", over: connection, &calls,
                &common, at: now, into: &effects)
        case .leaveAck(let status, _):
            subscriptions.leaveAnswered(
                frame.request, status, over: connection, &calls, &common, at: now, into: &effects)
        case .memberChanged(let channel, let user, let joined):
            subscriptions.memberChanged(user, in: channel, joined: joined, into: &effects)
        case .goodbye(let reason, _): goodbyeArrived(reason, into: &effects)
        case .accountCallAck(let status, let devices):
            accountCallAnswered(frame.request, status, devices, into: &effects)
        case .operated(let operation): handleOperation(operation, on: connection, into: &effects)
        case .answer(let status, let rows):
            let request = calls.end(frame.request, Completion(status, rows: rows), &common, into: &effects)
            if status == .ok, let channel = request?.membersOf {
                subscriptions.membersListed(
                    rows.compactMap { $0["member"] }, in: channel, to: user ?? "", into: &effects)
            }
        case .presence(let user, let change): subscriptions.presenceArrived(user, change, into: &effects)
        case .changeAck(let status):
            if !changeAnswered(frame.request, into: &effects) {
                calls.end(frame.request, Completion(status), &common, into: &effects)
            }
        case .changes(let page): changesArrived(page, request: frame.request, at: now, into: &effects)
        case .treeAck(let status, let node):
            treeAnswered(frame.request, status, node, at: now, into: &effects)
        case .treeData(let data): treeChanged(data, at: now, into: &effects)
        case .treeCancelled(let listen, let status):
            tree.advanceTime(to: now)
            tree.handleCancellation(listen, status, over: treeLink, &common, at: now, into: &effects)
        case .login, .logout, .heartbeat, .kickedAck, .kick, .sync, .renewToken, .send, .messageAck, .join, .leave,
            .accountCall, .operation, .operatedAck, .setAttributes, .ask, .watch, .tree, .syncAck,
            .settle, .resync, .fetchChanges, .change:
            endLinkForViolation(at: now, into: &effects)
        }
    }

    /// Handles the server's goodbye, after which the server closes the connection. The client reconnects after the
    /// close, except if another process with the same device id has connected to the tree. Two such processes would
    /// disconnect each other forever. So this client switches itself offline until the app calls `goOnline` (SYNC-1,
    /// SYNC-8). In systems with logins, the server kicks the older login instead.
    private mutating func goodbyeArrived(_ reason: GoodbyeReason, into effects: inout [ClientEffect]) {
        guard reason == .replaced, case .online(let login, _, _) = phase, login.mode == .guest else { return }
        pause(login, because: .remoteLogin, into: &effects)
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
            otherDevices.removeAll { old in devices.contains { $0.id == old.id } }
        }
        if policy.announcesDevices { effects.append(.notify(.devicesChanged(change, devices))) }
    }

    /// True if the kick is for this login (C-5). The kick may be for the attempt in progress, if the server has
    /// accepted the attempt and its answer was lost. The client does not have the epoch of such a login. A higher epoch
    /// during authentication can only be that epoch.
    private func isKick(_ notice: KickNotice, of login: Login) -> Bool {
        if case .attempting(_, _, .authenticating) = phase, notice.epoch > login.epoch { return true }
        return notice.epoch == login.epoch
    }

    private mutating func handleKick(
        _ notice: KickNotice, on connection: ConnectionID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        // The kick may be for an earlier login of this device. The current login then continues.
        guard let login, isKick(notice, of: login) else { return }
        let leaving = phase.leaveCommand
        effects.append(.send(connection, Frame(.kickedAck(epoch: notice.epoch))))
        // A client of the tree has no login, so only its connection ends. Listeners and writes remain (SYNC-10).
        if login.mode == .guest { return linkEnded(.byUs, at: now, into: &effects) }
        effects.append(.closeLink(connection))
        clearLogin()
        local.lastResult = .kicked
        local.autologinAllowed = false
        effects.append(.persist(local))
        if let leaving {
            // A logout was in progress. It completes, and the kick is not reported to the app.
            enter(.loggedOut(nil), because: .logout, into: &effects)
            failCalls(.cancelled, into: &effects)
            effects.complete(leaving, .ok)
            return
        }
        let isOwnDevice = policy.announcesOwnDevice == true && device.platform == .web && notice.by?.id == device.id
        end(
            in: .kicked(notice, nil), because: StateReason(notice.reason),
            isOwnDevice ? .replaced(notice) : .kicked(notice), into: &effects)
        failCalls(notice.reason.status, into: &effects)
        effects.complete(login.command, notice.reason.status)
        if policy.kickLogsOut { enter(.loggedOut(nil), because: .logout, into: &effects) }
    }
}

extension FrameBody {
    /// True if a server may send this frame before it has answered the login.
    fileprivate var mayPrecedeLogin: Bool {
        switch self {
        case .loginAck, .kicked, .heartbeatAck, .goodbye: true
        default: false
        }
    }

    /// True if a server may send this frame over the connection of an admin call without a login.
    fileprivate var mayAnswerAccountCall: Bool {
        switch self {
        case .accountCallAck, .goodbye: true
        default: false
        }
    }

    /// True if the frame contains a value of the tree, which may take more pages than other answers.
    fileprivate var isTreeAnswer: Bool {
        switch self {
        case .treeAck, .treeData: true
        default: false
        }
    }
}
