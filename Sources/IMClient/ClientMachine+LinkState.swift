import SansIO

// The state of the connection, for SDKs that report it to the app. The state is computed from the client's phase. Only
// the last reported state is stored, because a report contains the state before the change.

extension ClientMachine {
    /// Reports the change of the connection's state after a change of the client's phase. One change of phase can
    /// report two states.
    ///
    /// - Parameter wasEstablished: true if the server had accepted the login before the change of phase.
    mutating func reportLinkState(
        because reason: StateReason, wasEstablished: Bool, into effects: inout [ClientEffect]
    ) {
        guard let scope = policy.linkScope else { return }
        let next = linkState(in: scope, because: reason)
        var before = linkState ?? .idle
        var states = [next]
        // The vendors' SDKs report that a connection is lost, or could not be made, before they report the next attempt
        // or the wait for it.
        if before == .connected && (next == .connecting || next == .waiting)
            || before == .connecting && next == .waiting
        {
            states.insert(.disconnected, at: 0)
        }
        for state in states where state != before {
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

    /// Suspends the client after a long outage: from now on the delay between attempts is that of `Suspension`. An
    /// attempt that is in progress continues (RTM-10).
    mutating func suspend(at now: Instant, into effects: inout [ClientEffect]) {
        changeLogin { $0.isSuspended = true }
        if case .waiting(let login) = phase { wait(login, because: .interrupted, at: now, into: &effects) }
    }
}
