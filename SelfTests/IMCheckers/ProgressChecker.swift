import IMSimulation

/// No client is stuck (P4). In every state that is not final, a frame is in flight or a timer is set. On a working
/// network, every client is online or in a final state within the recovery time limit.
enum ProgressChecker {
    /// A violation if a connecting client has no timer. The method can be called at any time.
    static func stuck(_ id: NodeID, _ trace: ClientTrace, in core: WorldCore) -> Violation? {
        guard trace.isRunning, core.alarm(of: id) == nil, !core.isAsleep(id) else { return nil }
        switch trace.state {
        case .connecting, .syncing, .reconnecting:
            guard !core.isLoginTokenExpired(of: id) else { return nil }
            return Violation(.progress, "P4", "\(trace.state.name), but no timer is set")
        case .online, .offline, .loggedOut, .kicked, .tokenExpired: return nil
        }
    }

    /// A violation if the client is not online although its network has worked for the recovery time limit.
    static func overdue(_ id: NodeID, _ trace: ClientTrace, in core: WorldCore) -> Violation? {
        guard trace.isRunning, !trace.isSwitchedOff, !trace.isReplaced else { return nil }
        switch trace.state {
        case .online, .loggedOut, .kicked, .tokenExpired: return nil
        // Without a timer, the app has switched the client offline.
        case .offline where core.alarm(of: id) == nil: return nil
        case .offline, .connecting, .syncing, .reconnecting:
            // The client waits until the app renews the expired token (RTM-5).
            guard !core.isLoginTokenExpired(of: id) else { return nil }
            // Under this policy the client retries after a refusal until the app logs out (RTM-5).
            if trace.isRefused, core.clientMachine(of: id)?.policy.refusalEndsLogin == false { return nil }
            return Violation(.progress, "P4", "still \(trace.state.name) although the network works")
        }
    }
}

/// After all clients have logged out, they have no connections, timers or messages left (C-4).
enum LeftoverChecker {
    static func violations(_ world: SimulatedWorld, _ clients: [NodeID]) -> [Violation] {
        var violations: [Violation] = []
        let core = world.core
        for id in clients {
            guard core.state(of: id) == .loggedOut, let machine = core.clientMachine(of: id) else { continue }
            if machine.connection != nil { violations.append(violation("a connection is left", machine.device.id)) }
            if machine.timerCount > 0 { violations.append(violation("a timer is left", "\(machine.timerCount)")) }
            if machine.messagesWaiting > 0 {
                violations.append(violation("a message is left in the queue", machine.device.id))
            }
            if machine.requestsWaiting > 0 { violations.append(violation("a call is left", machine.device.id)) }
            if !machine.joinedChannels.isEmpty { violations.append(violation("a channel is left", machine.device.id)) }
        }
        guard let server = core.serverMachine else { return violations }
        let devices = Set(clients.filter { core.state(of: $0) != nil }.compactMap { core.deviceID(of: $0) })
        for view in server.deviceViews where devices.contains(view.device.id) {
            if view.isPresent { violations.append(violation("a user is still present", view.user)) }
            if view.connection != nil { violations.append(violation("a connection is left", view.user)) }
            if !view.channels.isEmpty { violations.append(violation("a member of a channel is left", view.user)) }
        }
        for (channel, members) in server.channelMembers where !members.isEmpty {
            violations.append(violation("a channel has members", channel))
        }
        return violations
    }

    private static func violation(_ kind: String, _ detail: String) -> Violation {
        Violation(.leftovers, "C-4", "\(kind) after all have logged out", detail)
    }
}
