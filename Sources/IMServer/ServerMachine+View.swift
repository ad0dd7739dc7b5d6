import IMLocalData
import IMProtocol
import IMTree
import SansIO

// The server's state by name, for a debugger or a checker that compares it with other state. Reading it changes
// nothing.

extension ServerMachine {
    /// The server's state of an account's device.
    package struct DeviceView: Hashable, Sendable {
        /// The account.
        package var user: String
        /// The device, with its platform.
        package var device: Device
        /// The epoch of its login, which counts the account's logins; nil if the device holds none (C-6).
        package var epoch: LoginEpoch?
        /// The connection that carries the login now; nil while the device is away.
        package var connection: ConnectionID?
        /// True if others see it as online.
        package var isPresent: Bool
        /// The time of the login; nil if there is none.
        package var since: Instant?
        /// The kick that it has not confirmed (C-7).
        package var pendingKick: KickNotice?
        /// Messages that it has not confirmed.
        package var messagesWaiting: Int
        /// Operations that it has not confirmed (CHAT-8).
        package var operationsWaiting: Int
        /// The channels of its login.
        package var channels: [String]
        /// True if pushes go to it (NIM-10).
        package var isPushBound: Bool

        /// True if it has not confirmed a kick (C-7).
        package var hasPendingKick: Bool { pendingKick != nil }
    }

    /// One device of an account; nil if the account has no such device.
    package func view(of user: String, device: String) -> DeviceView? {
        accounts[user]?.devices[device].map { Self.view(of: user, $0) }
    }

    /// Every device of every account.
    package var deviceViews: [DeviceView] {
        accounts.keys.flatMap { user in
            (accounts[user]?.devices.values.elements ?? []).map { Self.view(of: user, $0) }
        }
    }

    /// A device in every account that has it.
    package func views(ofDevice id: String) -> [DeviceView] { accounts.keys.compactMap { view(of: $0, device: id) } }

    private static func view(of user: String, _ record: DeviceRecord) -> DeviceView {
        DeviceView(
            user: user, device: record.device, epoch: record.login?.epoch, connection: record.login?.connection,
            isPresent: record.login?.isPresent ?? false, since: record.login?.since,
            pendingKick: record.undeliveredKick, messagesWaiting: record.inbox.count,
            operationsWaiting: record.operations.count, channels: record.login?.channels ?? [],
            isPushBound: record.isPushBound)
    }

    /// The user's devices that others see as online, except one.
    package func presentDeviceIDs(of user: String, besides device: String) -> [String] {
        presentDevices(of: user, besides: device).map(\.device.id)
    }

    /// The names of all accounts.
    package var accountNames: [String] { Array(accounts.keys) }

    /// All groups with their members, in the order of joining. The parent of a group that is no thread is empty.
    package var groupMembers: [(group: String, parent: String, members: [GroupMember])] {
        groups.groups.map { ($0.key, $0.value.group.rules.parent, $0.value.members.values.elements) }
    }

    /// True if the connection exists.
    package func hasConnection(_ id: ConnectionID) -> Bool { connections[id] != nil }

    /// The number of connections, in any stage.
    package var connectionCount: Int { connections.count }

    /// The number of timers that are set.
    package var timerCount: Int { timers.entries.count }

    /// The timers that are set, next one first.
    package var setTimers: [Deadlines<ServerTimer>.Entry] { timers.entries }

    /// The server with only some of its timers.
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

    /// The users whose presence a connection watches, once for each entry.
    package func watched(by connection: ConnectionID) -> [String] {
        watchers.names.flatMap { name in
            (watchers[name] ?? []).filter { $0 == connection }.map { _ in name }
        }
    }

    /// The connections that watch any user.
    package var watchingConnections: [ConnectionID] { watchers.names.flatMap { watchers[$0] ?? [] } }

    /// The number of the last change of a user's data that a device has (ZIM-9).
    package func lastChange(of user: String, device: String) -> UInt64 {
        accounts[user]?.feed.lastNumber(on: device) ?? 0
    }

    /// The messages in a user's data, except those that were made up at its start.
    package func userMessages(of user: String) -> [LocalMessage] {
        (accounts[user]?.feed.changes ?? []).compactMap { record in
            guard record.kind == .message, case .message(let message)? = LocalChange(record) else { return nil }
            return message
        }
    }

    /// True if others see a user as online.
    package func isUserOnline(_ user: String) -> Bool { isOnline(user) }

    /// The tree (SYNC-1).
    package var treeRoot: TreeNode { tree.root }

    /// The connections that have listens.
    package var listeningConnections: [ConnectionID] { tree.listens.keys.elements }

    /// The listens of a connection.
    package func listens(on connection: ConnectionID) -> [TreeListen] { tree.listens[connection] ?? [] }
}
