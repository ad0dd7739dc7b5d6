/// The vendor's codes up to those of messages. Those of groups, rooms and other services are left out, because no call
/// here returns them.
public enum AgoraChatErrorCode: Int, Sendable, CaseIterable {
    case noError = 0
    case general = 1
    case networkUnavailable = 2
    case databaseOperationFailed = 3
    case exceedServiceLimit = 4
    case serviceArrearages = 5
    case pushReportActionFailed = 6
    case partialSuccess = 7
    case appActiveNumbersReachLimitation = 8

    case invalidAppkey = 100
    case invalidUsername = 101
    case invalidPassword = 102
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case invalidURL = 103
    case invalidToken = 104
    case usernameTooLong = 105
    case channelSyncNotOpen = 106
    case invalidConversation = 107
    case tokenExpire = 108
    /// Spelt as in the vendor's SDK.
    case tokeWillExpire = 109
    case invalidParam = 110
    case operationUnsupported = 111
    case queryParamReachesLimit = 112

    case userAlreadyLoginSame = 200
    case userNotLogin = 201
    case userAuthenticationFailed = 202
    case userAlreadyExist = 203
    case userNotFound = 204
    case userIllegalArgument = 205
    case userLoginOnAnotherDevice = 206
    case userRemoved = 207
    case userRegisterFailed = 208
    case updateApnsConfigsFailed = 209
    case userPermissionDenied = 210
    case userBindDeviceTokenFailed = 211
    case userUnbindDeviceTokenFailed = 212
    case userBindAnotherDevice = 213
    case userLoginTooManyDevices = 214
    case userMuted = 215
    case userKickedByChangePassword = 216
    case userKickedByOtherDevice = 217
    case userAlreadyLoginAnother = 218
    case userMutedByAdmin = 219
    case userDeviceChanged = 220
    case userNotOnRoster = 221

    case serverNotReachable = 300
    case serverTimeout = 301
    case serverBusy = 302
    case serverUnknownError = 303
    case serverGetDNSConfigFailed = 304
    case serverServingForbidden = 305
    case serverDecryptionFailed = 306
    case serverGetRTCConfigFailed = 307
    case serverNoMatchURL = 308

    case messageInvalid = 500
    case messageIncludeIllegalContent = 501
    case messageTrafficLimit = 502
    case messageEncryption = 503
    case messageRecallTimeLimit = 504
    case serviceNotEnable = 505
    case messageExpired = 506
    case messageIllegalWhiteList = 507
    case messageExternalLogicBlocked = 508
    case messageCurrentLimiting = 509
    case messageSizeLimit = 510
}
