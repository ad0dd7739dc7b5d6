import IMProtocol

// The fields of frames. FramePayloads+Fields.swift has those of the types that frames contain, such as `LoginRequest`.

extension Frame: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> Frame {
        visitor.shown(.type, body.name)
        if request != 0 { visitor.shown(.request, String(request)) }
        return visitDetails(&visitor)
    }

    /// Visits the fields of the frame, except its kind and the number of its request.
    func visitDetails<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> Frame {
        // A large answer consists of several frames, the pages. Most answers have one, for which no page is shown.
        if page != 0 || hasMore {
            visitor.shown(.page, String(page))
            visitor.shown(.more, String(hasMore))
        }
        var frame = self
        frame.body = body.visitFields(&visitor)
        if let checksum { visitor.shown(.said, String(checksum.count)) }
        return frame
    }
}

extension FrameBody: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> FrameBody {
        switch self {
        case .heartbeat, .heartbeatAck, .sync, .syncDone, .resync: self
        case .login, .loginAck, .logout, .logoutAck, .kicked, .kickedAck, .kick, .kickAck, .renewToken, .renewTokenAck,
            .tokenNotice, .accountCall, .accountCallAck, .goodbye:
            visitLogin(&visitor)
        case .syncPhase, .syncAck, .devicesChanged, .resyncAck, .settle, .settleAck, .fetchChanges, .changes, .change,
            .changeAck:
            visitState(&visitor)
        case .send, .sendAck, .message, .messageAck, .join, .joinAck, .leave, .leaveAck, .memberChanged:
            visitMessage(&visitor)
        case .operation, .operationAck, .operated, .operatedAck, .setAttributes, .setAttributesAck, .ask, .answer,
            .watch, .watchAck, .presence, .tree, .treeAck, .treeData, .treeCancelled:
            visitAccount(&visitor)
        }
    }

    /// Visits frames about logins and their ends.
    private func visitLogin<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> FrameBody {
        switch self {
        case .login(let login): .login(login.visitFields(&visitor))
        case .loginAck(let reply): .loginAck(reply.visitFields(&visitor))
        case .logout(let keepsPush): .logout(keepsPush: visitor.flag(.keepPush, keepsPush))
        case .logoutAck(let status): .logoutAck(visitor.choice(.status, status))
        case .kicked(let notice): .kicked(notice.visitFields(&visitor))
        case .kickedAck(let epoch): .kickedAck(epoch: visitor.number(.epoch, epoch))
        case .kick(let device):
            .kick(device: visitor.text(.device, device.isEmpty ? nil : device, none: "*", .device) ?? "")
        case .kickAck(let status): .kickAck(visitor.choice(.status, status))
        case .renewToken(let credential): .renewToken(credential.visitFields(&visitor))
        case .renewTokenAck(let status, let expiry, let issue):
            .renewTokenAck(
                visitor.choice(.status, status), expiresAtMilliseconds: expiry, issuedAtMilliseconds: issue)
        case .tokenNotice(let expired, let remaining):
            .tokenNotice(
                expired: visitor.flag(.expired, expired),
                remainingMilliseconds: visitor.number(.remainingMs, remaining))
        case .accountCall(let call): .accountCall(call.visitFields(&visitor))
        case .accountCallAck(let status, let devices):
            .accountCallAck(visitor.choice(.status, status), visitor.devices(.ids, devices))
        case .goodbye(let reason, let detail):
            .goodbye(visitor.choice(.reason, reason), detail: visitor.text(.detail, detail, .detail))
        default: self
        }
    }

    /// Visits frames that bring a client up to date, such as those of a sync.
    private func visitState<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> FrameBody {
        switch self {
        case .syncPhase(let phase, let count, let items):
            .syncPhase(
                visitor.phase(phase), count: visitor.number(.count, count, .fixed),
                items: Visitor.onlyReads ? items : items.map { $0.visitFields(&visitor) })
        case .syncAck(let phase, let first, let last):
            .syncAck(visitor.phase(phase), first: visitor.number(.first, first), last: visitor.number(.last, last))
        case .devicesChanged(let change, let devices):
            .devicesChanged(visitor.choice(.change, change), visitor.devices(.ids, devices))
        case .resyncAck(let devices): .resyncAck(visitor.devices(.others, devices))
        case .settle(let settlement): .settle(settlement.visitFields(&visitor))
        case .fetchChanges(let number): .fetchChanges(after: visitor.number(.last, number))
        case .changes(let page): .changes(page.visitFields(&visitor))
        case .change(let change): .change(change.visitFields(&visitor))
        case .changeAck(let status): .changeAck(visitor.choice(.status, status))
        case .settleAck(let channels, let watched):
            .settleAck(
                channels: visitor.names(.refusedChannels, channels, .channel),
                watched: visitor.names(.refusedWatches, watched, .user))
        default: self
        }
    }

    /// Visits frames about messages and channels.
    private func visitMessage<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> FrameBody {
        switch self {
        // The server replaces the sender in a client's frame, so an edit of the sender would have no effect.
        case .send(let message): .send(message.visitFields(&visitor, from: .fixed))
        case .sendAck(let status, let id):
            .sendAck(visitor.choice(.status, status), id: visitor.text(.id, id, .identifier))
        case .message(let message): .message(message.visitFields(&visitor, from: .editable))
        case .messageAck(let id, let number):
            .messageAck(id: visitor.text(.id, id, .identifier), number: number)
        case .join(let channel): .join(channel: visitor.text(.channel, channel, .channel))
        case .joinAck(let status, let channel, let members):
            .joinAck(
                visitor.choice(.status, status), channel: visitor.text(.channel, channel, .channel),
                members: visitor.names(.members, members, .user))
        case .leave(let channel): .leave(channel: visitor.text(.channel, channel, .channel))
        case .leaveAck(let status, let channel):
            .leaveAck(visitor.choice(.status, status), channel: visitor.text(.channel, channel, .channel))
        case .memberChanged(let channel, let user, let joined):
            .memberChanged(
                channel: visitor.text(.channel, channel, .channel), user: visitor.text(.user, user, .user),
                joined: visitor.flag(.joined, joined))
        default: self
        }
    }

    /// Visits frames about operations, attributes, presence and the tree.
    private func visitAccount<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> FrameBody {
        switch self {
        case .operation(let operation): .operation(operation.visitFields(&visitor))
        case .operationAck(let status): .operationAck(visitor.choice(.status, status))
        case .operated(let operation): .operated(operation.visitFields(&visitor))
        case .operatedAck(let id, let number):
            .operatedAck(id: visitor.text(.id, id, .identifier), number: number)
        case .setAttributes(let channel, let fields):
            .setAttributes(channel: visitor.channelOrOwn(channel), visitor.attributes(fields))
        case .setAttributesAck(let status): .setAttributesAck(visitor.choice(.status, status))
        case .ask(let question): .ask(question.visitFields(&visitor))
        case .answer(let status, let rows): .answer(visitor.choice(.status, status), visitor.rows(rows))
        case .watch(let user, let isOn):
            .watch(user: visitor.text(.user, user, .user), isOn: visitor.flag(.on, isOn))
        case .watchAck(let status): .watchAck(visitor.choice(.status, status))
        case .presence(let user, let change):
            .presence(user: visitor.text(.user, user, .user), visitor.choice(.presence, change))
        case .tree(let request): .tree(request.visitFields(&visitor))
        case .treeAck(let status, let value):
            .treeAck(visitor.choice(.status, status), visitor.tree(.value, value))
        case .treeData(let data): .treeData(data.visitFields(&visitor))
        case .treeCancelled(let listen, let status):
            .treeCancelled(listen: visitor.number(.listen, listen), visitor.choice(.status, status))
        default: self
        }
    }
}
