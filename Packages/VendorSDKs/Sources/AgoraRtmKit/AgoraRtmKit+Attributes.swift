import IMClient
import IMProfiles
import IMProtocol

// Attributes of users and channels. A user's exist as long as the user is online (RTM-4): they outlive a break, and a
// logout ends them. The machines have only complete sets; adding and deleting reads first, one call after the other.

extension AgoraRtmKit {
    /// Replaces the user's own attributes. At most 10 changes in 5 s (RTM-9).
    public func setLocalUserAttributes(
        _ attributes: [AgoraRtmAttribute]?, completion: AgoraRtmSetLocalUserAttributesBlock? = nil
    ) {
        let fields = (attributes ?? []).map(\.field)
        client.changeOwnAttributes({ _ in fields }, completion)
    }

    /// Sets some of the user's own attributes.
    public func addOrUpdateLocalUserAttributes(
        _ attributes: [AgoraRtmAttribute]?, completion: AgoraRtmAddOrUpdateLocalUserAttributesBlock? = nil
    ) {
        let fields = (attributes ?? []).map(\.field)
        client.changeOwnAttributes({ $0.updated(by: fields) }, completion)
    }

    /// Deletes some of the user's own attributes.
    public func deleteLocalUserAttributes(
        byKeys attributeKeys: [String]?, completion: AgoraRtmDeleteLocalUserAttributesBlock? = nil
    ) {
        let keys = attributeKeys ?? []
        client.changeOwnAttributes({ $0.filter { !keys.contains($0.name) } }, completion)
    }

    /// Deletes all of the user's own attributes.
    public func clearLocalUserAttributes(completion: AgoraRtmClearLocalUserAttributesBlock? = nil) {
        client.changeOwnAttributes({ _ in [] }, completion)
    }

    /// Queries the attributes of an online user; at most 40 queries in 5 s (RTM-9).
    public func getUserAllAttributes(_ userId: String, completion: AgoraRtmGetUserAttributesBlock? = nil) {
        getUserAttributes(userId, byKeys: nil, completion: completion)
    }

    /// Like `getUserAllAttributes(_:completion:)`, for some attributes; nil for all.
    public func getUserAttributes(
        _ userId: String, byKeys attributeKeys: [String]?, completion: AgoraRtmGetUserAttributesBlock? = nil
    ) {
        guard userId.isRtmName else {
            return client.later { completion?(nil, userId, .attributeOperationErrorInvalidArgument) }
        }
        client.perform(.ask(.attributes(user: userId))) { [client] outcome in
            let code: AgoraRtmProcessAttributeErrorCode = client.code(
                outcome.status, of: .attributeQuery, otherwise: .attributeOperationErrorFailure)
            let fields = outcome.rows.flatMap(\.fields).filter { attributeKeys?.contains($0.name) ?? true }
            completion?(outcome.status == .ok ? fields.map { AgoraRtmAttribute($0) } : nil, userId, code)
        }
    }

    // MARK: Channels

    /// Replaces the attributes of a channel that the user is in. At most 10 changes in 5 s (RTM-9).
    public func setChannel(
        _ channelId: String, attributes: [AgoraRtmChannelAttribute]?, options: AgoraRtmChannelAttributeOptions,
        completion: AgoraRtmSetChannelAttributesBlock? = nil
    ) {
        let fields = (attributes ?? []).map(\.field)
        client.changeAttributes(of: channelId, reads: false, { _ in fields }, completion)
    }

    /// Sets some attributes. Changes that others make between its reading and its writing are lost.
    public func addOrUpdateChannel(
        _ channelId: String, attributes: [AgoraRtmChannelAttribute]?, options: AgoraRtmChannelAttributeOptions,
        completion: AgoraRtmAddOrUpdateChannelAttributesBlock? = nil
    ) {
        let fields = (attributes ?? []).map(\.field)
        client.changeAttributes(of: channelId, reads: true, { $0.updated(by: fields) }, completion)
    }

    /// Deletes some attributes. Changes that others make between its reading and its writing are lost.
    public func deleteChannel(
        _ channelId: String, attributesByKeys attributeKeys: [String]?, options: AgoraRtmChannelAttributeOptions,
        completion: AgoraRtmDeleteChannelAttributesBlock? = nil
    ) {
        let keys = attributeKeys ?? []
        client.changeAttributes(of: channelId, reads: true, { $0.filter { !keys.contains($0.name) } }, completion)
    }

    /// Deletes all attributes.
    public func clearChannel(
        _ channelId: String, options: AgoraRtmChannelAttributeOptions,
        attributesWithCompletion completion: AgoraRtmClearChannelAttributesBlock? = nil
    ) {
        client.changeAttributes(of: channelId, reads: false, { _ in [] }, completion)
    }

    /// Queries the attributes of a channel that has members; at most 10 queries in 5 s (RTM-9).
    public func getChannelAllAttributes(
        _ channelId: String, completion: AgoraRtmGetChannelAttributesBlock? = nil
    ) {
        getChannelAttributes(channelId, byKeys: nil, completion: completion)
    }

    /// Like `getChannelAllAttributes(_:completion:)`, for some attributes; nil for all.
    public func getChannelAttributes(
        _ channelId: String, byKeys attributeKeys: [String]?, completion: AgoraRtmGetChannelAttributesBlock? = nil
    ) {
        guard channelId.isRtmName else {
            return client.later { completion?(nil, .attributeOperationErrorInvalidArgument) }
        }
        client.perform(.ask(.channelAttributes(channel: channelId))) { [client] outcome in
            let code: AgoraRtmProcessAttributeErrorCode = client.code(
                outcome.status, of: .attributeQuery, otherwise: .attributeOperationErrorFailure)
            let fields = outcome.rows.flatMap(\.fields).filter { attributeKeys?.contains($0.name) ?? true }
            completion?(outcome.status == .ok ? fields.map { AgoraRtmChannelAttribute($0) } : nil, code)
        }
    }
}

extension RtmClient {
    /// Computes a new set of the user's own attributes from the old one.
    func changeOwnAttributes(
        _ change: @escaping ([AnswerField]) -> [AnswerField],
        _ completion: ((AgoraRtmProcessAttributeErrorCode) -> Void)?
    ) {
        inTurn { client in
            let fields = change(client.ownAttributes)
            client.perform(.setAttributes(channel: "", fields)) { outcome in
                if outcome.status == .ok { client.ownAttributes = fields }
                client.finish(outcome.status, completion)
            }
        }
    }

    /// Computes a new set of a channel's attributes, from the old one if that is read.
    func changeAttributes(
        of channel: String, reads: Bool, _ change: @escaping ([AnswerField]) -> [AnswerField],
        _ completion: ((AgoraRtmProcessAttributeErrorCode) -> Void)?
    ) {
        guard channel.isRtmName else { return later { completion?(.attributeOperationErrorInvalidArgument) } }
        inTurn { client in
            let write = { (old: [AnswerField]) in
                client.perform(.setAttributes(channel: channel, change(old))) { client.finish($0.status, completion) }
            }
            guard reads else { return write([]) }
            client.perform(.ask(.channelAttributes(channel: channel))) { outcome in
                guard outcome.status == .ok else { return client.finish(outcome.status, completion) }
                write(outcome.rows.flatMap(\.fields))
            }
        }
    }

    private func inTurn(_ call: @escaping (RtmClient) -> Void) {
        attributeCalls.append(call)
        if attributeCalls.count == 1 { call(self) }
    }

    private func finish(_ status: Status, _ completion: ((AgoraRtmProcessAttributeErrorCode) -> Void)?) {
        attributeCalls.removeFirst()
        attributeCalls.first?(self)
        completion?(code(status, of: .attributes, otherwise: .attributeOperationErrorFailure))
    }
}

extension [AnswerField] {
    /// Replaces the values of existing names, and appends new names.
    fileprivate func updated(by fields: [AnswerField]) -> [AnswerField] {
        var updated = self
        for field in fields {
            if let index = updated.firstIndex(where: { $0.name == field.name }) {
                updated[index] = field
            } else {
                updated.append(field)
            }
        }
        return updated
    }
}
