import IMServer
import IMSimulation
import SansIO

// The checks at quiescence.

extension CheckerSet {
    /// Compares the state of the server with the state of every client that has been stable for long enough. A client
    /// on a working network must be online or in a final state after the recovery time limit. After all clients have
    /// logged out, no connection, timer or data may be left. Call the method between two events.
    public func checkAtQuiescence(at world: SimulatedWorld) {
        let core = world.core
        guard self.violations.isEmpty, core.isServerRunning else { return }
        // The server's state is copied only if at least one client can be compared with it.
        var server: ServerMachine?
        let serverStableFor = core.now - serverStableSince
        let stableTimes = core.clients.map { (id: $0, stableFor: min(stableFor(of: $0, world), serverStableFor)) }
        let lastDisturbance = clients.compactMap { $0?.trace.stableSince }.max() ?? .zero
        // True if no dead connection is left, and no client can soon do something that other clients would observe.
        let areAllStable =
            stableTimes.allSatisfy { $0.stableFor >= recoveryLimit && !isHidden($0.id) }
            // `lastDisturbance` includes clients that are closed.
            && core.now - lastDisturbance >= recoveryLimit
        var idle = IdleWorld(trace: self.server)
        var areAllOut = true
        for (id, stableFor) in stableTimes {
            let name = core.name(of: id)
            checkNetwork(of: id, stableFor: stableFor, in: core)
            guard let trace = clients[id.rawValue]?.trace, trace.isRunning else { continue }
            if trace.state != .loggedOut { areAllOut = false }
            guard stableFor >= quiescenceTime, trace.state == .online || stableFor >= recoveryLimit, !isHidden(id),
                let machine = core.clientMachine(of: id)
            else { continue }
            if case .none = server { server = core.serverMachine }
            guard let server else { continue }
            if stableFor >= recoveryLimit, let violation = ProgressChecker.overdue(id, trace, in: core) {
                note([violation], of: name)
            }
            let device = machine.device.id
            let client = IdleClient(
                name: name, trace: trace, serverTrace: self.server, now: core.now, stableFor: stableFor,
                recoveryLimit: recoveryLimit, database: { core.localDatabase(of: id) },
                isAlone: clients.count { $0?.trace.device == device } < 2, areAllStable: areAllStable)
            for checker in (clients[id.rawValue]?.checkers ?? []) + checkers {
                note(checker.checkAtQuiescence(client, machine, server), of: name)
            }
            guard machine.state == .online, let user = machine.user else { continue }
            idle.online.append((name, user, device, machine.joinedChannels))
        }
        if case .none = server { server = core.serverMachine }
        guard let server else { return }
        if areAllStable {
            let length = (stableTimes.map(\.stableFor).min() ?? .zero) - recoveryLimit
            idle.stableFor = min(length, core.now - self.server.lastConnectionEnd)
        }
        for checker in checkers { note(checker.checkAtQuiescence(idle, server), of: WorldCore.serverName) }
        if areAllOut, let length = idle.stableFor, length >= dialect.serverPolicy.presenceHold {
            note(LeftoverChecker.violations(world, core.clients), of: WorldCore.serverName)
        }
    }

    private func checkNetwork(of id: NodeID, stableFor: Interval, in core: WorldCore) {
        let name = core.name(of: id)
        // An ended process is also checked, because the server may not have detected the end of its connection.
        if stableFor >= quiescenceTime, let violation = network.violation(of: id.rawValue) {
            note([violation], of: name)
        }
        guard let trace = clients[id.rawValue]?.trace, trace.isRunning, !core.isAsleep(id) else { return }
        let overdue = network.overdue(of: id.rawValue, at: core.now, awakeSince: trace.awakeSince)
        note([ProgressChecker.stuck(id, trace, in: core), overdue].compactMap(\.self), of: name)
    }

    /// True if the SDK hides a broken connection from the app, which it may do for a while (RTM-3). The state that the
    /// app sees is then not the real one, so the client is not compared.
    private func isHidden(_ id: NodeID) -> Bool {
        guard let trace = clients[id.rawValue]?.trace else { return false }
        return trace.isRunning && trace.state == .online && trace.acceptedLink == nil
    }

    /// How long the client's network and process have been undisturbed; zero while a packet is in flight.
    private func stableFor(of id: NodeID, _ world: SimulatedWorld) -> Interval {
        let core = world.core
        guard let trace = clients[id.rawValue]?.trace, !core.isAsleep(id), world.isNetworkReliable(of: id),
            !world.hasPacketsInFlight(of: id)
        else { return .zero }
        return core.now - max(trace.stableSince, world.lastDisturbance(of: id) ?? .zero)
    }
}
