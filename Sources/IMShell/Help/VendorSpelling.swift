/// Names of other platforms' SDKs, of an earlier brand or of a related product, with the names of the tables (iOS).
enum VendorSpelling {
    /// Prefixes of names, with the prefixes in the tables. The rest differs only in `_` and case.
    private static let beginnings = [
        ("EMError", "AgoraChatError"), ("EMConnection", "AgoraChatConnection"),
        ("EMMultiDevicesEvent", "AgoraChatMultiDevicesEvent"), ("LOGIN_ERR_", "AgoraRtmLoginError"),
        ("LOGOUT_ERR_", "AgoraRtmLogoutError"), ("PEER_MESSAGE_ERR_", "AgoraRtmSendPeerMessageError"),
        ("JOIN_CHANNEL_ERR_", "AgoraRtmJoinChannelError"), ("RENEW_TOKEN_ERR_", "AgoraRtmRenewTokenError"),
        ("CONNECTION_STATE_", "AgoraRtmConnectionState"),
        ("CONNECTION_CHANGE_REASON_", "AgoraRtmConnectionChangeReason"),
        ("RTM_LINK_STATE_CHANGE_REASON_", "AgoraRtmLinkStateChangeReason"),
        ("RTM_LINK_STATE_", "AgoraRtmLinkState"), ("RTM_LINK_OPERATION_", "AgoraRtmLinkOperation"),
        ("RTM_CONNECTION_CHANGED_", "AgoraRtmClientConnectionChanged"), ("RTM_ERROR_", "AgoraRtmError"),
    ]

    /// Whole names, in lowercase.
    private static let names = [
        "onkickout": "onKick", "onkickedoffline": "onKickedOffline", "onautologinfailed": "onAutoLoginFailed",
        "onlinkstateevent": "didReceiveLinkStateEvent", "onmessageevent": "didReceiveMessageEvent",
        "onpresenceevent": "didReceivePresenceEvent", "ontokenexpired": "rtmKitTokenDidExpire",
        "ontokendidexpire": "tokenDidExpire", "ontokenwillexpire": "tokenWillExpire",
        "userkickedbyotherdevice": "userAccountDidForcedToLogout",
        "userkickedbychangepassword": "userAccountDidForcedToLogout",
        // EMError on Android.
        "em_no_error": "AgoraChatErrorNoError", "general_error": "AgoraChatErrorGeneral",
        "network_error": "AgoraChatErrorNetworkUnavailable", "database_error": "AgoraChatErrorDatabaseOperationFailed",
        "exceed_service_limit": "AgoraChatErrorExceedServiceLimit", "invalid_app_key": "AgoraChatErrorInvalidAppkey",
        "invalid_user_name": "AgoraChatErrorInvalidUsername", "invalid_password": "AgoraChatErrorInvalidPassword",
        "invalid_token": "AgoraChatErrorInvalidToken", "user_name_too_long": "AgoraChatErrorUsernameTooLong",
        "token_expired": "AgoraChatErrorTokenExpire", "token_will_expire": "AgoraChatErrorTokeWillExpire",
        "user_already_login": "AgoraChatErrorUserAlreadyLoginSame", "user_not_login": "AgoraChatErrorUserNotLogin",
        "user_already_exist": "AgoraChatErrorUserAlreadyExist",
        // Firebase, which has the same API as Wilddog.
        "permission_denied": "PermissionDenied", "permission-denied": "PermissionDenied", "maxretry": "TooManyRetries",
        "overriddenbyset": "OverriddenBySet", "expired_token": "TokenExpired",
    ]

    /// The name in the tables for a name of another platform; nil for an unknown name.
    static func tableName(of word: String) -> String? {
        if let name = names[word.lowercased()] { return name }
        for (beginning, known) in beginnings where word.lowercased().hasPrefix(beginning.lowercased()) {
            let name = known + word.dropFirst(beginning.count)
            return Lookup.words.first { squeezed($0) == squeezed(name) }
        }
        // onConnectionStateChanged on Android is connectionStateChanged.
        guard word.hasPrefix("on"), word.dropFirst(2).first?.isUppercase == true else { return nil }
        return Lookup.words.first { squeezed($0) == squeezed(String(word.dropFirst(2))) }
    }

    private static func squeezed(_ name: String) -> String { name.filter { $0 != "_" }.lowercased() }
}
