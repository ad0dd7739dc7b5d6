import Foundation
import IMClient
import IMProtocol

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The users of channels. States of users are not simulated: those calls end with `serviceNotSupport`, and the session has
/// a note.
public final class AgoraRtmPresence: NSObject, @unchecked Sendable {
    private let client: SignalingClient

    init(_ client: SignalingClient) { self.client = client }

    /// Queries the users of a channel, including the own one. The simulated server sends them only to subscribers.
    public func getOnlineUser(
        channelName: String, channelType: AgoraRtmChannelType, options: AgoraRtmGetOnlineUsersOptions?,
        completion: ((AgoraRtmGetOnlineUsersResponse?, AgoraRtmErrorInfo?) -> Void)? = nil
    ) {
        query(channelName, "getOnlineUser") { completion?($0, $1) }
    }

    /// `getOnlineUser(channelName:channelType:options:completion:)` in the form of versions before 2.2.
    public func whoNow(
        channelName: String, channelType: AgoraRtmChannelType, options: AgoraRtmPresenceOptions?,
        completion: ((AgoraRtmWhoNowResponse?, AgoraRtmErrorInfo?) -> Void)? = nil
    ) {
        query(channelName, "whoNow") { completion?($0, $1) }
    }

    private func query(
        _ channelName: String, _ operation: String,
        _ completion: @escaping (AgoraRtmGetOnlineUsersResponse?, AgoraRtmErrorInfo?) -> Void
    ) {
        client.perform(.ask(.members(channel: channelName))) { [client] outcome in
            let error = AgoraRtmErrorInfo(outcome.status, of: .memberQuery, operation, client.dialect)
            let users = outcome.rows.values(of: "member")
            completion(error == nil ? AgoraRtmGetOnlineUsersResponse(users) : nil, error)
        }
    }

    // MARK: States

    public func setState(
        channelName: String, channelType: AgoraRtmChannelType, items: [String: String],
        completion: AgoraRtmOperationBlock? = nil
    ) {
        refuse("setState") { completion?(nil, $0) }
    }

    public func removeState(
        channelName: String, channelType: AgoraRtmChannelType, keys: [String],
        completion: AgoraRtmOperationBlock? = nil
    ) {
        refuse("removeState") { completion?(nil, $0) }
    }

    private func refuse(_ operation: String, _ completion: @escaping (AgoraRtmErrorInfo) -> Void) {
        client.note("\(operation) is not simulated, and ends with an error")
        client.later { completion(AgoraRtmErrorInfo(.serviceNotSupport, operation)) }
    }
}

/// The options of a query for users. Without effect.
public final class AgoraRtmGetOnlineUsersOptions: NSObject, @unchecked Sendable {
    public var includeUserId = true
    public var includeState = false
    public var page = ""

    public override init() {}
}

public typealias AgoraRtmPresenceOptions = AgoraRtmGetOnlineUsersOptions

/// The users of a channel, on one page.
public final class AgoraRtmGetOnlineUsersResponse: NSObject, @unchecked Sendable {
    public let totalOccupancy: Int32
    public let userStateList: [AgoraRtmUserState]
    public let nextPage: String? = nil

    init(_ users: [String]) {
        totalOccupancy = Int32(clamping: users.count)
        userStateList = users.map(AgoraRtmUserState.init)
    }
}

public typealias AgoraRtmWhoNowResponse = AgoraRtmGetOnlineUsersResponse
