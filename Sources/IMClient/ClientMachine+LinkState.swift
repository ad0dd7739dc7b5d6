import SansIO

// The state of the connection, for SDKs that report it. It follows from the phase; only its last value is stored, for
// the state before.

extension ClientMachine {
    /// Reports the states that the connection has passed through with a change of the phase.
    ///
    /// - Parameter wasEstablished: true if the server had accepted the login before the change.
    mutating func reportLinkState(
        because reason: StateReason, wasEstablished: Bool, into effects: inout [ClientEffect]
    ) {
        guard let scope = policy.linkScope else { return }
        let next = linkState(in: scope, because: reason)
        var before = linkState ?? .idle
        var passed = [next]
        // A connection that was lost, or could not be made, is disconnected before anything else follows.
        if before == .connected && (next == .connecting || next == .waiting)
            || before == .connecting && next == .waiting
        {
            passed.insert(.disconnected, at: 0)
        }
        for state in passed where state != before {
            let isAffected = state == .disconnected || state == .connected
            let change = LinkChange(
                from: before, to: state, reason: reason, isOfReconnect: wasEstablished,
                channels: isAffected && wasEstablished ? subscriptions.channels : [])
            effects.append(.notify(.linkChanged(change)))
            before = state
        }
        linkState = before
    }

    private func linkState(in scope: LinkScope, because reason: StateReason) -> LinkState {
        switch (scope, phase.kind) {
        case (_, .linking): .connecting
        case (.connection, .authenticating): .connected
        case (.login, .authenticating): .connecting
        case (_, .syncing), (_, .online), (_, .leaving): .connected
        case (.connection, .waiting): .waiting
        case (.login, .waiting): login?.isSuspended == true ? .suspended : .disconnected
        case (.login, .loggedOut): reason == .logout ? .idle : .failed
        case (.login, .kicked), (.login, .tokenExpired): .failed
        case (.connection, .loggedOut), (.connection, .kicked), (.connection, .tokenExpired), (_, .paused):
            .disconnected
        }
    }

    /// The outage has lasted for long: from now on there is an attempt only now and then (RTM-10). A current attempt
    /// continues.
    mutating func suspend(at now: Instant, into effects: inout [ClientEffect]) {
        changeLogin { $0.isSuspended = true }
        if case .waiting(let login) = phase { wait(login, because: .interrupted, at: now, into: &effects) }
    }
}
