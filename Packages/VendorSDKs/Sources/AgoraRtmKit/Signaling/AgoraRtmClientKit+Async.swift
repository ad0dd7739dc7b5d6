import Foundation

// The forms in which Swift imports the vendor's completion blocks: the same calls, which return the block's arguments. They
// do not throw, because the error is a class of its own.

extension AgoraRtmClientKit {
    @discardableResult
    public nonisolated(nonsending) func login(
        _ token: String?
    ) async -> (AgoraRtmCommonResponse?, AgoraRtmErrorInfo?) {
        await awaitCompletion { login(token, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func logout() async -> (AgoraRtmCommonResponse?, AgoraRtmErrorInfo?) {
        await awaitCompletion { logout($0) }
    }

    @discardableResult
    public nonisolated(nonsending) func renewToken(
        _ token: String
    ) async -> (AgoraRtmCommonResponse?, AgoraRtmErrorInfo?) {
        await awaitCompletion { renewToken(token, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func subscribe(
        channelName: String, option subscribeOption: AgoraRtmSubscribeOptions?
    ) async -> (AgoraRtmCommonResponse?, AgoraRtmErrorInfo?) {
        await awaitCompletion { subscribe(channelName: channelName, option: subscribeOption, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func unsubscribe(
        _ channelName: String
    ) async -> (AgoraRtmCommonResponse?, AgoraRtmErrorInfo?) {
        await awaitCompletion { unsubscribe(channelName, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func publish(
        channelName: String, message: String, option publishOption: AgoraRtmPublishOptions?
    ) async -> (AgoraRtmCommonResponse?, AgoraRtmErrorInfo?) {
        await awaitCompletion {
            publish(channelName: channelName, message: message, option: publishOption, completion: $0)
        }
    }

    @discardableResult
    public nonisolated(nonsending) func publish(
        channelName: String, data: Data, option publishOption: AgoraRtmPublishOptions?
    ) async -> (AgoraRtmCommonResponse?, AgoraRtmErrorInfo?) {
        await awaitCompletion { publish(channelName: channelName, data: data, option: publishOption, completion: $0) }
    }
}

extension AgoraRtmPresence {
    public nonisolated(nonsending) func whoNow(
        channelName: String, channelType: AgoraRtmChannelType, options: AgoraRtmPresenceOptions?
    ) async -> (AgoraRtmWhoNowResponse?, AgoraRtmErrorInfo?) {
        await awaitCompletion {
            whoNow(channelName: channelName, channelType: channelType, options: options, completion: $0)
        }
    }

    public nonisolated(nonsending) func getOnlineUser(
        channelName: String, channelType: AgoraRtmChannelType, options: AgoraRtmGetOnlineUsersOptions?
    ) async -> (AgoraRtmGetOnlineUsersResponse?, AgoraRtmErrorInfo?) {
        await awaitCompletion {
            getOnlineUser(channelName: channelName, channelType: channelType, options: options, completion: $0)
        }
    }

    @discardableResult
    public nonisolated(nonsending) func setState(
        channelName: String, channelType: AgoraRtmChannelType, items: [String: String]
    ) async -> (AgoraRtmCommonResponse?, AgoraRtmErrorInfo?) {
        await awaitCompletion {
            setState(channelName: channelName, channelType: channelType, items: items, completion: $0)
        }
    }
}

private nonisolated(nonsending) func awaitCompletion<Response: Sendable>(
    _ call: (@escaping (Response?, AgoraRtmErrorInfo?) -> Void) -> Void
) async -> (Response?, AgoraRtmErrorInfo?) {
    // Not a checked continuation: one of a killed process never resumes, and would be reported as a misuse.
    await withUnsafeContinuation { continuation in
        call { continuation.resume(returning: ($0, $1)) }
    }
}
