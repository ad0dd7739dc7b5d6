// Every family of calls has its own codes. 101, where it comes, comes of a channel that has been destroyed.

/// How a login ended (RTM-2).
public enum AgoraRtmLoginErrorCode: Int, Sendable {
    case ok = 0
    case unknown = 1
    case rejected = 2
    case invalidArgument = 3
    case invalidAppId = 4
    case invalidToken = 5
    case tokenExpired = 6
    case notAuthorized = 7
    /// Logged in, logging in, or Aborted and not yet logged out (RTM-6).
    case alreadyLogin = 8
    /// Nothing came for 6 s.
    case timeout = 9
    /// More than 2 in a second (RTM-9).
    case loginTooOften = 10
    case loginNotInitialized = 101
}

/// How a logout ended (RTM-7).
public enum AgoraRtmLogoutErrorCode: Int, Sendable {
    case ok = 0
    case rejected = 1
    case notInitialized = 101
    case notLoggedIn = 102
}

/// How the renewal of a token ended (RTM-5).
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

/// How the sending of a message to a user ended (RTM-8).
public enum AgoraRtmSendPeerMessageErrorCode: Int, Sendable {
    case ok = 0
    case failure = 1
    /// Not confirmed for 10 s, perhaps because the connection is broken.
    case timeout = 2
    case peerUnreachable = 3
    /// The user is not there and will get it later.
    case cachedByServer = 4
    /// More than 180 in 3 s, those to channels among them (RTM-9).
    case tooOften = 5
    case invalidUserId = 6
    /// Longer than 32 KB, or of a kind that is not simulated.
    case invalidMessage = 7
    case notInitialized = 101
    case notLoggedIn = 102
}

/// How the sending of a message to a channel ended. The vendor's names lack a word here and there.
public enum AgoraRtmSendChannelMessageErrorCode: Int, Sendable {
    case errorOk = 0
    case errorFailure = 1
    /// Not confirmed for 10 s.
    case errorTimeout = 2
    /// More than 180 in 3 s, those to users among them (RTM-9).
    case tooOften = 3
    case invalidMessage = 4
    case errorNotInitialized = 101
    case notLoggedIn = 102
}

/// How joining a channel ended (RTM-9).
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

/// How leaving a channel ended.
public enum AgoraRtmLeaveChannelErrorCode: Int, Sendable {
    case ok = 0
    case failure = 1
    case rejected = 2
    case notInChannel = 3
    case notInitialized = 101
    case notLoggedIn = 102
}

/// How the question for a channel's members ended.
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

/// How the question for the number of channels' members ended.
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

/// How the question whether users are there ended.
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

/// How subscribing to users, or no longer, ended.
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

/// How the question for the users who are subscribed to ended.
public enum AgoraRtmQueryPeersBySubscriptionOptionErrorCode: Int, Sendable {
    case ok = 0
    case failure = 1
    case timeout = 2
    case tooOften = 3
    case notInitialized = 101
    case notLoggedIn = 102
}

/// How a call on attributes ended.
public enum AgoraRtmProcessAttributeErrorCode: Int, Sendable {
    case attributeOperationErrorOk = 0
    case attributeOperationErrorNotReady = 1
    case attributeOperationErrorFailure = 2
    case attributeOperationErrorInvalidArgument = 3
    /// More than 32, a value of more than 8 KB, more than 16 KB of a user or 32 KB of a channel.
    case attributeOperationErrorSizeOverflow = 4
    /// More than 10 in 5 s; more than 40 where they are those of users and only read (RTM-9).
    case attributeOperationErrorTooOften = 5
    /// The user is not there, or the channel is not one's own (RTM-4).
    case attributeOperationErrorUserNotFound = 6
    /// Not answered for 5 s, or the connection is broken.
    case attributeOperationErrorTimeout = 7
    case attributeOperationErrorNotInitialized = 101
    case attributeOperationErrorNotLoggedIn = 102
}
