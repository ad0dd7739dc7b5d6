import Foundation

// Call invitations. Not simulated: each call ends with `notStarted`, the session notes it, and the delegate is never
// called.
//
// All of it lives on the job thread of virtual time, so it is Sendable.

public enum AgoraRtmInvitationApiCallErrorCode: Int, Sendable {
    case ok = 0
    case invalidArgument = 1
    case notStarted = 2
    case alreadyEnd = 3
    case alreadyAccept = 4
    case alreadySent = 5
}

public enum AgoraRtmLocalInvitationErrorCode: Int, Sendable {
    case ok = 0
    case remoteOffline = 1
    case remoteNoResponse = 2
    case expire = 3
    case notLoggedin = 4
}

public enum AgoraRtmRemoteInvitationErrorCode: Int, Sendable {
    case ok = 0
    case localOffline = 1
    case acceptFailure = 2
    case expire = 3
}

public final class AgoraRtmLocalInvitation: NSObject, @unchecked Sendable {
    public let calleeId: String
    public var content: String?
    public var channelId: String?
    public let response: String? = nil

    public init(calleeId: String) { self.calleeId = calleeId }
}

public final class AgoraRtmRemoteInvitation: NSObject, @unchecked Sendable {
    public let callerId = ""
    public let content: String? = nil
    public let channelId: String? = nil
    public var response: String?
}

public typealias AgoraRtmInvitationBlock = (AgoraRtmInvitationApiCallErrorCode) -> Void

/// Receives invitations. All methods are optional.
public protocol AgoraRtmCallDelegate: AnyObject {
    func rtmCallKit(_ callKit: AgoraRtmCallKit, localInvitationReceivedByPeer localInvitation: AgoraRtmLocalInvitation)
    func rtmCallKit(
        _ callKit: AgoraRtmCallKit, localInvitationAccepted localInvitation: AgoraRtmLocalInvitation,
        withResponse response: String?)
    func rtmCallKit(
        _ callKit: AgoraRtmCallKit, localInvitationRefused localInvitation: AgoraRtmLocalInvitation,
        withResponse response: String?)
    func rtmCallKit(_ callKit: AgoraRtmCallKit, localInvitationCanceled localInvitation: AgoraRtmLocalInvitation)
    func rtmCallKit(
        _ callKit: AgoraRtmCallKit, localInvitationFailure localInvitation: AgoraRtmLocalInvitation,
        errorCode: AgoraRtmLocalInvitationErrorCode)
    func rtmCallKit(_ callKit: AgoraRtmCallKit, remoteInvitationReceived remoteInvitation: AgoraRtmRemoteInvitation)
    func rtmCallKit(_ callKit: AgoraRtmCallKit, remoteInvitationRefused remoteInvitation: AgoraRtmRemoteInvitation)
    func rtmCallKit(_ callKit: AgoraRtmCallKit, remoteInvitationAccepted remoteInvitation: AgoraRtmRemoteInvitation)
    func rtmCallKit(_ callKit: AgoraRtmCallKit, remoteInvitationCanceled remoteInvitation: AgoraRtmRemoteInvitation)
    func rtmCallKit(
        _ callKit: AgoraRtmCallKit, remoteInvitationFailure remoteInvitation: AgoraRtmRemoteInvitation,
        errorCode: AgoraRtmRemoteInvitationErrorCode)
}

extension AgoraRtmCallDelegate {
    public func rtmCallKit(
        _ callKit: AgoraRtmCallKit, localInvitationReceivedByPeer localInvitation: AgoraRtmLocalInvitation
    ) {}
    public func rtmCallKit(
        _ callKit: AgoraRtmCallKit, localInvitationAccepted localInvitation: AgoraRtmLocalInvitation,
        withResponse response: String?
    ) {}
    public func rtmCallKit(
        _ callKit: AgoraRtmCallKit, localInvitationRefused localInvitation: AgoraRtmLocalInvitation,
        withResponse response: String?
    ) {}
    public func rtmCallKit(
        _ callKit: AgoraRtmCallKit, localInvitationCanceled localInvitation: AgoraRtmLocalInvitation
    ) {}
    public func rtmCallKit(
        _ callKit: AgoraRtmCallKit, localInvitationFailure localInvitation: AgoraRtmLocalInvitation,
        errorCode: AgoraRtmLocalInvitationErrorCode
    ) {}
    public func rtmCallKit(
        _ callKit: AgoraRtmCallKit, remoteInvitationReceived remoteInvitation: AgoraRtmRemoteInvitation
    ) {}
    public func rtmCallKit(
        _ callKit: AgoraRtmCallKit, remoteInvitationRefused remoteInvitation: AgoraRtmRemoteInvitation
    ) {}
    public func rtmCallKit(
        _ callKit: AgoraRtmCallKit, remoteInvitationAccepted remoteInvitation: AgoraRtmRemoteInvitation
    ) {}
    public func rtmCallKit(
        _ callKit: AgoraRtmCallKit, remoteInvitationCanceled remoteInvitation: AgoraRtmRemoteInvitation
    ) {}
    public func rtmCallKit(
        _ callKit: AgoraRtmCallKit, remoteInvitationFailure remoteInvitation: AgoraRtmRemoteInvitation,
        errorCode: AgoraRtmRemoteInvitationErrorCode
    ) {}
}

public final class AgoraRtmCallKit: NSObject, @unchecked Sendable {
    public weak var callDelegate: (any AgoraRtmCallDelegate)?
    /// The kit that the invitations belong to.
    public private(set) weak var rtmKit: AgoraRtmKit?

    init(_ kit: AgoraRtmKit) { rtmKit = kit }

    public func send(_ localInvitation: AgoraRtmLocalInvitation, completion: AgoraRtmInvitationBlock? = nil) {
        refuse("sendLocalInvitation", completion)
    }

    public func cancel(_ localInvitation: AgoraRtmLocalInvitation, completion: AgoraRtmInvitationBlock? = nil) {
        refuse("cancelLocalInvitation", completion)
    }

    public func accept(_ remoteInvitation: AgoraRtmRemoteInvitation, completion: AgoraRtmInvitationBlock? = nil) {
        refuse("acceptRemoteInvitation", completion)
    }

    public func refuse(_ remoteInvitation: AgoraRtmRemoteInvitation, completion: AgoraRtmInvitationBlock? = nil) {
        refuse("refuseRemoteInvitation", completion)
    }

    private func refuse(_ call: String, _ completion: AgoraRtmInvitationBlock?) {
        rtmKit?.client.note("\(call) is not simulated, and ends with an error")
        rtmKit?.client.later { completion?(.notStarted) }
    }
}
