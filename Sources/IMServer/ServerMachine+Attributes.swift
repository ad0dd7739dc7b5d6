import IMLocalData
import IMProtocol
import OrderedCollections
import SansIO

// Attributes of users and channels, and answers to queries. A user's attributes exist as long as the user is online.

extension ServerMachine {
    mutating func setAttributes(_ fields: [AnswerField], channel: String, user: String, device: String) -> Status {
        if let refusal = policy.attributeLimits(ofChannel: !channel.isEmpty).refusal(of: fields) { return refusal }
        if channel.isEmpty {
            accounts[user]?.attributes = fields
            return .ok
        }
        guard isMember(user, device: device, of: channel) else { return .notFound }
        channels[channel]?.attributes = fields
        return .ok
    }

    mutating func answer(
        _ question: Question, of user: String, request: UInt32, at now: Instant, into effects: inout [ServerEffect]
    ) -> [Frame] {
        // The profiles that a device queries are also added to the data of all devices of its user.
        if case .users(let names) = question {
            addProfiles(
                Array(names.prefix(LocalCall.identifiersMax)), to: user, addsUnset: true, at: now, into: &effects)
        }
        let (status, rows) = answer(question, of: user)
        return FramePages.frames(request: request, FramePages.split(rows).map { .answer(status, $0) })
    }

    private func answer(_ question: Question, of user: String) -> (Status, [AnswerRow]) {
        switch question {
        case .members(let channel):
            guard let members = channels[channel]?.members, members[user] != nil else { return (.notFound, []) }
            return (.ok, members.keys.map { AnswerRow([("member", $0)]) })
        case .attributes(let name):
            // An offline user has no attributes (RTM-4).
            let requested = name.isEmpty ? user : name
            guard isOnline(requested), let fields = accounts[requested]?.attributes else { return (.notFound, []) }
            return (.ok, fields.isEmpty ? [] : [AnswerRow(fields: fields)])
        case .channelAttributes(let channel):
            guard let fields = channels[channel]?.attributes else { return (.notFound, []) }
            return (.ok, fields.isEmpty ? [] : [AnswerRow(fields: fields)])
        case .users(let names): return rows(ofUsers: names, for: user)
        }
    }
}
