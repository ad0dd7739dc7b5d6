import IMClient
import IMProfiles
import IMProtocol

// Presence (RTM-4): a user counts as online until a logout, or for 30 s after the last sign of life.

extension AgoraRtmKit {
    /// Queries the online status of users. It queries the attributes of each user, which the simulated server has
    /// exactly while the user is online: at most 40 users in 5 s, together with the queries for attributes.
    public func queryPeersOnlineStatus(_ peerIds: [String], completion: AgoraRtmQueryPeersOnlineBlock? = nil) {
        guard !peerIds.isEmpty, peerIds.allSatisfy(\.isRtmName) else {
            return client.later { completion?(nil, .invalidArgument) }
        }
        var found: [AgoraRtmPeerOnlineStatus] = []
        client.performAll(peerIds.map { .ask(.attributes(user: $0)) }) { index, outcome in
            switch outcome.status {
            case .ok: found.append(AgoraRtmPeerOnlineStatus(peerIds[index], .online))
            case .notFound: found.append(AgoraRtmPeerOnlineStatus(peerIds[index], .offline))
            default: return outcome.status
            }
            return .ok
        } completion: { status in
            let code: AgoraRtmQueryPeersOnlineErrorCode =
                switch status {
                case .ok: .ok
                case .invalidArgument: .invalidArgument
                case .timeout, .connectionFailed, .networkUnavailable: .timeout
                case .rateLimited: .tooOften
                case .notLoggedIn: .notLoggedIn
                default: .failure
                }
            completion?(code == .ok ? found : nil, code)
        }
    }

    /// Subscribes to the online status of users; the current status is reported at once. A subscription outlives a
    /// break and ends with the login. At most 512 users in all; 10 in 5 s, including unsubscriptions (RTM-9).
    public func subscribePeersOnlineStatus(
        _ peerIds: [String], completion: AgoraRtmSubscriptionRequestBlock? = nil
    ) {
        watch(peerIds, isOn: true, completion)
    }

    /// Unsubscribes from the online status of users.
    public func unsubscribePeersOnlineStatus(
        _ peerIds: [String], completion: AgoraRtmSubscriptionRequestBlock? = nil
    ) {
        watch(peerIds, isOn: false, completion)
    }

    private func watch(_ peerIds: [String], isOn: Bool, _ completion: AgoraRtmSubscriptionRequestBlock?) {
        guard !peerIds.isEmpty, peerIds.allSatisfy(\.isRtmName) else {
            return client.later { completion?(.invalidArgument) }
        }
        client.performAll(peerIds.map { .watch(user: $0, isOn: isOn) }) { [client] index, outcome in
            if outcome.status == .ok {
                client.watched.removeAll { $0 == peerIds[index] && !isOn }
                if isOn && !client.watched.contains(peerIds[index]) { client.watched.append(peerIds[index]) }
            }
            return outcome.status
        } completion: { [client] status in
            completion?(client.code(status, of: .watch, otherwise: .failure))
        }
    }

    /// The subscribed users, from this client's own list, without a query.
    public func queryPeers(
        bySubscriptionOption option: AgoraRtmPeerSubscriptionOptions,
        completion: AgoraRtmQueryPeersBySubscriptionOptionBlock? = nil
    ) {
        client.later { [client] in
            if client.isLoggedIn {
                completion?(client.watched, .ok)
            } else {
                completion?(nil, .notLoggedIn)
            }
        }
    }

    /// Queries the member counts of channels, at most 32 at a time. The simulated server sends them only to members.
    /// For a channel that others are in, and this user is not, it ends with `failure`.
    public func getChannelMemberCount(_ channelIds: [String], completion: AgoraRtmChannelMemberCountBlock? = nil) {
        guard !channelIds.isEmpty, channelIds.allSatisfy(\.isRtmName) else {
            return client.later { completion?(nil, .invalidArgument) }
        }
        guard channelIds.count <= 32 else { return client.later { completion?(nil, .exceedLimit) } }
        var counts = channelIds.map { AgoraRtmChannelMemberCount($0, count: 0) }
        var unknown: [Int] = []
        client.performAll(channelIds.map { .ask(.members(channel: $0)) }) { index, outcome in
            guard outcome.status == .notFound else {
                counts[index] = AgoraRtmChannelMemberCount(channelIds[index], count: outcome.rows.count)
                return outcome.status
            }
            unknown.append(index)
            return .ok
        } completion: { [client] status in
            guard status == .ok, !unknown.isEmpty else {
                let code = AgoraRtmChannelMemberCountErrorCode(status)
                completion?(code == .ok ? counts : nil, code)
                return
            }
            // A channel without attributes has no members.
            client.performAll(unknown.map { .ask(.channelAttributes(channel: channelIds[$0])) }) { _, outcome in
                switch outcome.status {
                case .notFound: .ok
                case .ok: .unsupported
                default: outcome.status
                }
            } completion: { status in
                let code = AgoraRtmChannelMemberCountErrorCode(status)
                completion?(code == .ok ? counts : nil, code)
            }
        }
    }
}

extension AgoraRtmChannelMemberCountErrorCode {
    fileprivate init(_ status: Status) {
        switch status {
        case .ok: self = .ok
        case .invalidArgument: self = .invalidArgument
        case .rateLimited: self = .tooOften
        case .timeout, .connectionFailed, .networkUnavailable: self = .timeout
        case .notLoggedIn: self = .notLoggedIn
        default: self = .failure
        }
    }
}

extension RtmClient {
    /// Gives several commands at once. They complete together when all have ended, with the first failure.
    ///
    /// - Parameter each: gets the index of a command and its completion, and returns the status that counts.
    func performAll(
        _ commands: [ClientCommand], each: @escaping (Int, Completion) -> Status,
        completion: @escaping (Status) -> Void
    ) {
        var left = commands.count
        var whole = Status.ok
        for (index, command) in commands.enumerated() {
            perform(command) { outcome in
                let status = each(index, outcome)
                if whole == .ok { whole = status }
                left -= 1
                if left == 0 { completion(whole) }
            }
        }
    }
}
