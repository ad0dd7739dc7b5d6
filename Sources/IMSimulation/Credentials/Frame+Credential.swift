import IMProtocol

// The credential of a frame is the only part that a host replaces while the frame is in flight.

extension FrameBody {
    /// The frame's credential, nil for a frame that has none.
    package var credential: Credential? {
        switch self {
        case .login(let login): login.credential
        case .renewToken(let credential): credential
        case .accountCall(let call): call.credential
        case .loginAck, .logout, .logoutAck, .heartbeat, .heartbeatAck, .kicked, .kickedAck, .kick, .kickAck, .sync,
            .syncPhase, .syncDone, .devicesChanged, .renewTokenAck, .tokenNotice, .send, .sendAck, .message,
            .messageAck, .join, .joinAck, .leave, .leaveAck, .memberChanged, .goodbye,
            .accountCallAck, .operation, .operationAck, .operated, .operatedAck, .setAttributes, .setAttributesAck,
            .ask, .answer, .watch, .watchAck, .presence, .tree, .treeAck, .treeData, .treeCancelled, .settle,
            .settleAck,
            .syncAck, .resync, .resyncAck, .fetchChanges, .changes, .change, .changeAck:
            nil
        }
    }

    /// The user that the credential claims; empty if the frame does not name one.
    package var credentialUser: String {
        switch self {
        case .login(let login): login.user
        case .accountCall(let call): call.user
        default: ""
        }
    }

    /// The device on which the credential is used; empty if the frame does not name one.
    package var credentialDevice: String {
        if case .login(let login) = self { login.device.id } else { "" }
    }
}

extension Frame {
    /// The frame with another credential; unchanged if it has none.
    package func replacingCredential(with credential: Credential) -> Frame {
        var frame = self
        switch body {
        case .login(var login):
            login.credential = credential
            frame.body = .login(login)
        case .renewToken: frame.body = .renewToken(credential)
        case .accountCall(var call):
            call.credential = credential
            frame.body = .accountCall(call)
        default: break
        }
        return frame
    }
}
