import IMProtocol

// Where frames hold credentials: the only places where a host changes a frame on its way.

extension FrameBody {
    /// The credential in it, nil for a frame that has none.
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

    /// Whom the credential is said to speak for; empty where the frame does not say it.
    package var credentialUser: String {
        switch self {
        case .login(let login): login.user
        case .accountCall(let call): call.user
        default: ""
        }
    }

    /// On which device the credential is shown; empty where the frame does not say it.
    package var credentialDevice: String {
        if case .login(let login) = self { login.device.id } else { "" }
    }
}

extension Frame {
    /// The same frame with another credential; unchanged if it has none.
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
