import IMLocalData
import IMProtocol
import IMTree
import SansIO

// What the server holds, by name, for whoever compares it with what others hold: a debugger, an oracle. Asking changes
// nothing.

extension ServerMachine {
    /// A device of an account as the server has it.
    package struct DeviceView: Hashable, Sendable {
        /// The account.
        package var user: String
        /// The device, with its platform.
        package var device: Device
        /// Counts the logins of the account; nil where the device holds none (C-6).
        package var epoch: LoginEpoch?
        /// What carries the login now; nil while the device is away.
        package var connection: ConnectionID?
        /// Whether others see it as online.
        package var isPresent: Bool
        /// When the login was made; nil where there is none.
        package var since: Instant?
        /// The kick that it has yet to confirm (C-7).
        package var owedKick: KickNotice?
        /// Messages that it has not confirmed.
        package var messagesWaiting: Int
        /// Operations that it has not confirmed (CHAT-8).
        package var operationsWaiting: Int
        /// The channels of its login.
        package var channels: [String]
        /// Whether pushes go to it (NIM-10).
        package var isPushBound: Bool

        /// Whether it has yet to be told of a kick (C-7).
        package var owesKick: Bool { owedKick != nil }
    }

    /// One device of an account; nil where the server knows no such device.
    package func view(of user: String, device: String) -> DeviceView? {
        accounts[user]?.devices[device].map { Self.view(of: user, $0) }
    }

    /// Every device of every account.
    package var deviceViews: [DeviceView] {
        accounts.keys.flatMap { user in
            (accounts[user]?.devices.values.elements ?? []).map { Self.view(of: user, $0) }
        }
    }

    /// One device, of every account that has it.
    package func views(ofDevice id: String) -> [DeviceView] { accounts.keys.compactMap { view(of: $0, device: id) } }

    private static func view(of user: String, _ record: DeviceRecord) -> DeviceView {
        DeviceView(
            user: user, device: record.device, epoch: record.login?.epoch, connection: record.login?.connection,
            isPresent: record.login?.isPresent ?? false, since: record.login?.since,
            owedKick: record.undeliveredKick, messagesWaiting: record.inbox.count,
            operationsWaiting: record.operations.count, channels: record.login?.channels ?? [],
            isPushBound: record.isPushBound)
    }

    /// The user's devices that others see as online, but for one.
    package func presentDeviceIDs(of user: String, besides device: String) -> [String] {
        presentDevices(of: user, besides: device).map(\.device.id)
    }

    /// The accounts that there are.
    package var accountNames: [String] { Array(accounts.keys) }

    /// The groups that there are, with their members.
    package var groupMembers: [(group: String, members: [String])] {
        groups.groups.map { ($0.key, Array($0.value.members.keys)) }
    }

    /// Whether a connection is there.
    package func hasConnection(_ id: ConnectionID) -> Bool { connections[id] != nil }

    /// How many connections there are, of whatever kind.
    package var connectionCount: Int { connections.count }

    /// How many timers are set.
    package var timerCount: Int { timers.entries.count }

    /// The timers that are set, next one first.
    package var setTimers: [Deadlines<ServerTimer>.Entry] { timers.entries }

    /// The same server with only some of its timers.
    package func keepingTimers(where isKept: (ServerTimer) -> Bool) -> ServerMachine {
        var copy = self
        copy.timers.cancel { !isKept($0) }
        return copy
    }

    /// The channels that have members, each with its members' names in the order in which they joined.
    package var channelMembers: [(channel: String, members: [String])] {
        channels.names.map { ($0, channels[$0]?.members.keys.elements ?? []) }
    }

    /// The attributes of a user (RTM-4).
    package func attributes(of user: String) -> [AnswerField] { accounts[user]?.attributes ?? [] }

    /// Whose presence a connection watches, an entry for each time that it stands there.
    package func watched(by connection: ConnectionID) -> [String] {
        watchers.names.flatMap { name in
            (watchers[name] ?? []).filter { $0 == connection }.map { _ in name }
        }
    }

    /// The connections that watch anybody.
    package var watchingConnections: [ConnectionID] { watchers.names.flatMap { watchers[$0] ?? [] } }

    /// The number of the last change of a user's data that a device has (ZIM-9).
    package func lastChange(of user: String, device: String) -> UInt64 {
        accounts[user]?.feed.lastNumber(on: device) ?? 0
    }

    /// The messages in a user's data, but for those that were made up at its beginning.
    package func userMessages(of user: String) -> [LocalMessage] {
        (accounts[user]?.feed.changes ?? []).compactMap { record in
            guard record.kind == .message, case .message(let message)? = LocalChange(record) else { return nil }
            return message
        }
    }

    /// Whether others see a user as online.
    package func isUserThere(_ user: String) -> Bool { isThere(user) }

    /// The tree (SYNC-1).
    package var treeRoot: TreeNode { tree.root }

    /// The connections that listen to anything.
    package var listeningConnections: [ConnectionID] { tree.listens.keys.elements }

    /// What a connection listens to.
    package func listens(on connection: ConnectionID) -> [TreeListen] { tree.listens[connection] ?? [] }

    /// Devices that compete for the same places as a device; nil where it competes with nobody. Equal for two devices of
    /// one group.
    package func placeGroup(of device: Device) -> String? { policy.group(of: device).map { "\($0)" } }
}
