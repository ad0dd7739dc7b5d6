import IMLocalData
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import IMTree
import SansIO

/// The observed state of the server: the login of each connection, and the ends of logins. `@exclusivity(unchecked)`:
/// see `WorldCore`.
package final class ServerTrace {
    /// A device of a user, with or without a login.
    package struct DeviceSlot: Hashable, Comparable {
        package var user: String
        package var device: String

        package init(user: String, device: String) {
            (self.user, self.device) = (user, device)
        }

        package static func < (left: DeviceSlot, right: DeviceSlot) -> Bool {
            (left.user, left.device) < (right.user, right.device)
        }
    }

    /// A login that the server accepted.
    package struct Accepted {
        package var slot: DeviceSlot
        package var device: Device
        package var mode: LoginMode
        package var instance: UInt64
        package var epoch: LoginEpoch
        package var time: Instant
    }

    /// The accepted login of each connection.
    @exclusivity(unchecked) package private(set) var carried: [ConnectionID: Accepted] = [:]
    /// For each device, its newest connection with an accepted login.
    @exclusivity(unchecked) package private(set) var newest: [DeviceSlot: ConnectionID] = [:]
    /// Connections whose login has ended, but which are still open.
    @exclusivity(unchecked) package private(set) var over: Set<ConnectionID> = []
    /// The time at which a connection last ended.
    @exclusivity(unchecked) package private(set) var lastEnd = Instant.zero
    /// The last login of each device: its epoch and its start. A resume keeps the start. A return as a new login sets a
    /// new start (CHAT-3).
    @exclusivity(unchecked) package private(set) var logins: [DeviceSlot: (epoch: LoginEpoch, since: Instant)] = [:]
    /// True if the server stores fewer devices than a user may have. It does not notify a device that it dropped (C-6).
    @exclusivity(unchecked) package private(set) var forgetsDevices = false
    /// The input to which the current effects belong.
    @exclusivity(unchecked) package private(set) var input: NodeInput?
    /// The login request that the server is processing, and its connection.
    @exclusivity(unchecked) package private(set) var asking: (connection: ConnectionID, login: LoginRequest)?

    /// The policy and the tree after the current input; nil if the server is not running.
    @exclusivity(unchecked) package var currentPolicy: () -> ServerPolicy? = { nil }
    @exclusivity(unchecked) package var treeRoot: () -> TreeNode? = { nil }
    /// The groups, their parents and their members after the current input.
    @exclusivity(unchecked) package var groupMembers: () -> [(group: String, parent: String, members: [GroupMember])] =
        { [] }
    /// The server's wall clock at the start of the session, in milliseconds since 1970.
    @exclusivity(unchecked) package var epochMilliseconds: Int64 = 0
    @exclusivity(unchecked) private var core: ObjectIdentifier?

    package init() {}

    /// Adds an event, and reads the state of the world after it.
    package func note(_ event: SessionEvent, in core: WorldCore) {
        note(event)
        guard self.core != ObjectIdentifier(core) else { return }
        self.core = ObjectIdentifier(core)
        // `unowned(unsafe)` is safe: only the world calls the checkers, so it exists during each call.
        currentPolicy = { [unowned(unsafe) core] in core.currentServerPolicy }
        treeRoot = { [unowned(unsafe) core] in core.serverMachine?.treeRoot }
        groupMembers = { [unowned(unsafe) core] in core.serverMachine?.groupMembers ?? [] }
        epochMilliseconds = core.epochMilliseconds
    }

    /// Creates the trace of a copy of a world. The copy continues independently.
    package init(copying other: ServerTrace) {
        currentPolicy = other.currentPolicy
        treeRoot = other.treeRoot
        groupMembers = other.groupMembers
        epochMilliseconds = other.epochMilliseconds
        core = other.core
        carried = other.carried
        newest = other.newest
        over = other.over
        logins = other.logins
        forgetsDevices = other.forgetsDevices
        lastEnd = other.lastEnd
        input = other.input
        asking = other.asking
    }

    /// Adds an event. Call it before the checkers observe the event.
    package func note(_ event: SessionEvent) {
        switch event.content {
        case .start, .stop:
            carried.removeAll()
            newest.removeAll()
            over.removeAll()
        case .input(let input):
            self.input = input
            asking = nil
            switch input {
            case .frame(let connection, let frame):
                if case .login(let login) = frame.body { asking = (connection, login) }
                if case .logout = frame.body { over.insert(connection) }
            case .serverCommand(_, .setPolicy("devices-kept-max", _)): forgetsDevices = true
            case .linkClosed(let connection, _):
                forget(connection)
                lastEnd = event.time
            default: break
            }
        case .effect(.send(let connection, let frame)):
            if case .loginAck(let reply) = frame.body, reply.status == .ok, let asking, asking.connection == connection
            {
                accept(asking.login, reply.epoch, on: connection, at: event.time)
            }
            switch frame.body {
            case .kicked, .tokenNotice(true, _), .goodbye: over.insert(connection)
            default: break
            }
        case .effect(.closeLink(let connection)): over.insert(connection)
        default: break
        }
    }

    private func accept(_ login: LoginRequest, _ epoch: LoginEpoch, on id: ConnectionID, at now: Instant) {
        let slot = DeviceSlot(user: login.user, device: login.device.id)
        carried[id] = Accepted(
            slot: slot, device: login.device, mode: login.mode, instance: login.instance, epoch: epoch, time: now)
        newest[slot] = id
        if logins[slot]?.epoch != epoch { logins[slot] = (epoch, now) }
        over.remove(id)
    }

    private func forget(_ connection: ConnectionID) {
        over.remove(connection)
        guard let gone = carried.removeValue(forKey: connection) else { return }
        if newest[gone.slot] == connection { newest[gone.slot] = nil }
    }
}
