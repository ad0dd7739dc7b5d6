import IMProtocol

// The answers to requests while the operator refuses to serve an account (``ServerCommand/setRefusal(user:_:)``).

extension FrameBody {
    /// The answer that refuses a request with a status. Nil for a frame that is not a request, and for a frame that is
    /// always handled: a device may always log out, send heartbeats and confirm what it received.
    func answer(refusing status: Status) -> FrameBody? {
        switch self {
        case .kick: .kickAck(status)
        case .renewToken: .renewTokenAck(status)
        case .send(let message): .sendAck(status, id: message.id)
        case .join(let channel): .joinAck(status, channel: channel, members: [])
        case .leave(let channel): .leaveAck(status, channel: channel)
        case .accountCall: .accountCallAck(status, [])
        case .operation: .operationAck(status)
        case .setAttributes: .setAttributesAck(status)
        case .ask: .answer(status, [])
        case .watch: .watchAck(status)
        case .tree: .treeAck(status, .empty)
        case .change: .changeAck(status)
        case .login, .logout, .sync, .heartbeat, .messageAck, .operatedAck, .kickedAck, .goodbye, .loginAck, .logoutAck,
            .heartbeatAck, .kicked, .kickAck, .syncPhase, .syncDone, .devicesChanged, .renewTokenAck, .tokenNotice,
            .sendAck, .message, .joinAck, .leaveAck, .memberChanged, .accountCallAck, .operationAck, .operated,
            .setAttributesAck, .answer, .watchAck, .presence, .treeAck, .treeData, .treeCancelled, .settle,
            .settleAck, .syncAck, .resync, .resyncAck, .fetchChanges, .changes, .changeAck:
            nil
        }
    }
}
