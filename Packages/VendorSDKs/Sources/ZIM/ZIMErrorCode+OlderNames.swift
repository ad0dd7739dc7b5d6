// The codes under their names from versions before 2.5, which apps still use.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension ZIMErrorCode {
    public static let ZIMErrorCodeSuccess = Self.success
    public static let ZIMErrorCodeFailed = Self.failed
    public static let ZIMErrorCodeCommonModuleParamsInvalid = Self.commonModuleParamsInvalid
    public static let ZIMErrorCodeCommonModuleEngineNotInit = Self.commonModuleEngineNotInit
    public static let ZIMErrorCodeCommonModuleInvalidAppID = Self.commonModuleInvalidAppID
    public static let ZIMErrorCodeCommonModuleTriggerSDKFrequencyLimit = Self.commonModuleTriggerSDKFrequencyLimit
    public static let ZIMErrorCodeCommonModuleTriggerServerFrequencyLimit = Self.commonModuleTriggerServerFrequencyLimit
    public static let ZIMErrorCodeCommonModuleSwitchServerError = Self.commonModuleSwitchServerError
    public static let ZIMErrorCodeCommonModuleIMServerError = Self.commonModuleIMServerError
    public static let ZIMErrorCodeCommonModuleIMDataBaseError = Self.commonModuleIMDataBaseError
    public static let ZIMErrorCodeCommonModuleImServerDisconnect = Self.commonModuleImServerDisconnect
    public static let ZIMErrorCodeCommonModuleUploadLogError = Self.commonModuleUploadLogError
    public static let ZIMErrorCodeCommonModuleUserIsNotExist = Self.commonModuleUserIsNotExist
    public static let ZIMErrorCodeCommonModuleUserInfoQueriedLimit = Self.commonModuleUserInfoQueriedLimit
    public static let ZIMErrorCodeCommonModuleUnsupportedRequest = Self.commonModuleUnsupportedRequest
    public static let ZIMErrorCodeCommonModuleExceedDAULimit = Self.commonModuleExceedDAULimit
    public static let ZIMErrorCodeCommonModuleExceedMAULimit = Self.commonModuleExceedMAULimit
    public static let ZIMErrorCodeNetworkModuleCommonError = Self.networkModuleCommonError
    public static let ZIMErrorCodeNetworkModuleServerError = Self.networkModuleServerError
    public static let ZIMErrorCodeNetworkModuleTokenInvalid = Self.networkModuleTokenInvalid
    public static let ZIMErrorCodeNetworkModuleNetworkError = Self.networkModuleNetworkError
    public static let ZIMErrorCodeNetworkModuleRequestTimeout = Self.networkModuleRequestTimeout
    public static let ZIMErrorCodeNetworkModuleTokenExpired = Self.networkModuleTokenExpired
    public static let ZIMErrorCodeNetworkModuleTokenVersionError = Self.networkModuleTokenVersionError
    public static let ZIMErrorCodeNetworkModuleTokenTimeIsTooShort = Self.networkModuleTokenTimeIsTooShort
    public static let ZIMErrorCodeNetworkModuleUserHasAlreadyLogged = Self.networkModuleUserHasAlreadyLogged
    public static let ZIMErrorCodeNetworkModuleUserIsNotLogged = Self.networkModuleUserIsNotLogged
    public static let ZIMErrorCodeNetworkModuleUserHasAlreadyLoggedOut = Self.networkModuleUserHasAlreadyLoggedOut
    public static let ZIMErrorCodeNetworkModuleUserOffline = Self.networkModuleUserOffline
    public static let ZIMErrorCodeNetworkModuleUserIDError = Self.networkModuleUserIDError
    public static let ZIMErrorCodeMessageModuleCommonError = Self.messageModuleCommonError
    public static let ZIMErrorCodeMessageModuleServerError = Self.messageModuleServerError
    public static let ZIMErrorCodeMessageModuleSendMessageFailed = Self.messageModuleSendMessageFailed
    public static let ZIMErrorCodeMessageModuleTargetDoseNotExist = Self.messageModuleTargetDoseNotExist
    public static let ZIMErrorCodeMessageModuleAuditRejected = Self.messageModuleAuditRejected
    public static let ZIMErrorCodeMessageModuleMuted = Self.messageModuleMuted
    public static let ZIMErrorCodeMessageModuleReceiptReadError = Self.messageModuleReceiptReadError
    public static let ZIMErrorCodeMessageModuleMessageExceedsRevokeTime = Self.messageModuleMessageExceedsRevokeTime
    public static let ZIMErrorCodeMessageModuleMessageHasBeenRevoked = Self.messageModuleMessageHasBeenRevoked
    public static let ZIMErrorCodeMessageModuleSenderInBlacklist = Self.messageModuleSenderInBlacklist
    public static let ZIMErrorCodeGroupModuleCommonError = Self.groupModuleCommonError
    public static let ZIMErrorCodeGroupModuleServerError = Self.groupModuleServerError
    public static let ZIMErrorCodeGroupModuleUserIsNotInTheGroup = Self.groupModuleUserIsNotInTheGroup
    public static let ZIMErrorCodeGroupModuleGroupDoseNotExist = Self.groupModuleGroupDoseNotExist
    public static let ZIMErrorCodeGroupModuleGroupAlreadyExists = Self.groupModuleGroupAlreadyExists
    public static let ZIMErrorCodeConversationModuleCommonError = Self.conversationModuleCommonError
    public static let ZIMErrorCodeConversationModuleServerError = Self.conversationModuleServerError
    public static let ZIMErrorCodeConversationModuleConversationDoseNotExist =
        Self.conversationModuleConversationDoseNotExist
    public static let ZIMErrorCodeDataBaseModuleOpenDataBaseError = Self.dataBaseModuleOpenDataBaseError
    public static let ZIMErrorCodeFriendModuleFriendsNumLimit = Self.friendModuleFriendsNumLimit
    public static let ZIMErrorCodeFriendModuleIsAlreadyYourFriend = Self.friendModuleIsAlreadyYourFriend
    public static let ZIMErrorCodeFriendModuleNotYourFriend = Self.friendModuleNotYourFriend
}
