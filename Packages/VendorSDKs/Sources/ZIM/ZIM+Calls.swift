import Foundation

// Call invitations that the app itself sends. Not simulated: each call ends with a failure, which the session notes.
// Invitations of others are in local data (`queryCallInvitationList`).

public final class ZIMCallInviteConfig: NSObject, @unchecked Sendable {
    public var timeout: UInt32 = 90
    public var extendedData = ""
    public var mode = ZIMCallInvitationMode.general
    public var pushConfig: ZIMPushConfig?
}

public final class ZIMCallCancelConfig: NSObject, @unchecked Sendable {
    public var extendedData = ""
    public var pushConfig: ZIMPushConfig?
}

public final class ZIMCallAcceptConfig: NSObject, @unchecked Sendable {
    public var extendedData = ""
}

public final class ZIMCallRejectConfig: NSObject, @unchecked Sendable {
    public var extendedData = ""
}

public final class ZIMCallInvitationSentInfo: NSObject, @unchecked Sendable {
    public let timeout: UInt32 = 0
    public let errorInvitees: [ZIMErrorUserInfo] = []
    public let errorUserList: [ZIMErrorUserInfo] = []
}

public class ZIMCallInvitationInfo: NSObject, @unchecked Sendable {
    public let inviter = ""
    public let invitee = ""
    public let extendedData = ""
}

public final class ZIMCallInvitationCancelledInfo: ZIMCallInvitationInfo, @unchecked Sendable {}
public final class ZIMCallInvitationAcceptedInfo: ZIMCallInvitationInfo, @unchecked Sendable {}
public final class ZIMCallInvitationRejectedInfo: ZIMCallInvitationInfo, @unchecked Sendable {}
public final class ZIMCallInvitationTimeoutInfo: ZIMCallInvitationInfo, @unchecked Sendable {}
public final class ZIMCallInvitationEndedInfo: ZIMCallInvitationInfo, @unchecked Sendable {}

public final class ZIMCallUserStateChangeInfo: NSObject, @unchecked Sendable {
    public let callUserList: [ZIMCallUserInfo] = []
}

public typealias ZIMCallInvitationSentCallback = (
    _ callID: String, _ info: ZIMCallInvitationSentInfo, _ errorInfo: ZIMError
) -> Void
public typealias ZIMCallCancelSentCallback = (
    _ callID: String, _ errorInvitees: [String], _ errorInfo: ZIMError
) -> Void
public typealias ZIMCallAcceptanceSentCallback = (_ callID: String, _ errorInfo: ZIMError) -> Void
public typealias ZIMCallRejectionSentCallback = (_ callID: String, _ errorInfo: ZIMError) -> Void

extension ZIM {
    public func callInvite(
        with invitees: [String], config: ZIMCallInviteConfig, callback: @escaping ZIMCallInvitationSentCallback
    ) {
        refuse("callInvite") { callback("", ZIMCallInvitationSentInfo(), $0) }
    }

    public func callCancel(
        with invitees: [String], callID: String, config: ZIMCallCancelConfig,
        callback: @escaping ZIMCallCancelSentCallback
    ) {
        refuse("callCancel") { callback(callID, invitees, $0) }
    }

    public func callAccept(
        with callID: String, config: ZIMCallAcceptConfig, callback: @escaping ZIMCallAcceptanceSentCallback
    ) {
        refuse("callAccept") { callback(callID, $0) }
    }

    public func callReject(
        with callID: String, config: ZIMCallRejectConfig, callback: @escaping ZIMCallRejectionSentCallback
    ) {
        refuse("callReject") { callback(callID, $0) }
    }
}

// The same in the form of other versions.
extension ZIM {
    public func callInvite(
        _ invitees: [String], config: ZIMCallInviteConfig, callback: @escaping ZIMCallInvitationSentCallback
    ) {
        callInvite(with: invitees, config: config, callback: callback)
    }

    public func callAccept(
        withCallID callID: String, config: ZIMCallAcceptConfig, callback: @escaping ZIMCallAcceptanceSentCallback
    ) {
        callAccept(with: callID, config: config, callback: callback)
    }

    public func callReject(
        withCallID callID: String, config: ZIMCallRejectConfig, callback: @escaping ZIMCallRejectionSentCallback
    ) {
        callReject(with: callID, config: config, callback: callback)
    }
}
