import IMLocalData
import IMProtocol
import SansIO

// Calls that wait for the server's answer, such as kicks and queries. `ClientCalls` stores them.

extension ClientMachine {
    mutating func kick(
        _ target: KickTarget, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.kick) else { return effects.complete(command, .unsupported) }
        switch target {
        case .device(let id):
            // A device cannot kick itself. The name must not be empty, because an empty id stands for all other
            // devices.
            guard ProtocolLimit.isName(id), id != device.id else { return effects.complete(command, .invalidArgument) }
            sendRequest(.kick(device: id), for: PendingRequest(command: command), at: now, into: &effects)
        case .otherDevices:
            sendRequest(.kick(device: ""), for: PendingRequest(command: command), at: now, into: &effects)
        }
    }

    /// Sends a query to the server.
    mutating func queryServer(
        _ question: Question, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let feature: ClientFeatures
        let family: CallRate.Family
        var request = PendingRequest(command: command)
        switch question {
        case .members(let channel):
            feature = .channels
            family = .memberQueries
            guard ProtocolLimit.isName(channel) else { return effects.complete(command, .invalidArgument) }
            request.membersOf = channel
        case .attributes:
            feature = .attributes
            family = .userAttributeQueries
        case .channelAttributes:
            feature = .attributes
            family = .channelAttributeQueries
        case .users(let names):
            let request = LocalRequest(
                .queryUsersInfo, [("userIDs", names.joined(separator: ",")), ("isQueryFromServer", "true")])
            return call(request, command: command, at: now, into: &effects)
        }
        guard policy.features.contains(feature) else { return effects.complete(command, .unsupported) }
        if openLink != nil, calls.isTooOften(family, common, at: now) {
            return effects.complete(command, .rateLimited)
        }
        sendRequest(.ask(question), for: request, at: now, into: &effects)
    }

    mutating func change(
        _ change: ChangeRecord, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.localCalls) else { return effects.complete(command, .unsupported) }
        guard let user else { return effects.complete(command, .notLoggedIn) }
        let whole = change.filled(user: user) { makeID() }
        guard whole.rejectionReason == nil else { return effects.complete(command, .invalidArgument) }
        sendRequest(.change(whole), for: PendingRequest(command: command), at: now, into: &effects)
    }

    /// How far a call of the app can get now.
    var reach: CallReach {
        if let openLink { return .server(openLink.id) }
        return login == nil ? .nothing : .login
    }

    /// Sends a request over the connection that has accepted the login. Fails the command if there is no such
    /// connection.
    mutating func sendRequest(
        _ body: FrameBody, for request: PendingRequest, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let reach = reach
        guard let connection = reach.connection else { return effects.complete(request.command, reach.refusal) }
        calls.sendRequest(body, for: request, over: connection, &common, at: now, into: &effects)
    }

    mutating func requestTimedOut(_ number: UInt32, at now: Instant, into effects: inout [ClientEffect]) {
        let connection = openLink?.id
        if tree.readTimedOut(number, over: treeLink, into: &effects)
            || subscriptions.snapshotTimedOut(number, over: connection, calls, &common, at: now, into: &effects)
            || syncTimedOut(number, at: now, into: &effects)
            || fetchTimedOut(number, at: now, into: &effects)
        {
            return
        }
        guard let request = calls.end(number, Completion(.timeout), &common, into: &effects) else { return }
        // If the answer is missing, the server may or may not have registered the onDisconnect operation.
        // The client ends the connection: the server runs or drops the operation, and the next connection has none
        // (C-15).
        if !request.path.isEmpty { return linkEnded(.byUs, at: now, into: &effects) }
        subscriptions.requestUnanswered(request, over: connection, calls, &common, at: now, into: &effects)
    }

    /// Fails all requests, because the connection has ended.
    mutating func failRequests(_ status: Status, into effects: inout [ClientEffect]) {
        tree.linkLost(&common, into: &effects)
        subscriptions.linkLost(calls.fail(status, &common, into: &effects), &common)
        if !policy.features.contains(.messageQueue) { messages.fail(status, &common, into: &effects) }
    }

    /// Fails all requests, messages and tree commands that wait, because the login has ended (C-4, C-14).
    mutating func failCalls(_ status: Status, into effects: inout [ClientEffect]) {
        failRequests(status, into: &effects)
        messages.fail(status, &common, into: &effects)
        tree.end(status, into: &effects)
        messages.failed.removeAll()
    }
}
