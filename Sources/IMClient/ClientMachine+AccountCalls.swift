import IMProtocol
import SansIO

// Admin calls list or end the logins of an account with the account's credential (CHAT-6). During a login, an admin
// call is a request over the login's connection. Without a login, the client opens a connection for the call and closes
// it afterwards. So a client never has two connections (C-2).

/// An admin call over a connection of its own. Only a phase without a login can have such a call.
struct AdminCall: Hashable, Sendable {
    var link: ClientMachine.Link
    var command: CommandID
    var call: AccountCall
    /// The number of the request; 0 until the request is sent.
    var number: UInt32 = 0
}

extension ClientMachine {
    mutating func startAccountCall(
        _ action: AccountCall.Action, user: String, credential: String, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.accountCalls) else { return effects.complete(command, .unsupported) }
        guard ProtocolLimit.isName(user) else { return effects.complete(command, .invalidArgument) }
        let call = AccountCall(
            application: policy.profile, user: user, credential: .reference(credential), action: action)
        switch phase {
        case .online, .attempting(_, _, .syncing):
            sendRequest(.accountCall(call), for: PendingRequest(command: command), at: now, into: &effects)
        case .attempting, .waiting, .leaving, .paused: effects.complete(command, .networkUnavailable)
        case .loggedOut, .kicked, .tokenExpired:
            // There is at most one connection (C-2), so a new call cancels the current one.
            endAccountCall(.cancelled, into: &effects)
            let connection = makeConnection()
            changeCall(to: AdminCall(link: Link(id: connection), command: command, call: call))
            timers.set(.accountCall, at: now + policy.attemptTimeLimit)
            effects.append(.connect(connection))
        }
    }

    /// Sends the admin call when its connection is open.
    mutating func accountLinkOpened(_ connection: ConnectionID, into effects: inout [ClientEffect]) {
        guard var pending = phase.adminCall, pending.number == 0 else { return }
        pending.link = Link(id: connection, isOpen: true)
        pending.number = common.makeRequestNumber()
        changeCall(to: pending)
        effects.append(.send(connection, Frame(request: pending.number, .accountCall(pending.call))))
    }

    mutating func accountCallAnswered(
        _ number: UInt32, _ status: Status, _ devices: [Device], into effects: inout [ClientEffect]
    ) {
        let completion = Completion(
            status,
            rows: devices.map { device in
                // The vendor lists a device without a name by its model. The model is not known here, so the platform
                // is used.
                let name = device.name.isEmpty ? device.platform.name : device.name
                return AnswerRow([
                    ("resource", device.id), ("name", name), ("uuid", device.id), ("platform", device.platform.name),
                ])
            })
        if let pending = phase.adminCall, pending.number == number, number != 0 {
            finish(pending, completion, .byUs, into: &effects)
        } else {
            calls.end(number, completion, &common, into: &effects)
        }
    }

    /// Completes the admin call with a status and closes its connection. Does nothing if there is no admin call.
    mutating func endAccountCall(_ status: Status, _ end: LinkEndCause = .byUs, into effects: inout [ClientEffect]) {
        guard let pending = phase.adminCall else { return }
        finish(pending, Completion(status), end, into: &effects)
    }

    /// Starts the connection of the admin call again after the device's network has changed. The old attempt would wait
    /// for an answer from the old network until its time limit (C-9).
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
