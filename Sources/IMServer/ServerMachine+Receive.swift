import IMProtocol
import SansIO

// The handling of frames from clients. Which frames are allowed depends on the stage of the connection.

extension ServerMachine {
    mutating func receive(
        _ frame: Frame, on id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]
    ) {
        let stage = connections.at(id) { connection in
            connection.lastReceived = now
            return connection.stage
        }
        guard let stage else { return }
        let stages = frame.body.stages
        switch stage {
        case .fresh:
            guard stages.contains(.beforeLogin) else {
                return refuse(id, .protocolViolation, detail: "log in first", at: now, into: &effects)
            }
            switch frame.body {
            case .login(let login): logIn(login, request: frame.request, on: id, at: now, into: &effects)
            case .accountCall(let call): answer(call, request: frame.request, on: id, at: now, into: &effects)
            case .logout:
                // The client cancelled its login before the login request arrived.
                effects.append(.close(id))
                connectionEnded(id, brokenAt: now, at: now, into: &effects)
            default: break
            }
        case .loggedIn(let user, let device):
            receive(frame, from: user, device: device, on: id, at: now, into: &effects)
        case .ended(let user, let device):
            // Other frames are ignored: they were in flight when the login ended.
            if stages.contains(.afterEnd), case .kickedAck(let epoch) = frame.body {
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
        if !frame.body.isHeartbeat {
            connections[id]?.receivedChecksum.add(frame)
            if let answer = answerIfOutdated(to: frame, user: user, device: device, on: id) {
                for page in FramePages.frames(request: frame.request, answer) { effects.append(.send(id, page)) }
                return
            }
            switch frame.body {
            case .join, .leave, .watch: connections[id]?.changeRequest = frame.request
            default: break
            }
            if let refusal = accounts[user]?.refusal, let answer = frame.body.answer(refusing: refusal) {
                return reply(answer)
            }
        }
        guard frame.body.stages.contains(.loggedIn) else {
            let isLogin = if case .login = frame.body { true } else { false }
            let detail = isLogin ? "already logged in" : "only a server may say that"
            return refuse(id, .protocolViolation, detail: detail, at: now, into: &effects)
        }
        switch frame.body {
        case .heartbeat:
            reply(.heartbeatAck)
            compare(frame.checksum, from: user, device: device, on: id, at: now, into: &effects)
        case .resync: resync(user: user, device: device, request: frame.request, on: id, at: now, into: &effects)
        case .logout(let keepsPush):
            logOut(user: user, device: device, keepsPush: keepsPush, into: &effects)
            reply(.logoutAck(.ok))
        case .sync:
            sync(user: user, device: device, request: frame.request, on: id, at: now, into: &effects)
        case .syncAck(let phase, let first, let last):
            confirmSync(phase, first: first, last: last, of: user, device: device)
        case .kick(let target):
            reply(.kickAck(kick(target, of: user, by: device, at: now, into: &effects)))
        case .renewToken(let credential):
            let (status, verdict) = renew(credential, user: user, device: device, at: now)
            if status == .ok { connections[id]?.renewalRequest = frame.request }
            reply(
                .renewTokenAck(
                    status, expiresAtMilliseconds: verdict?.expiresAtMilliseconds ?? 0,
                    issuedAtMilliseconds: verdict?.issuedAtMilliseconds ?? 0))
        case .send(let message):
            handleMessage(message, from: user, device: device, on: id, at: now, into: &effects)
        case .messageAck(_, let number):
            if let message = accounts[user]?.devices[device]?.inbox.confirm(number) {
                noteDelivered(message, to: user, at: now, into: &effects)
                endPushIfConfirmed(by: device, of: user)
            }
        case .join(let channel):
            join(channel, user: user, device: device, request: frame.request, on: id, at: now, into: &effects)
        case .leave(let channel):
            let wasMember = leave(channel, user: user, device: device, into: &effects)
            accounts[user]?.devices[device]?.channelsSince?.removeValue(forKey: channel)
            reply(.leaveAck(wasMember ? .ok : .notFound, channel: channel))
        case .kickedAck(let epoch): confirmKick(of: device, user: user, epoch: epoch)
        case .goodbye:
            effects.append(.close(id))
            connectionEnded(id, brokenAt: now, at: now, into: &effects)
        case .accountCall(let call): answer(call, request: frame.request, on: id, at: now, into: &effects)
        case .operation(let operation):
            reply(.operationAck(operate(operation, user: user, device: device, at: now, into: &effects)))
        case .operatedAck(_, let number): confirmOperation(number, of: user, device: device)
        case .setAttributes(let channel, let fields):
            let status = setAttributes(fields, channel: channel, user: user, device: device)
            if status == .ok, channel.isEmpty { connections[id]?.attributesRequest = frame.request }
            reply(.setAttributesAck(status))
        case .ask(let question):
            let pages = answer(question, of: user, request: frame.request, at: now, into: &effects)
            for page in pages { effects.append(.send(id, page)) }
        case .settle(let snapshot):
            reconcile(snapshot, frame, user: user, device: device, on: id, at: now, into: &effects)
        case .watch(let user, let isOn): watch(user, isOn: isOn, request: frame.request, on: id, into: &effects)
        case .fetchChanges(let number): reply(.changes(changes(after: number, of: user, device: device)))
        case .change(let record):
            reply(.changeAck(change(record, by: user, device: device, at: now, into: &effects)))
        case .tree(let request): handle(request, frame, on: id, at: now, into: &effects)
        // The check of `stages` above has already refused these frames.
        case .login, .loginAck, .logoutAck, .heartbeatAck, .kicked, .kickAck, .syncPhase, .syncDone, .devicesChanged,
            .renewTokenAck, .tokenNotice, .sendAck, .message, .joinAck, .leaveAck, .memberChanged, .accountCallAck,
            .operationAck, .operated, .setAttributesAck, .answer, .watchAck, .presence, .treeAck, .treeData,
            .treeCancelled, .settleAck, .resyncAck, .changes, .changeAck:
            break
        }
    }

    private mutating func logOut(
        user: String, device: String, keepsPush: Bool, into effects: inout [ServerEffect]
    ) {
        let connection = accounts[user]?.devices[device]?.login?.connection
        endPresence(of: device, user: user, as: .logout, into: &effects)
        if policy.offlineFreesPlace {
            // If the answer to the logout is lost, the device is still logged in by its own state. Its next reconnect
            // is handled like that of an offline device (CHAT-11).
            let epoch = accounts[user]?.devices[device]?.login?.epoch
            accounts[user]?.devices[device]?.loggedOutEpoch = epoch
        }
        accounts[user]?.devices[device]?.login = nil
        timers.cancel(.token(user: user, device: device))
        if !keepsPush { unbindPush(of: device, user: user) }
        pushUnconfirmed(by: device, of: user)
        if let id = connection, connections[id]?.stage == .loggedIn(user: user, device: device) {
            endStage(of: id, user: user, device: device, at: connections[id]?.lastReceived ?? .zero)
        }
    }
}
