import IMClient
import IMProtocol

// The codes of Agora RTM 2.x. One enum has the codes of all calls. Numbers and names come from AgoraRtmKit.h 2.2.

extension AgoraRTM2Dialect {
    /// The `AgoraRtmErrorCode` for a status of a call. If the enum has no code of this kind of call for the status, the
    /// code is a general one.
    public func code(for status: Status, of call: CallKind) -> Code {
        switch call {
        case .login, .autologin, .offlineLogin: login(status)
        case .renewToken:
            status == .timeout ? Code(-10_026, "AgoraRtmErrorRenewTokenTimeout") : common(status)
        case .join: join(status)
        case .leave: leave(status)
        case .send: status == .notFound ? Self.receiverOffline : message(status)
        case .channelSend: status == .notFound ? Self.notSubscribed : message(status)
        case .attributes, .attributeQuery: storage(status)
        case .memberQuery: presence(status)
        case .watch, .logout, .kick, .query, .option, .operate, .tree, .onDisconnect, .accountCall, .goOffline,
            .goOnline, .call, .change:
            common(status)
        }
    }

    private static let ok = Code(0, "AgoraRtmErrorOk")
    private static let notConnected = Code(-10_025, "AgoraRtmErrorNotConnected")
    private static let notSubscribed = Code(-11_002, "AgoraRtmErrorChannelNotSubscribed")
    private static let receiverOffline = Code(-11_033, "AgoraRtmErrorChannelReceiverOffline")

    private func common(_ status: Status) -> Code {
        switch status {
        case .ok, .stored: Self.ok
        case .notLoggedIn, .kicked, .replacedByLogin: Code(-10_002, "AgoraRtmErrorNotLogin")
        case .wrongCredential, .passwordChanged: Code(-10_005, "AgoraRtmErrorInvalidToken")
        case .credentialExpired, .credentialTooShort: Code(-10_009, "AgoraRtmErrorTokenExpired")
        case .loginInProgress, .alreadyLoggedIn, .otherUserLoggedIn, .alreadyJoined:
            Code(-10_017, "AgoraRtmErrorDuplicateOperation")
        case .rateLimited, .channelRateLimited: Code(-10_021, "AgoraRtmErrorOperationRateExceedLimitation")
        case .unsupported: Code(-10_022, "AgoraRtmErrorServiceNotSupport")
        case .timeout, .connectionFailed, .networkUnavailable, .cancelled: Self.notConnected
        case .invalidArgument, .textTooLong, .valueTooLarge, .requestTooLarge, .limitExceeded, .notFound,
            .groupNotFound, .memberNotFound, .conversationNotFound, .tooLate, .callbackFailed:
            Code(-10_014, "AgoraRtmErrorInvalidParameter")
        case .autologinNotAllowed, .offlineLoginNotAllowed: Code(-10_015, "AgoraRtmErrorLoginNotAuthorized")
        case .banned, .accountRemoved, .forbidden, .loggedInElsewhere, .deviceChanged:
            Code(-10_012, "AgoraRtmErrorLoginRejected")
        case .tooManyDevices, .accountLimit: Code(-10_010, "AgoraRtmErrorLoginNoServerResources")
        case .serverError, .retryLimitReached, .protocolViolation, .dataUnavailable, .transactionStale,
            .transactionRetries, .transactionOverridden:
            Code(-10_013, "AgoraRtmErrorLoginAborted")
        }
    }

    private func login(_ status: Status) -> Code {
        switch status {
        case .timeout: Code(-10_011, "AgoraRtmErrorLoginTimeout")
        case .cancelled: Code(-10_023, "AgoraRtmErrorLoginCanceled")
        default: common(status)
        }
    }

    private func join(_ status: Status) -> Code {
        switch status {
        case .invalidArgument: Code(-10_008, "AgoraRtmErrorInvalidChannelName")
        case .limitExceeded: Code(-11_005, "AgoraRtmErrorChannelInstanceExceedLimitation")
        case .timeout: Code(-11_019, "AgoraRtmErrorChannelSubscribeTimeout")
        case .rateLimited, .channelRateLimited: Code(-11_020, "AgoraRtmErrorChannelSubscribeTooFrequent")
        case .forbidden: Code(-11_021, "AgoraRtmErrorChannelSubscribeFailed")
        default: common(status)
        }
    }

    private func leave(_ status: Status) -> Code {
        switch status {
        case .notFound: Self.notSubscribed
        case .timeout: Code(-11_022, "AgoraRtmErrorChannelUnsubscribeFailed")
        default: common(status)
        }
    }

    private func message(_ status: Status) -> Code {
        switch status {
        // The server has stored the message for a receiver who is offline, as in RTM 1.x. RTM 2.x has no code for that,
        // so the app gets the code for an offline receiver.
        case .stored: Self.receiverOffline
        case .invalidArgument: Code(-11_009, "AgoraRtmErrorChannelInvalidMessage")
        case .textTooLong: Code(-11_010, "AgoraRtmErrorChannelMessageLengthExceedLimitation")
        case .forbidden, .limitExceeded: Code(-11_024, "AgoraRtmErrorChannelPublishMessageFailed")
        case .rateLimited, .channelRateLimited: Code(-11_025, "AgoraRtmErrorChannelPublishMessageTooFrequent")
        case .timeout: Code(-11_026, "AgoraRtmErrorChannelPublishMessageTimeout")
        default: common(status)
        }
    }

    private func storage(_ status: Status) -> Code {
        switch status {
        case .forbidden: Code(-12_001, "AgoraRtmErrorStorageOperationFailed")
        case .limitExceeded: Code(-12_002, "AgoraRtmErrorStorageMetadataItemExceedLimitation")
        case .invalidArgument: Code(-12_004, "AgoraRtmErrorStorageInvalidArgument")
        case .valueTooLarge: Code(-12_012, "AgoraRtmErrorStorageValueLengthOverflow")
        case .timeout: Code(-12_018, "AgoraRtmErrorStorageOperationTimeout")
        default: common(status)
        }
    }

    private func presence(_ status: Status) -> Code {
        switch status {
        case .invalidArgument: Code(-13_003, "AgoraRtmErrorPresenceInvalidArgument")
        case .notFound: Code(-13_011, "AgoraRtmErrorPresenceUserNotExist")
        case .timeout: Code(-13_012, "AgoraRtmErrorPresenceOperationTimeout")
        case .forbidden: Code(-13_013, "AgoraRtmErrorPresenceOperationFailed")
        default: common(status)
        }
    }
}
