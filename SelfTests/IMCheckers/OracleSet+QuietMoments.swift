import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

// The checks at quiescence.

extension OracleSet {
    /// Compares the state of the server with that of every client that has been stable for long enough. A client on a
    /// working network is online or in a final state after the recovery time limit. After all have logged out, nothing
    /// is left. Call it between two events.
    public func look(at world: SimulatedWorld) {
        guard violations.isEmpty else { return }
        let core = world.core
        guard core.isServerRunning else { return }
        // Copied only if a client is compared with it.
        var server: ServerMachine?
        let serverCalm = core.now - watched.serverSince
        let calms = core.clients.map { (id: $0, calm: min(calm(of: $0, world), serverCalm)) }
        // No dead connection is left, and no client is about to do something that others would observe.
        let isAllSettled =
            calms.allSatisfy { $0.calm >= bound && !isHidden($0.id) }
            // Including clients that are closed.
            && core.now - (watched.calmSince.max() ?? .zero) >= bound
        var isAllOut = true
        var online = Online()
        for (id, calm) in calms {
            let name = core.name(of: id)
            let trace = clients[id.rawValue]?.trace
            if let trace, let fault = ProgressOracle.stuck(id, trace, in: core) { note([fault], of: name) }
            // Also for a client whose process has ended, because the server may not have detected it.
            if calm >= quiet, let fault = common.network.fault(of: id.rawValue) { note([fault], of: name) }
            guard let trace, trace.isRunning else { continue }
            if !core.isAsleep(id),
                let fault = common.network.overdue(of: id.rawValue, at: core.now, awakeSince: trace.awakeSince)
            {
                note([fault], of: name)
            }
            if trace.state != .loggedOut { isAllOut = false }
            if !core.isAsleep(id),
                let fault = clients[id.rawValue]?.each.tree?.faultOfConnection(trace.acceptedLink != nil)
            {
                note([fault], of: name)
            }
            guard calm >= quiet, trace.state == .online || calm >= bound, !isHidden(id),
                let machine = core.clientMachine(of: id)
            else { continue }
            if case .none = server { server = core.serverMachine }
            compare(machine, of: id, with: server, calm: calm, isAllSettled, in: core, into: &online)
        }
        var faults: [Violation] = []
        common.messages.finish(online.places, self.server, into: &faults)
        faults += common.data.faults(online.data)
        if online.pairs.count > 1 {
            faults += common.devicePairs.faults(online.pairs) { server?.userMessages(of: $0) ?? [] }
        }
        if clientPolicy.features.contains(.operations) { faults += common.operations.faults(online.places) }
        if isAllSettled {
            let length = min((calms.map(\.calm).min() ?? .zero) - bound, core.now - self.server.lastEnd)
            if case .none = server { server = core.serverMachine }
            faults += settledFaults(of: server, for: length, online)
            if isAllOut, length >= dialect.serverPolicy.presenceHold {
                faults += LeftoverOracle.faults(world, core.clients)
            }
        }
        note(faults, of: WorldCore.serverName)
    }

    /// The clients that are online for both sides.
    private struct Online {
        var places: [(name: String, user: String, device: String)] = []
        var channels: [(user: String, channels: [String])] = []
        var data: [DataAgreementOracle.Device] = []
        var pairs: [DevicePairOracle.Device] = []
    }

    /// Machines are passed as arguments and not stored, because each variable that stores one has a copy.
    private func compare(
        _ machine: ClientMachine, of id: NodeID, with server: ServerMachine?, calm: Interval, _ isAllSettled: Bool,
        in core: WorldCore, into online: inout Online
    ) {
        guard let server, let oracles = clients[id.rawValue] else { return }
        let (name, trace, isReliable) = (core.name(of: id), oracles.trace, !watched.unreliable.contains(id.rawValue))
        var agreement = AgreementOracle()
        agreement.compare(
            server, machine, told: oracles.each.presence, calm: calm, bound: bound,
            isAlone: watched.devices.count { $0.value == machine.device.id } < 2)
        note(agreement.faults, of: name)
        if machine.state == .online {
            note(oracles.each.members.faults(server.channelMembers, joined: machine.joinedChannels), of: name)
        }
        if machine.state == .online, let tree = oracles.each.tree {
            note(tree.faults(of: machine, isReliable: isReliable), of: name)
        }
        if calm >= bound {
            note(late(id, core), of: name)
            if machine.state == .online, clientPolicy.features.contains(.tree) {
                // The counter is shared: other clients may be about to increase it.
                let faults = common.tree.faults(
                    of: name, root: server.treeRoot, link: trace.acceptedLink, isAlone: isAllSettled)
                note(faults, of: name)
            }
        }
        guard machine.state == .online, let user = machine.user else { return }
        if clientPolicy.sync != .never, let fault = common.syncs.fault(of: name, user: user) {
            note([fault], of: name)
        }
        if let fault = common.operations.fault(of: name, user: user, device: machine.device.id, self.server) {
            note([fault], of: name)
        }
        if isReliable, let fault = common.channels.fault(of: name, user: user) { note([fault], of: name) }
        online.places.append((name, user, machine.device.id))
        online.channels.append((user, machine.joinedChannels))
        if let fault = oracles.each.tellings.fault(of: user) { note([fault], of: name) }
        if common.imports.isNews(for: name), let database = core.localDatabase(of: id),
            let fault = common.imports.fault(of: name, database)
        {
            note([fault], of: name)
        }
        let position = server.lastChange(of: user, device: machine.device.id)
        if calm >= bound, position > 0, machine.dataPosition == position, machine.requestsWaiting == 0,
            let database = core.localDatabase(of: id)
        {
            let device = DataAgreementOracle.Device(name: name, user: user, database: database)
            online.pairs.append(DevicePairOracle.Device(device: device, position: position))
        }
        if machine.dataPosition == position, machine.requestsWaiting == 0,
            common.data.isTouched || common.isNews(of: user, for: name, at: position),
            let database = core.localDatabase(of: id)
        {
            let device = DataAgreementOracle.Device(name: name, user: user, database: database)
            if common.data.isTouched { online.data.append(device) }
            let faults = [
                common.shownData.fault(device, at: position), common.groups.fault(device),
                common.friends.fault(device), common.reactions.fault(device), common.unread.fault(device),
            ]
            note(faults.compactMap(\.self), of: name)
        }
    }

    private func settledFaults(of server: ServerMachine?, for length: Interval, _ online: Online) -> [Violation] {
        guard let server else { return [] }
        return ServerAgreement.faults(server, settledFor: length, online: online.channels)
            + common.pushes.faults(server)
    }

    /// The SDK may hide a broken connection for a while (RTM-3). The visible state is then of no use.
    private func isHidden(_ id: NodeID) -> Bool {
        guard let trace = clients[id.rawValue]?.trace else { return false }
        return trace.isRunning && trace.state == .online && trace.acceptedLink == nil
    }

    private func late(_ id: NodeID, _ core: WorldCore) -> [Violation] {
        guard let oracles = clients[id.rawValue] else { return [] }
        var faults = ProgressOracle.late(id, oracles.trace, in: core).map { [$0] } ?? []
        oracles.each.commands.finish(oracles.trace, since: core.now - bound, into: &faults)
        return faults
    }

    /// How long nothing has disturbed a client's network and process; zero during a disturbance or if something is in
    /// flight.
    private func calm(of id: NodeID, _ world: SimulatedWorld) -> Interval {
        let core = world.core
        guard id.rawValue < watched.calmSince.count, !core.isAsleep(id), world.isNetworkWhole(of: id),
            !world.isAnythingUnderway(of: id)
        else { return .zero }
        return core.now - max(watched.calmSince[id.rawValue], world.lastDisturbance(of: id) ?? .zero)
    }
}
