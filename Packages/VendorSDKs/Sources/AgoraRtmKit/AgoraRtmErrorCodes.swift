// Every family of calls has its own codes. If 101 occurs, the channel has been destroyed.

/// The result of a login (RTM-2).
public enum AgoraRtmLoginErrorCode: Int, Sendable {
    case ok = 0
    case unknown = 1
    case rejected = 2
    case invalidArgument = 3
    case invalidAppId = 4
    case invalidToken = 5
    case tokenExpired = 6
    case notAuthorized = 7
    /// Logged in, logging in, or in Aborted without a logout (RTM-6).
    case alreadyLogin = 8
    /// No answer for 6 s.
    case timeout = 9
    /// More than 2 in a second (RTM-9).
    case loginTooOften = 10
    case loginNotInitialized = 101
}

/// The result of a logout (RTM-7).
public enum AgoraRtmLogoutErrorCode: Int, Sendable {
    case ok = 0
    case rejected = 1
    case notInitialized = 101
    case notLoggedIn = 102
}

/// The result of a token renewal (RTM-5).
public enum AgoraRtmRenewTokenErrorCode: Int, Sendable {
    case ok = 0
    case failure = 1
    case invalidArgument = 2
    case rejected = 3
    /// More than 2 in a second (RTM-9).
    case tooOften = 4
    case tokenExpired = 5
    case invalidToken = 6
    case notInitialized = 101
    case notLoggedIn = 102
}

/// The result of sending a message to a user (RTM-8).
public enum AgoraRtmSendPeerMessageErrorCode: Int, Sendable {
    case ok = 0
    case failure = 1
    /// Not confirmed for 10 s, perhaps because the connection is broken.
    case timeout = 2
    case peerUnreachable = 3
    /// The user is offline and gets the message later.
    case cachedByServer = 4
    /// More than 180 in 3 s, including those to channels (RTM-9).
    case tooOften = 5
    case invalidUserId = 6
    /// Longer than 32 KB, or of a kind that is not simulated.
    case invalidMessage = 7
    case notInitialized = 101
    case notLoggedIn = 102
}

/// The result of sending a message to a channel. Some of the vendor's names lack a word.
public enum AgoraRtmSendChannelMessageErrorCode: Int, Sendable {
    case errorOk = 0
    case errorFailure = 1
    /// Not confirmed for 10 s.
    case errorTimeout = 2
    /// More than 180 in 3 s, including those to users (RTM-9).
    case tooOften = 3
    case invalidMessage = 4
    case errorNotInitialized = 101
    case notLoggedIn = 102
}

/// The result of joining a channel (RTM-9).
public enum AgoraRtmJoinChannelErrorCode: Int, Sendable {
    case channelErrorOk = 0
    case channelErrorFailure = 1
    case channelErrorRejected = 2
    case channelErrorInvalidArgument = 3
    /// Not answered for 5 s, or the connection is broken.
    case channelErrorTimeout = 4
    /// More than 20 channels.
    case channelErrorExceedLimit = 5
    /// Joined, or being joined.
    case channelErrorAlreadyJoined = 6
    /// More than 50 in 3 s.
    case channelErrorTooOften = 7
    /// More than 2 of one channel in 5 s.
    case sameChannelErrorTooOften = 8
    case channelErrorNotInitialized = 101
    case channelErrorNotLoggedIn = 102
}

/// The result of leaving a channel.
public enum AgoraRtmLeaveChannelErrorCode: Int, Sendable {
    case ok = 0
    case failure = 1
    case rejected = 2
    case notInChannel = 3
    case notInitialized = 101
    case notLoggedIn = 102
}

/// The result of a query for a channel's members.
public enum AgoraRtmGetMembersErrorCode: Int, Sendable {
    case ok = 0
    case failure = 1
    case rejected = 2
    /// Not answered for 5 s, or the connection is broken.
    case timeout = 3
    /// More than 5 in 2 s (RTM-9).
    case tooOften = 4
    case notInChannel = 5
    case notInitialized = 101
    case notLoggedIn = 102
}

/// The result of a query for the member counts of channels.
public enum AgoraRtmChannelMemberCountErrorCode: Int, Sendable {
    case ok = 0
    case failure = 1
    case invalidArgument = 2
    case tooOften = 3
    case timeout = 4
    /// More than 32 channels at a time.
    case exceedLimit = 5
    case notInitialized = 101
    case notLoggedIn = 102
}

/// The result of a query for users' online status.
public enum AgoraRtmQueryPeersOnlineErrorCode: Int, Sendable {
    case ok = 0
    case failure = 1
    case invalidArgument = 2
    case rejected = 3
    case timeout = 4
    case tooOften = 5
    case notInitialized = 101
    case notLoggedIn = 102
}

/// The result of subscribing to users or unsubscribing.
public enum AgoraRtmPeerSubscriptionStatusErrorCode: Int, Sendable {
    case ok = 0
    case failure = 1
    case invalidArgument = 2
    case rejected = 3
    case timeout = 4
    /// More than 10 users in 5 s (RTM-9).
    case tooOften = 5
    /// More than 512 users.
    case overflow = 6
    case notInitialized = 101
    case notLoggedIn = 102
}

/// The result of a query for the subscribed users.
public enum AgoraRtmQueryPeersBySubscriptionOptionErrorCode: Int, Sendable {
    case ok = 0
    case failure = 1
    case timeout = 2
    case tooOften = 3
    case notInitialized = 101
    case notLoggedIn = 102
}

/// The result of a call on attributes.
public enum AgoraRtmProcessAttributeErrorCode: Int, Sendable {
    case attributeOperationErrorOk = 0
    case attributeOperationErrorNotReady = 1
    case attributeOperationErrorFailure = 2
    case attributeOperationErrorInvalidArgument = 3
    /// More than 32, a value of more than 8 KB, more than 16 KB of a user or 32 KB of a channel.
    case attributeOperationErrorSizeOverflow = 4
    /// More than 10 in 5 s; for reading users' attributes, more than 40 (RTM-9).
    case attributeOperationErrorTooOften = 5
    /// The user is offline, or the user is not in the channel (RTM-4).
    case attributeOperationErrorUserNotFound = 6
    /// Not answered for 5 s, or the connection is broken.
    case attributeOperationErrorTimeout = 7
    case attributeOperationErrorNotInitialized = 101
    case attributeOperationErrorNotLoggedIn = 102
}
