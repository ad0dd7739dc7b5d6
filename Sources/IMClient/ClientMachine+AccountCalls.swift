import IMProtocol
import SansIO

// Calls with a credential of their own: listing and ending the logins of an account without being logged in (CHAT-6).
// Over a login's link they are requests like any other. Without a login they have a link to themselves, which is still
// the only one (C-2), and end with it.

/// A call from outside a login that is under way over a link of its own.
struct PendingAccountCall: Hashable, Sendable, Codable {
    var command: CommandID
    var call: AccountCall
    /// 0 until it has been sent.
    var number: UInt32 = 0
}

extension ClientMachine {
    mutating func beginAccountCall(
        _ action: AccountCall.Action, user: String, credential: String, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.accountCalls) else { return complete(command, .unsupported, into: &effects) }
        guard ProtocolLimit.isName(user) else { return complete(command, .invalidArgument, into: &effects) }
        let call = AccountCall(
            application: policy.profile, user: user, credential: .reference(credential), action: action)
        switch phase {
        case .online, .attempting(_, .syncing): ask(.accountCall(call), command: command, at: now, into: &effects)
        case .attempting, .waiting, .leaving, .paused: complete(command, .networkUnavailable, into: &effects)
        case .loggedOut, .kicked, .tokenExpired:
            // One at a time: the one before is given up for it.
            endAccountCall(.cancelled, into: &effects)
            let connection = nextConnection
            nextConnection = connection.successor
            link = Link(id: connection)
            accountCall = PendingAccountCall(command: command, call: call)
            timers.set(.accountCall, at: now + policy.attemptTimeLimit)
            effects.append(.connect(connection))
        }
    }

    /// The link for the call is open.
    mutating func accountLinkOpened(_ connection: ConnectionID, into effects: inout [ClientEffect]) {
        guard var pending = accountCall, pending.number == 0 else { return }
        link = Link(id: connection, isOpen: true)
        pending.number = makeRequestNumber()
        accountCall = pending
        effects.append(.send(connection, Frame(request: pending.number, .accountCall(pending.call))))
    }

    mutating func accountCallAnswered(
        _ number: UInt32, _ status: Status, _ devices: [Device], into effects: inout [ClientEffect]
    ) {
        let completion = Completion(
            status,
            rows: devices.map { device in
                // The model stands for a name that nobody set.
                let name = device.name.isEmpty ? device.platform.name : device.name
                return AnswerRow([
                    ("resource", device.id), ("name", name), ("uuid", device.id), ("platform", device.platform.name),
                ])
            })
        if let pending = accountCall, pending.number == number, number != 0 {
            finishAccountCall(pending, completion, into: &effects)
        } else {
            answered(number, completion, into: &effects)
        }
    }

    /// Ends the call from outside, if one is under way, and its link.
    mutating func endAccountCall(_ status: Status, into effects: inout [ClientEffect]) {
        guard let pending = accountCall else { return }
        finishAccountCall(pending, Completion(status), into: &effects)
    }

    private mutating func finishAccountCall(
        _ pending: PendingAccountCall, _ completion: Completion, into effects: inout [ClientEffect]
    ) {
        accountCall = nil
        timers.cancel(.accountCall)
        if let link { effects.append(.closeLink(link.id)) }
        link = nil
        effects.append(.complete(pending.command, completion))
    }
}
