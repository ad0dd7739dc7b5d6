import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

// The checks at quiescence.

extension CheckerSet {
    /// Stores the server's state before its process ends.
    package func storeBeforeEnd(ofServerIn core: WorldCore) {
        guard let server = core.serverMachine else { return }
        common.restarts.willEnd(server)
    }

    /// Compares the state of the server with that of every client that has been stable for long enough. A client on a
    /// working network is online or in a final state after the recovery time limit. After all have logged out, nothing
    /// is left. Call it between two events.
    public func checkAtQuiescence(at world: SimulatedWorld) {
        guard self.violations.isEmpty else { return }
        let core = world.core
        guard core.isServerRunning else { return }
        // Copied only if a client is compared with it.
        var server: ServerMachine?
        let serverStableFor = core.now - watched.serverSince
        let stableTimes = core.clients.map { (id: $0, stableFor: min(stableFor(of: $0, world), serverStableFor)) }
        // No dead connection is left, and no client is about to do something that others would observe.
        let isAllStable =
            stableTimes.allSatisfy { $0.stableFor >= recoveryLimit && !isHidden($0.id) }
            // Including clients that are closed.
            && core.now - (watched.stableSince.max() ?? .zero) >= recoveryLimit
        var isAllOut = true
        var online = Online()
        for (id, stableFor) in stableTimes {
            let name = core.name(of: id)
            let trace = clients[id.rawValue]?.trace
            if let trace, let violation = ProgressChecker.stuck(id, trace, in: core) { note([violation], of: name) }
            // Also for a client whose process has ended, because the server may not have detected it.
            if stableFor >= quiescenceTime, let violation = common.network.violation(of: id.rawValue) {
                note([violation], of: name)
            }
            guard let trace, trace.isRunning else { continue }
            if !core.isAsleep(id),
                let violation = common.network.overdue(of: id.rawValue, at: core.now, awakeSince: trace.awakeSince)
            {
                note([violation], of: name)
            }
            if trace.state != .loggedOut { isAllOut = false }
            if !core.isAsleep(id),
                let violation = clients[id.rawValue]?.each.tree?.connectionViolation(trace.acceptedLink != nil)
            {
                note([violation], of: name)
            }
            guard stableFor >= quiescenceTime, trace.state == .online || stableFor >= recoveryLimit, !isHidden(id),
                let machine = core.clientMachine(of: id)
            else { continue }
            if case .none = server { server = core.serverMachine }
            compare(machine, of: id, with: server, stableFor: stableFor, isAllStable, in: core, into: &online)
        }
        var violations: [Violation] = []
        common.messages.finish(online.places, self.server, into: &violations)
        violations += common.data.violations(online.data)
        if online.pairs.count > 1 {
            violations += common.devicePairs.violations(online.pairs) { server?.userMessages(of: $0) ?? [] }
        }
        if clientPolicy.features.contains(.operations) { violations += common.operations.violations(online.places) }
        if isAllStable {
            let length = min(
                (stableTimes.map(\.stableFor).min() ?? .zero) - recoveryLimit, core.now - self.server.lastEnd)
            if case .none = server { server = core.serverMachine }
            violations += stableViolations(of: server, for: length, online)
            if isAllOut, length >= dialect.serverPolicy.presenceHold {
                violations += LeftoverChecker.violations(world, core.clients)
            }
        }
        note(violations, of: WorldCore.serverName)
    }

    /// The clients that are online for both sides.
    private struct Online {
        var places: [(name: String, user: String, device: String)] = []
        var channels: [(user: String, channels: [String])] = []
        var data: [DataAgreementChecker.Device] = []
        var pairs: [DevicePairChecker.Device] = []
    }

    /// Machines are passed as arguments and not stored, because each variable that stores one has a copy.
    private func compare(
        _ machine: ClientMachine, of id: NodeID, with server: ServerMachine?, stableFor: Interval, _ isAllStable: Bool,
        in core: WorldCore, into online: inout Online
    ) {
        guard let server, let checkers = clients[id.rawValue] else { return }
        let (name, trace, isReliable) = (core.name(of: id), checkers.trace, !watched.unreliable.contains(id.rawValue))
        var agreement = AgreementChecker()
        agreement.compare(
            server, machine, notified: checkers.each.presence, stableFor: stableFor, recoveryLimit: recoveryLimit,
            isAlone: watched.devices.count { $0.value == machine.device.id } < 2)
        note(agreement.violations, of: name)
        if machine.state == .online {
            note(checkers.each.members.violations(server.channelMembers, joined: machine.joinedChannels), of: name)
        }
        if machine.state == .online, let tree = checkers.each.tree {
            note(tree.violations(of: machine, isReliable: isReliable), of: name)
        }
        if stableFor >= recoveryLimit {
            note(late(id, core), of: name)
            if machine.state == .online, clientPolicy.features.contains(.tree) {
                // The counter is shared: other clients may be about to increase it.
                let violations = common.tree.violations(
                    of: name, root: server.treeRoot, link: trace.acceptedLink, isAlone: isAllStable)
                note(violations, of: name)
            }
        }
        guard machine.state == .online, let user = machine.user else { return }
        if clientPolicy.sync != .never, let violation = common.syncs.violation(of: name, user: user) {
            note([violation], of: name)
        }
        if let violation = common.operations.violation(of: name, user: user, device: machine.device.id, self.server) {
            note([violation], of: name)
        }
        if isReliable, let violation = common.channels.violation(of: name, user: user) { note([violation], of: name) }
        online.places.append((name, user, machine.device.id))
        online.channels.append((user, machine.joinedChannels))
        if let violation = checkers.each.localChanges.violation(of: user) { note([violation], of: name) }
        if common.imports.needsCheck(for: name), let database = core.localDatabase(of: id),
            let violation = common.imports.violation(of: name, database)
        {
            note([violation], of: name)
        }
        let position = server.lastChange(of: user, device: machine.device.id)
        if stableFor >= recoveryLimit, position > 0, machine.dataPosition == position, machine.requestsWaiting == 0,
            let database = core.localDatabase(of: id)
        {
            let device = DataAgreementChecker.Device(name: name, user: user, database: database)
            online.pairs.append(DevicePairChecker.Device(device: device, position: position))
        }
        if machine.dataPosition == position, machine.requestsWaiting == 0,
            common.data.isTouched || common.needsCheck(of: user, for: name, at: position),
            let database = core.localDatabase(of: id)
        {
            let device = DataAgreementChecker.Device(name: name, user: user, database: database)
            if common.data.isTouched { online.data.append(device) }
            let violations = [
                common.shownData.violation(device, at: position), common.groups.violation(device),
                common.friends.violation(device), common.reactions.violation(device), common.unread.violation(device),
            ]
            note(violations.compactMap(\.self), of: name)
        }
    }

    private func stableViolations(of server: ServerMachine?, for length: Interval, _ online: Online) -> [Violation] {
        guard let server else { return [] }
        return ServerAgreement.violations(server, stableFor: length, online: online.channels)
            + common.pushes.violations(server)
    }

    /// The SDK may hide a broken connection for a while (RTM-3). The visible state is then of no use.
    private func isHidden(_ id: NodeID) -> Bool {
        guard let trace = clients[id.rawValue]?.trace else { return false }
        return trace.isRunning && trace.state == .online && trace.acceptedLink == nil
    }

    private func late(_ id: NodeID, _ core: WorldCore) -> [Violation] {
        guard let checkers = clients[id.rawValue] else { return [] }
        var violations = ProgressChecker.late(id, checkers.trace, in: core).map { [$0] } ?? []
        checkers.each.commands.finish(checkers.trace, since: core.now - recoveryLimit, into: &violations)
        return violations
    }

    /// How long nothing has disturbed a client's network and process; zero during a disturbance or if something is in
    /// flight.
    private func stableFor(of id: NodeID, _ world: SimulatedWorld) -> Interval {
        let core = world.core
        guard id.rawValue < watched.stableSince.count, !core.isAsleep(id), world.isNetworkReliable(of: id),
            !world.hasPacketsInFlight(of: id)
        else { return .zero }
        return core.now - max(watched.stableSince[id.rawValue], world.lastDisturbance(of: id) ?? .zero)
    }
}
