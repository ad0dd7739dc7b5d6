import IMProtocol
import SansIO

// Attributes of users and channels, questions about them, and the presence of other users.

extension ClientMachine {
    /// Attributes of one user or channel.
    static let attributeCountMax = 32
    /// Users whose presence one client may watch; the vendor's number.
    static let watchedCountMax = 512

    mutating func setAttributes(
        _ fields: [AnswerField], channel: String, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.attributes) else { return complete(command, .unsupported, into: &effects) }
        guard fields.count <= ClientMachine.attributeCountMax,
            fields.allSatisfy({
                ProtocolLimit.isName($0.name)
                    && ProtocolLimit.isText($0.value, bytesMax: ProtocolLimit.extensionBytesMax)
            })
        else { return complete(command, .invalidArgument, into: &effects) }
        if !channel.isEmpty && !channels.contains(channel) { return complete(command, .notFound, into: &effects) }
        ask(
            .setAttributes(channel: channel, fields), attributes: channel.isEmpty ? fields : nil, command: command,
            at: now, into: &effects)
    }

    /// What the server has taken is what it gets again when it has forgotten it (RTM-4).
    mutating func setAttributesAnswered(_ number: UInt32, _ status: Status, into effects: inout [ClientEffect]) {
        if status == .ok, let fields = requests.first(where: { $0.number == number })?.attributes {
            attributes = fields
        }
        answered(number, Completion(status), into: &effects)
    }

    mutating func ask(
        _ question: Question, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let feature: ClientFeatures
        switch question {
        case .members(let channel):
            feature = .channels
            guard ProtocolLimit.isName(channel) else { return complete(command, .invalidArgument, into: &effects) }
        case .attributes, .channelAttributes: feature = .attributes
        }
        guard policy.features.contains(feature) else { return complete(command, .unsupported, into: &effects) }
        ask(.ask(question), command: command, at: now, into: &effects)
    }

    /// Watching is the login's: it is restored after a reconnect and gone after a logout.
    mutating func watch(
        _ user: String, isOn: Bool, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.presence) else { return complete(command, .unsupported, into: &effects) }
        guard ProtocolLimit.isName(user) else { return complete(command, .invalidArgument, into: &effects) }
        guard openLink != nil else {
            return complete(command, login == nil ? .notLoggedIn : .networkUnavailable, into: &effects)
        }
        if isOn {
            guard watched.contains(user) || watched.count < ClientMachine.watchedCountMax else {
                return complete(command, .limitExceeded, into: &effects)
            }
            // Asking twice is no mistake, and is told once.
            if !watched.contains(user) { watched.append(user) }
        } else {
            watched.removeAll { $0 == user }
        }
        ask(.watch(user: user, isOn: isOn), command: command, at: now, into: &effects)
    }
}
