import IMClient
import IMProtocol

// The codes of Agora RTM 1.x. The vendor has an enum of codes for each kind of call. Numbers and names come from the
// vendor's header.

extension AgoraRTMDialect {
    /// The code for a status in the vendor's enum for this kind of call. If the vendor has no enum for this kind, the
    /// code is Ok, Failure or NotLoggedIn.
    public func code(for status: Status, of call: CallKind) -> Code {
        switch call {
        case .login, .autologin, .offlineLogin: login(status)
        case .logout: logout(status)
        case .renewToken: renewToken(status)
        case .join: join(status)
        case .leave: leave(status)
        case .send: send(status)
        case .channelSend: channelSend(status)
        case .attributes, .attributeQuery: attributes(status)
        case .memberQuery: members(status)
        case .watch: watch(status)
        case .kick, .query, .option, .operate, .tree, .onDisconnect, .accountCall, .goOffline, .goOnline, .call,
            .change:
            switch status {
            case .ok: Code(0, "Ok")
            case .notLoggedIn: Code(102, "NotLoggedIn")
            default: Code(1, "Failure")
            }
        }
    }

    private func attributes(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmAttributeOperationErrorOk")
        case .invalidArgument: Code(3, "AgoraRtmAttributeOperationErrorInvalidArgument")
        case .limitExceeded: Code(4, "AgoraRtmAttributeOperationErrorSizeOverflow")
        case .rateLimited: Code(5, "AgoraRtmAttributeOperationErrorTooOften")
        case .notFound: Code(6, "AgoraRtmAttributeOperationErrorUserNotFound")
        case .timeout, .connectionFailed, .networkUnavailable: Code(7, "AgoraRtmAttributeOperationErrorTimeout")
        case .notLoggedIn: Code(102, "AgoraRtmAttributeOperationErrorNotLoggedIn")
        default: Code(2, "AgoraRtmAttributeOperationErrorFailure")
        }
    }

    private func members(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmGetMembersErrorOk")
        case .timeout, .connectionFailed, .networkUnavailable: Code(3, "AgoraRtmGetMembersErrorTimeout")
        case .rateLimited: Code(4, "AgoraRtmGetMembersErrorTooOften")
        case .notFound: Code(5, "AgoraRtmGetMembersErrorNotInChannel")
        case .notLoggedIn: Code(102, "AgoraRtmGetMembersErrorNotLoggedIn")
        default: Code(1, "AgoraRtmGetMembersErrorFailure")
        }
    }

    private func watch(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmPeerSubscriptionStatusErrorOk")
        case .invalidArgument: Code(2, "AgoraRtmPeerSubscriptionStatusErrorInvalidArgument")
        case .timeout, .connectionFailed, .networkUnavailable:
            Code(4, "AgoraRtmPeerSubscriptionStatusErrorTimeout")
        case .rateLimited: Code(5, "AgoraRtmPeerSubscriptionStatusErrorTooOften")
        case .limitExceeded: Code(6, "AgoraRtmPeerSubscriptionStatusErrorOverflow")
        case .notLoggedIn: Code(102, "AgoraRtmPeerSubscriptionStatusErrorNotLoggedIn")
        default: Code(1, "AgoraRtmPeerSubscriptionStatusErrorFailure")
        }
    }

    private func login(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmLoginErrorOk")
        case .banned, .accountRemoved, .forbidden, .serverError, .limitExceeded, .tooManyDevices, .accountLimit:
            Code(2, "AgoraRtmLoginErrorRejected")
        case .invalidArgument, .unsupported, .textTooLong: Code(3, "AgoraRtmLoginErrorInvalidArgument")
        case .wrongCredential, .passwordChanged: Code(5, "AgoraRtmLoginErrorInvalidToken")
        case .credentialExpired, .credentialTooShort: Code(6, "AgoraRtmLoginErrorTokenExpired")
        case .autologinNotAllowed, .offlineLoginNotAllowed: Code(7, "AgoraRtmLoginErrorNotAuthorized")
        case .loginInProgress, .alreadyLoggedIn, .otherUserLoggedIn: Code(8, "AgoraRtmLoginErrorAlreadyLogin")
        case .timeout: Code(9, "AgoraRtmLoginErrorTimeout")
        case .rateLimited, .channelRateLimited: Code(10, "AgoraRtmLoginErrorLoginTooOften")
        case .loggedInElsewhere, .notLoggedIn, .notFound, .alreadyJoined, .stored, .connectionFailed,
            .networkUnavailable, .retryLimitReached, .cancelled, .kicked, .replacedByLogin, .protocolViolation,
            .deviceChanged, .requestTooLarge, .valueTooLarge, .dataUnavailable, .transactionStale,
            .transactionRetries, .transactionOverridden, .tooLate, .callbackFailed, .groupNotFound, .memberNotFound,
            .conversationNotFound:
            Code(1, "AgoraRtmLoginErrorUnknown")
        }
    }

    private func logout(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmLogoutErrorOk")
        case .notLoggedIn: Code(102, "AgoraRtmLogoutErrorNotLoggedIn")
        default: Code(1, "AgoraRtmLogoutErrorRejected")
        }
    }

    private func renewToken(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmRenewTokenErrorOk")
        case .invalidArgument: Code(2, "AgoraRtmRenewTokenErrorInvalidArgument")
        case .forbidden, .banned: Code(3, "AgoraRtmRenewTokenErrorRejected")
        case .rateLimited: Code(4, "AgoraRtmRenewTokenErrorTooOften")
        case .credentialExpired: Code(5, "AgoraRtmRenewTokenErrorTokenExpired")
        case .wrongCredential: Code(6, "AgoraRtmRenewTokenErrorInvalidToken")
        case .notLoggedIn: Code(102, "AgoraRtmRenewTokenErrorNotLoggedIn")
        default: Code(1, "AgoraRtmRenewTokenErrorFailure")
        }
    }

    private func join(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmJoinChannelErrorOk")
        case .forbidden: Code(2, "AgoraRtmJoinChannelErrorRejected")
        case .invalidArgument: Code(3, "AgoraRtmJoinChannelErrorInvalidArgument")
        case .timeout, .networkUnavailable, .connectionFailed: Code(4, "AgoraRtmJoinChannelErrorTimeout")
        case .limitExceeded: Code(5, "AgoraRtmJoinChannelErrorExceedLimit")
        case .alreadyJoined: Code(6, "AgoraRtmJoinChannelErrorAlreadyJoined")
        case .rateLimited: Code(7, "AgoraRtmJoinChannelErrorTooOften")
        case .channelRateLimited: Code(8, "AgoraRtmJoinSameChannelErrorTooOften")
        case .notLoggedIn: Code(102, "AgoraRtmJoinChannelErrorNotLoggedIn")
        default: Code(1, "AgoraRtmJoinChannelErrorFailure")
        }
    }

    private func leave(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmLeaveChannelErrorOk")
        case .notFound: Code(3, "AgoraRtmLeaveChannelErrorNotInChannel")
        case .notLoggedIn: Code(102, "AgoraRtmLeaveChannelErrorNotLoggedIn")
        default: Code(1, "AgoraRtmLeaveChannelErrorFailure")
        }
    }

    private func send(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmSendPeerMessageErrorOk")
        case .timeout: Code(2, "AgoraRtmSendPeerMessageErrorTimeout")
        case .notFound: Code(3, "AgoraRtmSendPeerMessageErrorPeerUnreachable")
        case .stored: Code(4, "AgoraRtmSendPeerMessageErrorCachedByServer")
        case .rateLimited: Code(5, "AgoraRtmSendPeerMessageErrorTooOften")
        case .invalidArgument: Code(6, "AgoraRtmSendPeerMessageErrorInvalidUserId")
        case .textTooLong: Code(7, "AgoraRtmSendPeerMessageErrorInvalidMessage")
        case .notLoggedIn: Code(102, "AgoraRtmSendPeerMessageErrorNotLoggedIn")
        default: Code(1, "AgoraRtmSendPeerMessageErrorFailure")
        }
    }

    /// The vendor's header omits `Error` in some of these names, such as `AgoraRtmSendChannelMessageTooOften`.
    private func channelSend(_ status: Status) -> Code {
        switch status {
        case .ok: Code(0, "AgoraRtmSendChannelMessageErrorOk")
        case .timeout: Code(2, "AgoraRtmSendChannelMessageErrorTimeout")
        case .rateLimited: Code(3, "AgoraRtmSendChannelMessageTooOften")
        case .textTooLong: Code(4, "AgoraRtmSendChannelMessageInvalidMessage")
        case .notLoggedIn: Code(102, "AgoraRtmSendChannelMessageNotLoggedIn")
        default: Code(1, "AgoraRtmSendChannelMessageErrorFailure")
        }
    }
}
