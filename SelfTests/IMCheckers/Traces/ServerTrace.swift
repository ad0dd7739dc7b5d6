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

        package init(user: String, device: String) { (self.user, self.device) = (user, device) }

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
    @exclusivity(unchecked) package private(set) var acceptedLogins: [ConnectionID: Accepted] = [:]
    /// For each device, its newest connection with an accepted login.
    @exclusivity(unchecked) package private(set) var newestLinks: [DeviceSlot: ConnectionID] = [:]
    /// Connections whose login has ended, but which are still open.
    @exclusivity(unchecked) package private(set) var linksOfEndedLogins: Set<ConnectionID> = []
    /// The time at which a connection last ended.
    @exclusivity(unchecked) package private(set) var lastConnectionEnd = Instant.zero
    /// The epoch and the start of each device's last login. A resume keeps the start, a new login does not (CHAT-3).
    @exclusivity(unchecked) package private(set) var logins: [DeviceSlot: (epoch: LoginEpoch, since: Instant)] = [:]
    /// True if the server stores fewer devices than a user may have. It does not notify a device that it dropped (C-6).
    @exclusivity(unchecked) package private(set) var forgetsDevices = false
    /// The input to which the current effects belong.
    @exclusivity(unchecked) package private(set) var input: NodeInput?
    /// The login request that the server is processing, and its connection.
    @exclusivity(unchecked) package private(set) var pendingLogin: (connection: ConnectionID, login: LoginRequest)?

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
        acceptedLogins = other.acceptedLogins
        newestLinks = other.newestLinks
        linksOfEndedLogins = other.linksOfEndedLogins
        logins = other.logins
        forgetsDevices = other.forgetsDevices
        lastConnectionEnd = other.lastConnectionEnd
        input = other.input
        pendingLogin = other.pendingLogin
    }

    /// Adds an event. Call it before the checkers observe the event.
    package func note(_ event: SessionEvent) {
        switch event.content {
        case .start, .stop:
            acceptedLogins.removeAll()
            newestLinks.removeAll()
            linksOfEndedLogins.removeAll()
        case .input(let input):
            self.input = input
            pendingLogin = nil
            switch input {
            case .frame(let connection, let frame):
                if case .login(let login) = frame.body { pendingLogin = (connection, login) }
                if case .logout = frame.body { linksOfEndedLogins.insert(connection) }
            case .serverCommand(_, .setPolicy("devices-kept-max", _)): forgetsDevices = true
            case .linkClosed(let connection, _):
                forget(connection)
                lastConnectionEnd = event.time
            default: break
            }
        case .effect(.send(let connection, let frame)):
            if case .loginAck(let reply) = frame.body, reply.status == .ok, let pendingLogin,
                pendingLogin.connection == connection
            {
                accept(pendingLogin.login, reply.epoch, on: connection, at: event.time)
            }
            switch frame.body {
            case .kicked, .tokenNotice(true, _), .goodbye: linksOfEndedLogins.insert(connection)
            default: break
            }
        case .effect(.closeLink(let connection)): linksOfEndedLogins.insert(connection)
        default: break
        }
    }

    private func accept(_ login: LoginRequest, _ epoch: LoginEpoch, on id: ConnectionID, at now: Instant) {
        let slot = DeviceSlot(user: login.user, device: login.device.id)
        acceptedLogins[id] = Accepted(
            slot: slot, device: login.device, mode: login.mode, instance: login.instance, epoch: epoch, time: now)
        newestLinks[slot] = id
        if logins[slot]?.epoch != epoch { logins[slot] = (epoch, now) }
        linksOfEndedLogins.remove(id)
    }

    private func forget(_ connection: ConnectionID) {
        linksOfEndedLogins.remove(connection)
        guard let endedLogin = acceptedLogins.removeValue(forKey: connection) else { return }
        if newestLinks[endedLogin.slot] == connection { newestLinks[endedLogin.slot] = nil }
    }
}
