// The codes by the names of versions before 2.5, which apps still use.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension ZIMErrorCode {
    public static let ZIMErrorCodeSuccess = ZIMErrorCode.success
    public static let ZIMErrorCodeFailed = ZIMErrorCode.failed
    public static let ZIMErrorCodeCommonModuleParamsInvalid = ZIMErrorCode.commonModuleParamsInvalid
    public static let ZIMErrorCodeCommonModuleEngineNotInit = ZIMErrorCode.commonModuleEngineNotInit
    public static let ZIMErrorCodeCommonModuleInvalidAppID = ZIMErrorCode.commonModuleInvalidAppID
    public static let ZIMErrorCodeCommonModuleTriggerSDKFrequencyLimit = ZIMErrorCode.commonModuleTriggerSDKFrequencyLimit
    public static let ZIMErrorCodeCommonModuleTriggerServerFrequencyLimit = ZIMErrorCode.commonModuleTriggerServerFrequencyLimit
    public static let ZIMErrorCodeCommonModuleSwitchServerError = ZIMErrorCode.commonModuleSwitchServerError
    public static let ZIMErrorCodeCommonModuleIMServerError = ZIMErrorCode.commonModuleIMServerError
    public static let ZIMErrorCodeCommonModuleIMDataBaseError = ZIMErrorCode.commonModuleIMDataBaseError
    public static let ZIMErrorCodeCommonModuleImServerDisconnect = ZIMErrorCode.commonModuleImServerDisconnect
    public static let ZIMErrorCodeCommonModuleUploadLogError = ZIMErrorCode.commonModuleUploadLogError
    public static let ZIMErrorCodeCommonModuleUserIsNotExist = ZIMErrorCode.commonModuleUserIsNotExist
    public static let ZIMErrorCodeCommonModuleUserInfoQueriedLimit = ZIMErrorCode.commonModuleUserInfoQueriedLimit
    public static let ZIMErrorCodeCommonModuleUnsupportedRequest = ZIMErrorCode.commonModuleUnsupportedRequest
    public static let ZIMErrorCodeCommonModuleExceedDAULimit = ZIMErrorCode.commonModuleExceedDAULimit
    public static let ZIMErrorCodeCommonModuleExceedMAULimit = ZIMErrorCode.commonModuleExceedMAULimit
    public static let ZIMErrorCodeNetworkModuleCommonError = ZIMErrorCode.networkModuleCommonError
    public static let ZIMErrorCodeNetworkModuleServerError = ZIMErrorCode.networkModuleServerError
    public static let ZIMErrorCodeNetworkModuleTokenInvalid = ZIMErrorCode.networkModuleTokenInvalid
    public static let ZIMErrorCodeNetworkModuleNetworkError = ZIMErrorCode.networkModuleNetworkError
    public static let ZIMErrorCodeNetworkModuleRequestTimeout = ZIMErrorCode.networkModuleRequestTimeout
    public static let ZIMErrorCodeNetworkModuleTokenExpired = ZIMErrorCode.networkModuleTokenExpired
    public static let ZIMErrorCodeNetworkModuleTokenVersionError = ZIMErrorCode.networkModuleTokenVersionError
    public static let ZIMErrorCodeNetworkModuleTokenTimeIsTooShort = ZIMErrorCode.networkModuleTokenTimeIsTooShort
    public static let ZIMErrorCodeNetworkModuleUserHasAlreadyLogged = ZIMErrorCode.networkModuleUserHasAlreadyLogged
    public static let ZIMErrorCodeNetworkModuleUserIsNotLogged = ZIMErrorCode.networkModuleUserIsNotLogged
    public static let ZIMErrorCodeNetworkModuleUserHasAlreadyLoggedOut = ZIMErrorCode.networkModuleUserHasAlreadyLoggedOut
    public static let ZIMErrorCodeNetworkModuleUserOffline = ZIMErrorCode.networkModuleUserOffline
    public static let ZIMErrorCodeNetworkModuleUserIDError = ZIMErrorCode.networkModuleUserIDError
    public static let ZIMErrorCodeMessageModuleCommonError = ZIMErrorCode.messageModuleCommonError
    public static let ZIMErrorCodeMessageModuleServerError = ZIMErrorCode.messageModuleServerError
    public static let ZIMErrorCodeMessageModuleSendMessageFailed = ZIMErrorCode.messageModuleSendMessageFailed
    public static let ZIMErrorCodeMessageModuleTargetDoseNotExist = ZIMErrorCode.messageModuleTargetDoseNotExist
    public static let ZIMErrorCodeMessageModuleAuditRejected = ZIMErrorCode.messageModuleAuditRejected
    public static let ZIMErrorCodeMessageModuleMuted = ZIMErrorCode.messageModuleMuted
    public static let ZIMErrorCodeMessageModuleReceiptReadError = ZIMErrorCode.messageModuleReceiptReadError
    public static let ZIMErrorCodeMessageModuleMessageExceedsRevokeTime = ZIMErrorCode.messageModuleMessageExceedsRevokeTime
    public static let ZIMErrorCodeMessageModuleMessageHasBeenRevoked = ZIMErrorCode.messageModuleMessageHasBeenRevoked
    public static let ZIMErrorCodeMessageModuleSenderInBlacklist = ZIMErrorCode.messageModuleSenderInBlacklist
    public static let ZIMErrorCodeGroupModuleCommonError = ZIMErrorCode.groupModuleCommonError
    public static let ZIMErrorCodeGroupModuleServerError = ZIMErrorCode.groupModuleServerError
    public static let ZIMErrorCodeGroupModuleUserIsNotInTheGroup = ZIMErrorCode.groupModuleUserIsNotInTheGroup
    public static let ZIMErrorCodeGroupModuleGroupDoseNotExist = ZIMErrorCode.groupModuleGroupDoseNotExist
    public static let ZIMErrorCodeGroupModuleGroupAlreadyExists = ZIMErrorCode.groupModuleGroupAlreadyExists
    public static let ZIMErrorCodeConversationModuleCommonError = ZIMErrorCode.conversationModuleCommonError
    public static let ZIMErrorCodeConversationModuleServerError = ZIMErrorCode.conversationModuleServerError
    public static let ZIMErrorCodeConversationModuleConversationDoseNotExist = ZIMErrorCode.conversationModuleConversationDoseNotExist
    public static let ZIMErrorCodeDataBaseModuleOpenDataBaseError = ZIMErrorCode.dataBaseModuleOpenDataBaseError
    public static let ZIMErrorCodeFriendModuleFriendsNumLimit = ZIMErrorCode.friendModuleFriendsNumLimit
    public static let ZIMErrorCodeFriendModuleIsAlreadyYourFriend = ZIMErrorCode.friendModuleIsAlreadyYourFriend
    public static let ZIMErrorCodeFriendModuleNotYourFriend = ZIMErrorCode.friendModuleNotYourFriend
}
