import IMProtocol
import SansIO

// Admin calls with their own credential: listing and ending the logins of an account without a login (CHAT-6). During a
// login they are requests like any other. Without a login they have their own connection, which is still the only one
// (C-2), and it ends with them.

/// An admin call over its own connection. Only a phase without a login can have one.
struct AdminCall: Hashable, Sendable {
    var link: ClientMachine.Link
    var command: CommandID
    var call: AccountCall
    /// 0 until it has been sent.
    var number: UInt32 = 0
}

extension ClientMachine {
    mutating func startAccountCall(
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
            // One at a time: an earlier call is cancelled.
            endAccountCall(.cancelled, into: &effects)
            let connection = makeConnection()
            changeCall(to: AdminCall(link: Link(id: connection), command: command, call: call))
            timers.set(.accountCall, at: now + policy.attemptTimeLimit)
            effects.append(.connect(connection))
        }
    }

    /// The connection for the call is open.
    mutating func accountLinkOpened(_ connection: ConnectionID, into effects: inout [ClientEffect]) {
        guard var pending = phase.adminCall, pending.number == 0 else { return }
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
                // A device without a name is listed by its model.
                let name = device.name.isEmpty ? device.platform.name : device.name
                return AnswerRow([
                    ("resource", device.id), ("name", name), ("uuid", device.id), ("platform", device.platform.name),
                ])
            })
        if let pending = phase.adminCall, pending.number == number, number != 0 {
            finish(pending, completion, .byUs, into: &effects)
        } else {
            completeRequest(number, completion, into: &effects)
        }
    }

    /// Ends the admin call, if there is one, and its connection.
    mutating func endAccountCall(_ status: Status, _ end: LinkEndCause = .byUs, into effects: inout [ClientEffect]) {
        guard let pending = phase.adminCall else { return }
        finish(pending, Completion(status), end, into: &effects)
    }

    /// Opens the connection of the call again, because the old attempt hangs on a network that is gone (C-9).
    mutating func reconnectCall(into effects: inout [ClientEffect]) {
        guard var pending = phase.adminCall, pending.number == 0 else { return }
        effects.append(.closeLink(pending.link.id))
        pending.link = Link(id: makeConnection())
        changeCall(to: pending)
        effects.append(.connect(pending.link.id))
    }

    private mutating func finish(
        _ call: AdminCall, _ completion: Completion, _ end: LinkEndCause, into effects: inout [ClientEffect]
    ) {
        changeCall(to: nil)
        timers.cancel(.accountCall)
        if end == .byUs { effects.append(.closeLink(call.link.id)) }
        effects.append(.complete(call.command, completion))
    }
}
