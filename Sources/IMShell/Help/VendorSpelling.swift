/// Other spellings of names. The tables in this program have the names of the iOS SDKs. The same SDK on another
/// platform, or a product with the same API, uses other names.
enum VendorSpelling {
    /// Prefixes of other spellings, with the prefixes in the tables. After the prefix, both spellings differ only in
    /// `_` and case.
    private static let prefixes = [
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

    /// Other spellings in lower case, with the names in the tables.
    private static let names = [
        "onkickout": "onKick", "onkickedoffline": "onKickedOffline", "onautologinfailed": "onAutoLoginFailed",
        "onlinkstateevent": "didReceiveLinkStateEvent", "onmessageevent": "didReceiveMessageEvent",
        "onpresenceevent": "didReceivePresenceEvent", "ontokenexpired": "rtmKitTokenDidExpire",
        "ontokendidexpire": "tokenDidExpire", "ontokenwillexpire": "tokenWillExpire",
        "userkickedbyotherdevice": "userAccountDidForcedToLogout",
        "userkickedbychangepassword": "userAccountDidForcedToLogout",
        // The constants of EMError on Android.
        "em_no_error": "AgoraChatErrorNoError", "general_error": "AgoraChatErrorGeneral",
        "network_error": "AgoraChatErrorNetworkUnavailable", "database_error": "AgoraChatErrorDatabaseOperationFailed",
        "exceed_service_limit": "AgoraChatErrorExceedServiceLimit", "invalid_app_key": "AgoraChatErrorInvalidAppkey",
        "invalid_user_name": "AgoraChatErrorInvalidUsername", "invalid_password": "AgoraChatErrorInvalidPassword",
        "invalid_token": "AgoraChatErrorInvalidToken", "user_name_too_long": "AgoraChatErrorUsernameTooLong",
        "token_expired": "AgoraChatErrorTokenExpire", "token_will_expire": "AgoraChatErrorTokeWillExpire",
        "user_already_login": "AgoraChatErrorUserAlreadyLoginSame", "user_not_login": "AgoraChatErrorUserNotLogin",
        "user_already_exist": "AgoraChatErrorUserAlreadyExist",
        // Names of Firebase, whose API is the same as Wilddog's.
        "permission_denied": "PermissionDenied", "permission-denied": "PermissionDenied", "maxretry": "TooManyRetries",
        "overriddenbyset": "OverriddenBySet", "expired_token": "TokenExpired",
    ]

    /// The name in the tables for another spelling; nil for an unknown name.
    static func tableName(of word: String) -> String? {
        if let name = names[word.lowercased()] { return name }
        for (prefix, tablePrefix) in prefixes where word.lowercased().hasPrefix(prefix.lowercased()) {
            let name = tablePrefix + word.dropFirst(prefix.count)
            return Lookup.words.first { normalized($0) == normalized(name) }
        }
        // Callbacks on Android begin with `on`: onConnectionStateChanged is connectionStateChanged in the tables.
        guard word.hasPrefix("on"), word.dropFirst(2).first?.isUppercase == true else { return nil }
        return Lookup.words.first { normalized($0) == normalized(String(word.dropFirst(2))) }
    }

    private static func normalized(_ name: String) -> String { name.filter { $0 != "_" }.lowercased() }
}
