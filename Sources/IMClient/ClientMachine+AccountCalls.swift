import IMProtocol
import SansIO

// Calls with a credential of their own: listing and ending the logins of an account without being logged in (CHAT-6).
// Over a login's link they are requests like any other. Without a login they have a link to themselves, which is still
// the only one (C-2), and end with it.

/// A call from outside a login that is under way over a link of its own. Only a phase without a login can have one.
struct OutsideCall: Hashable, Sendable {
    var link: ClientMachine.Link
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
        case .online, .attempting(_, _, .syncing):
            ask(.accountCall(call), for: PendingRequest(command: command), at: now, into: &effects)
        case .attempting, .waiting, .leaving, .paused: complete(command, .networkUnavailable, into: &effects)
        case .loggedOut, .kicked, .tokenExpired:
            // One at a time: the one before is given up for it.
            endAccountCall(.cancelled, into: &effects)
            let connection = makeConnection()
            changeCall(to: OutsideCall(link: Link(id: connection), command: command, call: call))
            timers.set(.accountCall, at: now + policy.attemptTimeLimit)
            effects.append(.connect(connection))
        }
    }

    /// The link for the call is open.
    mutating func accountLinkOpened(_ connection: ConnectionID, into effects: inout [ClientEffect]) {
        guard var pending = phase.outsideCall, pending.number == 0 else { return }
        pending.link = Link(id: connection, isOpen: true)
        pending.number = makeRequestNumber()
        changeCall(to: pending)
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
        if let pending = phase.outsideCall, pending.number == number, number != 0 {
            finish(pending, completion, .byUs, into: &effects)
        } else {
            answered(number, completion, into: &effects)
        }
    }

    /// Ends the call from outside, if one is under way, and its link.
    mutating func endAccountCall(_ status: Status, _ end: LinkEnd = .byUs, into effects: inout [ClientEffect]) {
        guard let pending = phase.outsideCall else { return }
        finish(pending, Completion(status), end, into: &effects)
    }

    /// The call's link hangs on a network that is no longer there: it is begun anew on this one (C-9).
    mutating func connectCallAnew(into effects: inout [ClientEffect]) {
        guard var pending = phase.outsideCall, pending.number == 0 else { return }
        effects.append(.closeLink(pending.link.id))
        pending.link = Link(id: makeConnection())
        changeCall(to: pending)
        effects.append(.connect(pending.link.id))
    }

    private mutating func finish(
        _ call: OutsideCall, _ completion: Completion, _ end: LinkEnd, into effects: inout [ClientEffect]
    ) {
        changeCall(to: nil)
        timers.cancel(.accountCall)
        if end == .byUs { effects.append(.closeLink(call.link.id)) }
        effects.append(.complete(call.command, completion))
    }
}
