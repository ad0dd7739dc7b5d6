/// A code that a vendor documents but that no simulated call returns. `help` explains it.
struct VendorCode {
    var profile: String
    var number: Int
    var name: String
    /// The vendor's description; empty if the vendor gives none.
    var meaning: String

    private init(_ profile: String, _ number: Int, _ name: String, _ meaning: String = "") {
        self.profile = profile
        self.number = number
        self.name = name
        self.meaning = meaning
    }

    /// The name and the number: `NIMRemoteErrorCodeInvalidCRC(402)`.
    var text: String { "\(name)(\(number))" }

    static let all: [VendorCode] = nim + nimV2 + zim + chat + rtm + wilddog

    // From NIMGlobalDefs.h. Codes without a name in this header are from the vendor's page of status codes.
    private static let nim = [
        VendorCode("nim", 201, "NIMRemoteErrorCodeInvalidVersion", "the client's version is wrong; update the SDK"),
        VendorCode("nim", 301, "Disabled", "disabled; listed only on the vendor's page of status codes"),
        VendorCode("nim", 315, "IPRestriction", "the IP address is restricted; listed only on the vendor's page"),
        VendorCode("nim", 402, "NIMRemoteErrorCodeInvalidCRC", "a wrong checksum"),
        VendorCode("nim", 406, "NIMRemoteErrorCodeReadOnly", "read-only"),
        VendorCode("nim", 431, "HTTPRepeated", "a repeated HTTP request; listed only on the vendor's page"),
        VendorCode("nim", 501, "NIMRemoteErrorCodeServerDataError", "an error in the server's data"),
        VendorCode("nim", 503, "ServerBusy", "the server is busy; listed only on the vendor's page of status codes"),
        VendorCode("nim", 508, "NIMRemoteErrorCodeDomainExpireOld"),
        VendorCode("nim", 510, "NIMRemoteErrorCodeUserNotExist", "the user does not exist"),
        VendorCode("nim", 514, "NIMRemoteErrorCodeServiceUnavailable", "the service is not available"),
        VendorCode("nim", 998, "NIMRemoteErrorCodeEUnpacket", "a packet cannot be unpacked"),
        VendorCode("nim", 999, "NIMRemoteErrorCodeEPacket", "a packet cannot be packed"),
        VendorCode("nim", 6, "NIMLocalErrorCodeInvalidToken", "a wrong token, found by the SDK"),
        VendorCode("nim", 7, "NIMLocalErrorCodeHttpReqeustFailed", "an HTTP request failed"),
        VendorCode("nim", 12, "NIMLocalErrorCodeSQLFailed", "a statement of the local database failed"),
        VendorCode("nim", 14, "NIMLocalErrorCodeAppKeyNeed", "the app key is missing; register it first"),
        VendorCode("nim", 22, "NIMLocalErrorCodeDatabaseError", "an error of the local database"),
        VendorCode("nim", 25, "NIMLocalErrorCodeUnknownError", "an unknown local error"),
        VendorCode("nim", 27, "NIMLocalErrorCodeFrequentCallError", "the app calls too often"),
        VendorCode("nim", 28, "NIMLocalErrorCodeSettingConflictError", "settings that exclude each other"),
        VendorCode("nim", 11, "NIMLoginStepLogout", "a step of onLogin in newer versions: the user logged out"),
    ]

    // From V2NIMError.h and the vendor's page of error codes.
    private static let nimV2 = [
        VendorCode("nim@v2", 414, "V2NIM_ERROR_CODE_PARAMETER_ERROR", "a wrong argument, found by the server"),
        VendorCode("nim@v2", 101_301, "V2NIM_ERROR_CODE_IM_DISABLED", "IM is not enabled for the app in the console"),
        VendorCode("nim@v2", 101_302, "V2NIM_ERROR_CODE_SERVICE_ADDRESS_INVALID", "a wrong server address"),
        VendorCode("nim@v2", 101_303, "V2NIM_ERROR_CODE_APPKEY_NOT_EXIST", "the app key does not exist"),
        VendorCode(
            "nim@v2", 101_304, "V2NIM_ERROR_CODE_BUNDLEID_CHECK_FAILED",
            "the bundle id is not in the console's list of allowed ones"),
        VendorCode("nim@v2", 101_403, "V2NIM_ERROR_CODE_APPKEY_BLOCKED", "the app key is disabled"),
        VendorCode("nim@v2", 102_301, "V2NIM_ERROR_CODE_LOGIN_RECORD_NOT_FOUND", "no record of the device's login"),
        VendorCode("nim@v2", 102_303, "V2NIM_ERROR_CODE_ROBOT_NOT_ALLOWED", "robot accounts may not log in"),
        VendorCode("nim@v2", 102_421, "V2NIM_ERROR_CODE_ACCOUNT_CHAT_BANNED", "the account may not send messages"),
        VendorCode("nim@v2", 190_001, "V2NIM_ERROR_CODE_INTERNAL", "an internal error"),
        VendorCode("nim@v2", 191_008, "V2NIM_ERROR_CODE_IN_OFFLINE_MODE", "the SDK is in offline mode"),
        VendorCode("nim@v2", 191_009, "V2NIM_ERROR_CODE_LAST_KICKED", "the last login was kicked"),
        VendorCode("nim@v2", 192_002, "V2NIM_ERROR_CODE_CONNECT_TIMEOUT", "the connection was not made in time"),
        VendorCode("nim@v2", 192_003, "V2NIM_ERROR_CODE_DISCONNECT", "the connection broke"),
        VendorCode("nim@v2", 192_004, "V2NIM_ERROR_CODE_PROTOCOL_TIMEOUT", "the server did not answer in time"),
        VendorCode("nim@v2", 193_001, "V2NIM_ERROR_CODE_DATABASE_OPEN_FAILED", "the local database cannot be opened"),
    ]

    // From ZIMErrorCode.h and the vendor's page of error codes.
    private static let zim = [
        VendorCode("zim", 6_000_002, "ZIMErrorCodeCommonModuleEngineNotInit", "the SDK is not created yet"),
        VendorCode("zim", 6_000_003, "ZIMErrorCodeCommonModuleInvalidAppID", "a wrong AppID"),
        VendorCode(
            "zim", 6_000_004, "ZIMErrorCodeCommonModuleTriggerSDKFrequencyLimit",
            "the app calls more often than the SDK allows"),
        VendorCode("zim", 6_000_006, "ZIMErrorCodeCommonModuleSwitchServerError"),
        VendorCode("zim", 6_000_008, "ZIMErrorCodeCommonModuleIMDataBaseError", "an error of the local database"),
        VendorCode(
            "zim", 6_000_009, "ZIMErrorCodeCommonModuleImServerDisconnect",
            "the connection broke during the request"),
        VendorCode("zim", 6_000_016, "MAULimit", "the limit of monthly users is reached"),
        VendorCode("zim", 6_000_102, "ZIMErrorCodeNetworkModuleServerError", "an error of the server"),
        VendorCode("zim", 6_000_107, "ZIMErrorCodeNetworkModuleTokenVersionError", "a token of a wrong version"),
        VendorCode(
            "zim", 6_000_123, "OtherUserAfterOffline",
            "offline for longer than the SDK reconnects, then a login as another user without a logout"),
        VendorCode("zim", 6, "ZIMConnectionEventUnregistered", "an event of connectionStateChanged in newer versions"),
    ]

    // From AgoraChatErrorCode.h. Easemob's EMErrorCode.h has the same numbers.
    private static let chat = [
        VendorCode("agora-chat", 3, "AgoraChatErrorDatabaseOperationFailed", "the local database cannot be used"),
        VendorCode(
            "agora-chat", 8, "AgoraChatErrorAppActiveNumbersReachLimitation",
            "the limit of daily or monthly users is reached; the SDK does not reconnect"),
        VendorCode("agora-chat", 100, "AgoraChatErrorInvalidAppkey", "the app key is wrong; it is ORG#APP"),
        VendorCode("agora-chat", 102, "AgoraChatErrorInvalidPassword", "the password is empty or wrong"),
        VendorCode(
            "agora-chat", 104, "AgoraChatErrorInvalidToken",
            "the token is empty or wrong; get a new one. The SDK does not reconnect"),
        VendorCode("agora-chat", 105, "AgoraChatErrorUsernameTooLong", "the user's name is longer than 64 bytes"),
        VendorCode("agora-chat", 203, "AgoraChatErrorUserAlreadyExist", "a user of this name already exists"),
        VendorCode("agora-chat", 205, "AgoraChatErrorUserIllegalArgument", "the user's name is not allowed"),
        VendorCode("agora-chat", 208, "AgoraChatErrorUserRegisterFailed", "the registration failed"),
        VendorCode("agora-chat", 209, "AgoraChatErrorUpdateApnsConfigsFailed"),
        VendorCode("agora-chat", 211, "AgoraChatErrorUserBindDeviceTokenFailed", "the push token was not bound"),
        VendorCode("agora-chat", 212, "AgoraChatErrorUserUnbindDeviceTokenFailed", "the push token was not unbound"),
        VendorCode(
            "agora-chat", 213, "AgoraChatErrorUserBindAnotherDevice",
            "the user is bound to another device; only the login's completion returns it"),
        VendorCode("agora-chat", 215, "AgoraChatErrorUserMuted", "the user is muted"),
        VendorCode("agora-chat", 219, "AgoraChatErrorUserMutedByAdmin", "an operator muted the user"),
        VendorCode("agora-chat", 221, "AgoraChatErrorUserNotOnRoster", "the other user is not a contact"),
        VendorCode(
            "agora-chat", 300, "AgoraChatErrorServerNotReachable",
            "the server cannot be reached; the SDK reconnects by itself"),
        VendorCode("agora-chat", 302, "AgoraChatErrorServerBusy", "the server is busy"),
        VendorCode("agora-chat", 304, "AgoraChatErrorServerGetDNSConfigFailed", "the list of servers was not received"),
        VendorCode("agora-chat", 500, "AgoraChatErrorMessageInvalid", "the message is not allowed"),
    ]

    // From AgoraRtmKit.h; profile `agora-rtm` is version 1.x of the SDK, `agora-rtm@2` is version 2.
    private static let rtm = [
        VendorCode("agora-rtm", 4, "AgoraRtmLoginErrorInvalidAppId", "a wrong App ID"),
        VendorCode("agora-rtm", 101, "AgoraRtmLoginErrorNotInitialized", "the SDK is not initialized"),
        VendorCode("agora-rtm@2", -10_001, "AgoraRtmErrorNotInitialized", "the SDK is not initialized"),
        VendorCode("agora-rtm@2", -10_003, "AgoraRtmErrorInvalidAppId", "a wrong App ID"),
        VendorCode("agora-rtm@2", -10_004, "AgoraRtmErrorInvalidEventHandler", "a wrong event handler"),
        VendorCode("agora-rtm@2", -10_006, "AgoraRtmErrorInvalidUserId", "a wrong user id"),
        VendorCode("agora-rtm@2", -10_007, "AgoraRtmErrorInitServiceFailed", "the service was not initialized"),
        VendorCode(
            "agora-rtm@2", -10_016, "AgoraRtmErrorLoginInconsistentAppId", "the token is of another App ID"),
        VendorCode("agora-rtm@2", -10_018, "AgoraRtmErrorInstanceAlreadyReleased", "make a new instance"),
        VendorCode("agora-rtm@2", -11_001, "AgoraRtmErrorChannelNotJoined", "the user has not joined the channel"),
        VendorCode("agora-rtm@2", -11_012, "AgoraRtmErrorChannelNotAvailable", "the stream channel is not available"),
    ]

    // From the vendor's page of error codes.
    private static let wilddog = [
        VendorCode("wilddog", 26_002, "Busy", "the server is busy"),
        VendorCode("wilddog", 26_107, "TooManyConnections", "too many connections"),
        VendorCode("wilddog", 26_108, "AppFrozen", "the app is frozen"),
        VendorCode("wilddog", 26_202, "UserCodeException", "the app's code of a transaction threw an exception"),
    ]
}

extension VendorCode {
    /// The codes of a system that have a certain number or name. Ignores the case of names.
    static func named(_ word: String, of profile: String) -> [VendorCode] {
        all.filter {
            $0.profile == profile && (String($0.number) == word || $0.name.lowercased() == word.lowercased())
        }
    }
}
