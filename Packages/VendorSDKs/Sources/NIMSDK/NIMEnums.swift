// Names and numbers of the vendor's headers (NIM iOS SDK 9.x, V1 interface). `NIMSDKTests` compares them with the names
// that the shell shows.

/// The step of a login (NIM-1).
public enum NIMLoginStep: Int, Sendable, CaseIterable {
    case linking = 1
    case linkOK = 2
    case linkFailed = 3
    case logining = 4
    case loginOK = 5
    case loginFailed = 6
    case syncing = 7
    case syncOK = 8
    case loseConnection = 9
    case netChanged = 10
    case logout = 11
}

/// The reason why others ended a login (NIM-12).
public enum NIMKickReason: Int, Sendable, CaseIterable {
    /// Another client that excludes this one has logged in.
    case byClient = 1
    case byServer = 2
    /// Another client of the user requested it.
    case byClientManually = 3
}

/// The kind of a client; bit values.
public enum NIMLoginClientType: Int, Sendable, CaseIterable {
    case typeUnknown = 0
    case typeAOS = 1
    case typeiOS = 2
    case typePC = 4
    case typeWP = 8
    case typeWeb = 16
    case typeRestful = 32
    case typemacOS = 64
}

/// The kind of a change of the user's other clients (NIM-13).
public enum NIMMultiLoginType: Int, Sendable, CaseIterable {
    /// They were logged in already.
    case `init` = 1
    case login = 2
    case logout = 3
}

/// The purpose of the SDK.
public enum NIMSDKAuthMode: Int, Sendable {
    case undefined = 0
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case IM = 1
    case chatroom = 2
}

/// The way of checking a token.
public enum NIMSDKAuthType: Int, Sendable {
    case `default` = 0
    case dynamicToken = 1
    case thirdParty = 2
}

/// Codes of ``NIMLocalErrorDomain``.
public enum NIMLocalErrorCode: Int, Sendable {
    case invalidParam = 1
    case invalidToken = 6
    case httpReqeustFailed = 7
    case sqlFailed = 12
    case userInfoNeeded = 13
    case appKeyNeed = 14
    case autoLoginRetryLimit = 15
    case sameOperationInProgress = 16
    case manualCancelTask = 19
    case databaseError = 22
    case unknownError = 25
    case frequentCallError = 27
    case settingConflictErr = 28
}

/// Codes of ``NIMRemoteErrorDomain``.
public enum NIMRemoteErrorCode: Int, Sendable {
    case invalidPass = 302
    case forbidden = 403
    case notExist = 404
    case timeoutError = 408
    case parameterError = 414
    case connectionError = 415
    case frequently = 416
    case exist = 417
    case beyondLimit = 419
    case accountBlock = 422
    case unknownError = 500
    case invalidProtocol = 509
}

/// Errors that the SDK itself finds.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NIMLocalErrorDomain = "NIMLocalErrorDomain"
/// Errors that the server returns.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NIMRemoteErrorDomain = "NIMRemoteErrorDomain"

/// The kind of a message's destination.
public enum NIMSessionType: Int, Sendable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case P2P = 0
    case team = 1
    case chatroom = 2
}

/// The kind of a message. Only texts are transmitted here.
public enum NIMMessageType: Int, Sendable {
    case text = 0
    case image = 1
    case audio = 2
    case video = 3
    case location = 4
    case notification = 5
    case file = 6
    case tip = 10
    case robot = 11
    case rtcCallRecord = 12
    case custom = 100
}

/// The state of sending a message.
public enum NIMMessageDeliveryState: Int, Sendable {
    case failed = 0
    case delivering = 1
    case deliveried = 2
}
