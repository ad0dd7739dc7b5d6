import IMTree

// Estimates the length of a frame without encoding it. The estimate is fast, because every sent and received frame
// needs it.

extension Frame {
    /// An estimate of the frame's length, in bytes. It may be slightly too large, and is at least a quarter of the
    /// length.
    package var estimatedBytes: Int { 32 + body.estimatedBytes }

    /// True if the frame exceeds the maximum length, so that a peer would refuse it.
    public var isTooLarge: Bool {
        estimatedBytes > ProtocolLimit.frameBytesMax / 4 && bytes().count > ProtocolLimit.frameBytesMax
    }
}

extension FrameBody {
    fileprivate var estimatedBytes: Int {
        switch self {
        case .heartbeat, .heartbeatAck, .logout, .logoutAck, .kickedAck, .kickAck, .sync, .syncDone, .renewTokenAck,
            .tokenNotice, .operationAck, .setAttributesAck, .watchAck, .treeCancelled, .syncAck, .resync,
            .fetchChanges, .changeAck:
            0
        case .send(let message), .message(let message):
            64 + message.id.utf8.count + message.text.utf8.count + message.from.utf8.count
                + message.to.utf8.count
        case .sendAck(_, let id), .messageAck(let id, _), .operatedAck(let id, _): id.utf8.count
        case .join(let name), .leave(let name), .leaveAck(_, let name), .kick(let name), .watch(let name, _),
            .presence(let name, _):
            name.utf8.count
        case .joinAck(_, let channel, let members): channel.utf8.count + members.estimatedBytes
        case .memberChanged(let channel, let user, _): channel.utf8.count + user.utf8.count
        case .goodbye(_, let detail): detail.utf8.count
        case .syncPhase(_, _, let items): items.reduce(0) { $0 + $1.id.utf8.count + $1.text.utf8.count + 32 }
        case .devicesChanged(_, let devices), .accountCallAck(_, let devices), .resyncAck(let devices):
            devices.estimatedBytes
        case .loginAck(let reply): 128 + reply.otherDevices.estimatedBytes
        case .operation(let operation), .operated(let operation):
            64 + operation.id.utf8.count + operation.target.utf8.count + operation.ext.utf8.count
        case .setAttributes(let channel, let fields): channel.utf8.count + fields.estimatedBytes
        case .answer(_, let rows): rows.reduce(0) { $0 + 16 + $1.fields.estimatedBytes }
        case .settle(let settlement):
            settlement.channels.estimatedBytes + settlement.watched.estimatedBytes
                + (settlement.attributes ?? []).estimatedBytes
        case .settleAck(let channels, let watched): channels.estimatedBytes + watched.estimatedBytes
        case .changes(let page): page.changes.reduce(0) { $0 + $1.estimatedBytes }
        case .change(let change): change.estimatedBytes
        case .treeAck(_, let node): node.weight
        case .treeData(let data): data.path.utf8.count + data.change.weight
        case .login(let request):
            64 + request.application.utf8.count + request.user.utf8.count + request.device.estimatedBytes
                + request.credential.estimatedBytes + request.userName.utf8.count
        case .renewToken(let credential): credential.estimatedBytes
        case .kicked(let notice): notice.by?.estimatedBytes ?? 0
        case .tree(let request): request.estimatedBytes
        case .accountCall, .ask:
            // These frames are rare, so they are encoded to find their length.
            Frame(self).bytes().count
        }
    }
}

extension TreeRequest {
    fileprivate var estimatedBytes: Int {
        let held =
            switch self {
            case .set(_, let node), .transaction(_, let node, _), .onDisconnect(_, let node): node.weight
            case .update(_, let parts), .onDisconnectUpdate(_, let parts): TreeWrite.Change.update(parts).weight
            case .get(_, let query), .listen(_, let query, _, _): query.weight
            case .unlisten, .cancelOnDisconnect: 0
            }
        return 64 + path.utf8.count + held
    }
}

extension [String] {
    fileprivate var estimatedBytes: Int { reduce(0) { $0 + $1.utf8.count + FramePages.overhead } }
}

extension [AnswerField] {
    fileprivate var estimatedBytes: Int {
        reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + FramePages.overhead }
    }
}

extension [Device] {
    fileprivate var estimatedBytes: Int { reduce(0) { $0 + $1.estimatedBytes } }
}

extension Device {
    fileprivate var estimatedBytes: Int {
        id.utf8.count + name.utf8.count + ext.utf8.count + 2 * FramePages.overhead
    }
}

extension Credential {
    fileprivate var estimatedBytes: Int {
        switch self {
        case .reference(let text), .secret(let text): text.utf8.count
        case .verdict(let verdict): FramePages.overhead + verdict.user.utf8.count
        }
    }
}
