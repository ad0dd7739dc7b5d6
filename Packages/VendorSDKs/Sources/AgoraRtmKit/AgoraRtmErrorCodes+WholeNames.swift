// The codes of subscriptions as Swift imports them from some versions of the header: with their full names.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension AgoraRtmPeerSubscriptionStatusErrorCode {
    public static let AgoraRtmPeerSubscriptionStatusErrorOk = Self.ok
    public static let AgoraRtmPeerSubscriptionStatusErrorFailure = Self.failure
    public static let AgoraRtmPeerSubscriptionStatusErrorInvalidArgument = Self.invalidArgument
    public static let AgoraRtmPeerSubscriptionStatusErrorRejected = Self.rejected
    public static let AgoraRtmPeerSubscriptionStatusErrorTimeout = Self.timeout
    public static let AgoraRtmPeerSubscriptionStatusErrorTooOften = Self.tooOften
    public static let AgoraRtmPeerSubscriptionStatusErrorOverflow = Self.overflow
    public static let AgoraRtmPeerSubscriptionStatusErrorNotInitialized = Self.notInitialized
    public static let AgoraRtmPeerSubscriptionStatusErrorNotLoggedIn = Self.notLoggedIn
}
