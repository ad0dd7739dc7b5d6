import Foundation
import IMProfiles
import IMProtocol

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The vendor's codes that apps' login code may use. The dialect has those that occur in machines and shell; the others
/// never occur here.
public enum ZIMErrorCode: UInt, Sendable, CaseIterable {
    case success = 0
    case failed = 1
    case commonModuleParamsInvalid = 6_000_001
    case commonModuleEngineNotInit = 6_000_002
    case commonModuleInvalidAppID = 6_000_003
    case commonModuleTriggerSDKFrequencyLimit = 6_000_004
    case commonModuleTriggerServerFrequencyLimit = 6_000_005
    case commonModuleSwitchServerError = 6_000_006
    case commonModuleIMServerError = 6_000_007
    case commonModuleIMDataBaseError = 6_000_008
    case commonModuleImServerDisconnect = 6_000_009
    case commonModuleUploadLogError = 6_000_010
    case commonModuleUserIsNotExist = 6_000_011
    case commonModuleUserInfoQueriedLimit = 6_000_012
    case commonModuleUnsupportedRequest = 6_000_013
    case commonModuleExceedDAULimit = 6_000_015
    case commonModuleExceedMAULimit = 6_000_016
    case networkModuleCommonError = 6_000_101
    case networkModuleServerError = 6_000_102
    case networkModuleTokenInvalid = 6_000_103
    case networkModuleNetworkError = 6_000_104
    case networkModuleRequestTimeout = 6_000_105
    case networkModuleTokenExpired = 6_000_106
    case networkModuleTokenVersionError = 6_000_107
    case networkModuleTokenTimeIsTooShort = 6_000_108
    case networkModuleUserHasAlreadyLogged = 6_000_111
    case networkModuleUserIsNotLogged = 6_000_121
    case networkModuleUserHasAlreadyLoggedOut = 6_000_122
    case networkModuleUserOffline = 6_000_123
    case networkModuleUserIDError = 6_000_124
    case messageModuleCommonError = 6_000_201
    case messageModuleServerError = 6_000_202
    case messageModuleSendMessageFailed = 6_000_203
    case messageModuleTargetDoseNotExist = 6_000_204
    case messageModuleAuditRejected = 6_000_221
    case messageModuleMuted = 6_000_231
    case messageModuleReceiptReadError = 6_000_277
    case messageModuleMessageExceedsRevokeTime = 6_000_278
    case messageModuleMessageHasBeenRevoked = 6_000_279
    case messageModuleSenderInBlacklist = 6_000_284
    case groupModuleCommonError = 6_000_501
    case groupModuleServerError = 6_000_502
    case groupModuleUserIsNotInTheGroup = 6_000_521
    case groupModuleGroupDoseNotExist = 6_000_523
    case groupModuleGroupAlreadyExists = 6_000_524
    case conversationModuleCommonError = 6_000_601
    case conversationModuleServerError = 6_000_602
    case conversationModuleConversationDoseNotExist = 6_000_603
    case dataBaseModuleOpenDataBaseError = 6_000_701
    case friendModuleFriendsNumLimit = 6_000_801
    case friendModuleIsAlreadyYourFriend = 6_000_803
    case friendModuleNotYourFriend = 6_000_812
}

/// The result of a call. Every callback has one, also for success.
public final class ZIMError: NSObject, @unchecked Sendable {
    /// ``ZIMErrorCode/success`` for success.
    public var code = ZIMErrorCode.success
    /// The code's name; empty for success.
    public var message = ""

    /// Success.
    public override init() {}

    init(_ code: ZIMErrorCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The dialect's code and name.
    convenience init(_ status: Status, of call: CallKind, _ dialect: any Dialect) {
        let code = dialect.code(for: status, of: call)
        self.init(ZIMErrorCode(rawValue: UInt(code.number)) ?? .failed, code.number == 0 ? "" : code.name)
    }

    /// Code and message.
    public override var description: String { "\(code.rawValue) \(message)" }
}
