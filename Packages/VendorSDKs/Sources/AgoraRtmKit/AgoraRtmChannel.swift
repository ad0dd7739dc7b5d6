import Foundation
import IMClient
import IMProfiles
import IMProtocol

// All of it lives on the job thread of virtual time, so it is Sendable.

/// A channel of an ``AgoraRtmKit``. Joined channels are joined again after a break (RTM-4); a logout leaves them.
public final class AgoraRtmChannel: NSObject, @unchecked Sendable {
    /// Receives events of the channel. Weak.
    public weak var channelDelegate: (any AgoraRtmChannelDelegate)?
    private weak var owner: AgoraRtmKit?
    private let client: RtmClient
    private let name: String
    private var isDestroyed = false
    /// The members, from this client's notifications. Nil while it has not joined.
    private var members: [String]?

    init(_ name: String, of kit: AgoraRtmKit, delegate: (any AgoraRtmChannelDelegate)?) {
        self.name = name
        owner = kit
        client = kit.client
        channelDelegate = delegate
    }

    /// The instance that made it, which must still exist.
    public var kit: AgoraRtmKit {
        guard let owner else { preconditionFailure("the AgoraRtmKit of channel '\(name)' is gone") }
        return owner
    }

    /// Joins the channel (RTM-9): at most 20 channels at a time, 50 joins in 3 s and 2 of one channel in 5 s.
    public func join(completion: AgoraRtmJoinChannelBlock? = nil) {
        guard !isDestroyed else { return client.later { completion?(.channelErrorNotInitialized) } }
        client.perform(.join(channel: name)) { [client, weak self] outcome in
            completion?(client.code(outcome.status, of: .join, otherwise: .channelErrorFailure))
            if outcome.status == .ok { self?.joined(outcome.rows.values(of: "member")) }
        }
    }

    /// Leaves it.
    public func leave(completion: AgoraRtmLeaveChannelBlock? = nil) {
        guard !isDestroyed else { return client.later { completion?(.notInitialized) } }
        client.perform(.leave(channel: name)) { [client, weak self] outcome in
            if outcome.status == .ok { self?.members = nil }
            completion?(client.code(outcome.status, of: .leave, otherwise: .failure))
        }
    }

    /// Sends a message to all other members; given up after 10 s (RTM-8).
    public func send(_ message: AgoraRtmMessage, completion: AgoraRtmSendChannelMessageBlock? = nil) {
        send(message, sendMessageOptions: AgoraRtmSendMessageOptions(), completion: completion)
    }

    /// Like `send(_:completion:)`, with options, which have no effect here.
    public func send(
        _ message: AgoraRtmMessage, sendMessageOptions options: AgoraRtmSendMessageOptions,
        completion: AgoraRtmSendChannelMessageBlock? = nil
    ) {
        guard !isDestroyed else { return client.later { completion?(.errorNotInitialized) } }
        guard message.type == .text else { return client.later { completion?(.invalidMessage) } }
        client.perform(.send(to: name, text: message.text, isToChannel: true)) { [client] outcome in
            completion?(client.code(outcome.status, of: .channelSend, otherwise: .errorFailure))
        }
    }

    /// Queries the members, including the user; at most 5 in 2 s (RTM-9).
    public func getMembersWithCompletion(_ completion: AgoraRtmGetMembersBlock? = nil) {
        guard !isDestroyed else { return client.later { completion?(nil, .notInitialized) } }
        client.perform(.ask(.members(channel: name))) { [client, name] outcome in
            let code: AgoraRtmGetMembersErrorCode = client.code(outcome.status, of: .memberQuery, otherwise: .failure)
            let members = outcome.rows.values(of: "member").map { AgoraRtmMember($0, in: name) }
            completion?(code == .ok ? members : nil, code)
        }
    }

    // MARK: Events

    func received(_ message: AgoraRtmMessage, from user: String) {
        channelDelegate?.channel(self, messageReceived: message, from: AgoraRtmMember(user, in: name))
    }

    func memberJoined(_ user: String) {
        channelDelegate?.channel(self, memberJoined: AgoraRtmMember(user, in: name))
        guard let known = members, !known.contains(user) else { return }
        notifyCount(of: known + [user])
    }

    func memberLeft(_ user: String) {
        channelDelegate?.channel(self, memberLeft: AgoraRtmMember(user, in: name))
        guard let known = members, known.contains(user) else { return }
        notifyCount(of: known.filter { $0 != user })
    }

    private func joined(_ users: [String]) { notifyCount(of: users) }

    private func notifyCount(of users: [String]) {
        members = users
        channelDelegate?.channel(self, memberCount: Int32(clamping: users.count))
    }

    func destroy() {
        isDestroyed = true
        channelDelegate = nil
        if members != nil { client.perform(.leave(channel: name)) { _ in } }
        members = nil
    }
}

extension [AnswerRow] {
    /// The values of the rows' fields with a name.
    func values(of name: String) -> [String] {
        flatMap(\.fields).filter { $0.name == name }.map(\.value)
    }
}
