import IMProtocol
import SansIO

// Attributes of users and channels, questions about them, and the presence of other users.

extension ClientMachine {
    mutating func setAttributes(
        _ fields: [AnswerField], channel: String, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.attributes) else { return complete(command, .unsupported, into: &effects) }
        if let refusal = policy.attributeBounds(ofChannel: !channel.isEmpty).refusal(of: fields) {
            return complete(command, refusal, into: &effects)
        }
        if !channel.isEmpty && !channels.contains(channel) { return complete(command, .notFound, into: &effects) }
        if openLink != nil, calls.isTooOften(channel.isEmpty ? .userAttributes : .channelAttributes, common, at: now) {
            return complete(command, .rateLimited, into: &effects)
        }
        let request = PendingRequest(
            command: command, attributes: channel.isEmpty ? fields : nil, isKept: channel.isEmpty)
        ask(.setAttributes(channel: channel, fields), for: request, at: now, into: &effects)
    }

    /// What the server has taken is what it gets again when it has forgotten it (RTM-4).
    mutating func setAttributesAnswered(_ number: UInt32, _ status: Status, into effects: inout [ClientEffect]) {
        let request = calls.end(number, Completion(status), &common, into: &effects)
        if status == .ok, let fields = request?.attributes { attributes = fields }
    }

    mutating func ask(
        _ question: Question, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let feature: ClientFeatures
        let family: CallRate.Family
        switch question {
        case .members(let channel):
            feature = .channels
            family = .memberQuestions
            guard ProtocolLimit.isName(channel) else { return complete(command, .invalidArgument, into: &effects) }
        case .attributes:
            feature = .attributes
            family = .userAttributeQuestions
        case .channelAttributes:
            feature = .attributes
            family = .channelAttributeQuestions
        }
        guard policy.features.contains(feature) else { return complete(command, .unsupported, into: &effects) }
        if openLink != nil, calls.isTooOften(family, common, at: now) {
            return complete(command, .rateLimited, into: &effects)
        }
        ask(.ask(question), for: PendingRequest(command: command), at: now, into: &effects)
    }

    /// Watching is the login's: it is restored after a reconnect and gone after a logout.
    mutating func watch(
        _ user: String, isOn: Bool, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.presence) else { return complete(command, .unsupported, into: &effects) }
        guard ProtocolLimit.isName(user) else { return complete(command, .invalidArgument, into: &effects) }
        guard openLink != nil else {
            return complete(command, reach.refusal, into: &effects)
        }
        let isNew = isOn && !watched.contains { $0.user == user }
        guard !isNew || watched.count < policy.watchedCountMax else {
            return complete(command, .limitExceeded, into: &effects)
        }
        guard !calls.isTooOften(.watches, common, at: now) else {
            return complete(command, .rateLimited, into: &effects)
        }
        // Asking twice is no mistake, and is told once.
        if isNew { watched.append(Watched(user: user)) }
        if !isOn { watched.removeAll { $0.user == user } }
        let request = PendingRequest(command: command, newWatch: isNew ? user : nil, isKept: true)
        ask(.watch(user: user, isOn: isOn), for: request, at: now, into: &effects)
    }
}
