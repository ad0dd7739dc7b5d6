import IMLocalData
import IMProtocol
import IMTree
import SansIO

// Read access to the server's state, for a debugger, and for a checker that compares the state with that of clients.

extension ServerMachine {
    /// The server's record of one device of an account.
    package struct DeviceView: Hashable, Sendable {
        package var user: String
        /// The device, with its platform.
        package var device: Device
        /// The epoch of the device's login; nil if the device has no login (C-6).
        package var epoch: LoginEpoch?
        /// The connection of the login; nil while the device is disconnected.
        package var connection: ConnectionID?
        /// True if other users see the device as online.
        package var isPresent: Bool
        /// The time of the login; nil if the device has no login.
        package var since: Instant?
        /// The kick that the device has not confirmed; nil for none (C-7).
        package var pendingKick: KickNotice?
        /// The number of messages that the device has not confirmed.
        package var messagesWaiting: Int
        /// The number of operations that the device has not confirmed (CHAT-8).
        package var operationsWaiting: Int
        /// The channels that the login is in, in the order of joining.
        package var channels: [String]
        /// True if the server pushes messages to the device while it is disconnected (NIM-10).
        package var isPushBound: Bool

        /// True if the device has not confirmed a kick (C-7).
        package var hasPendingKick: Bool { pendingKick != nil }
    }

    /// The record of one device of an account; nil if the account has no such device.
    package func view(of user: String, device: String) -> DeviceView? {
        accounts[user]?.devices[device].map { Self.view(of: user, $0) }
    }

    /// The records of all devices of all accounts.
    package var deviceViews: [DeviceView] {
        accounts.keys.flatMap { user in
            (accounts[user]?.devices.values.elements ?? []).map { Self.view(of: user, $0) }
        }
    }

    /// The records of one device in all accounts that it has logged in to.
    package func views(ofDevice id: String) -> [DeviceView] { accounts.keys.compactMap { view(of: $0, device: id) } }

    private static func view(of user: String, _ record: DeviceRecord) -> DeviceView {
        DeviceView(
            user: user, device: record.device, epoch: record.login?.epoch, connection: record.login?.connection,
            isPresent: record.login?.isPresent ?? false, since: record.login?.since,
            pendingKick: record.undeliveredKick, messagesWaiting: record.inbox.count,
            operationsWaiting: record.operations.count, channels: record.login?.channels ?? [],
            isPushBound: record.isPushBound)
    }

    /// The ids of the user's devices, except one, that other users see as online.
    package func presentDeviceIDs(of user: String, besides device: String) -> [String] {
        presentDevices(of: user, besides: device).map(\.device.id)
    }

    package var accountNames: [String] { Array(accounts.keys) }

    /// All groups with their members, in the order of joining. `parent` is the group of a thread, or empty.
    package var groupMembers: [(group: String, parent: String, members: [GroupMember])] {
        groups.groups.map { ($0.key, $0.value.group.rules.parent, $0.value.members.values.elements) }
    }

    package func hasConnection(_ id: ConnectionID) -> Bool { connections[id] != nil }

    package var timerCount: Int { timers.entries.count }

    /// The timers that are set, the earliest first.
    package var setTimers: [Deadlines<ServerTimer>.Entry] { timers.entries }

    /// A copy of the server with only the timers that match.
    package func keepingTimers(where isIncluded: (ServerTimer) -> Bool) -> ServerMachine {
        var copy = self
        copy.timers.cancel { !isIncluded($0) }
        return copy
    }

    /// The channels that have members, each with its members' names in the order in which they joined.
    package var channelMembers: [(channel: String, members: [String])] {
        channels.names.map { ($0, channels[$0]?.members.keys.elements ?? []) }
    }

    /// The attributes of a user (RTM-4).
    package func attributes(of user: String) -> [AnswerField] { accounts[user]?.attributes ?? [] }

    /// The users whose presence a connection watches. A user with several entries, which would be an error, occurs
    /// several times.
    package func watched(by connection: ConnectionID) -> [String] {
        watchers.names.flatMap { name in
            (watchers[name] ?? []).filter { $0 == connection }.map { _ in name }
        }
    }

    /// The connections that watch a user, one for each watch.
    package var watchingConnections: [ConnectionID] { watchers.names.flatMap { watchers[$0] ?? [] } }

    /// The number of the latest change of a user's data that exists on a device (ZIM-9).
    package func lastChange(of user: String, device: String) -> UInt64 {
        accounts[user]?.feed.lastNumber(on: device) ?? 0
    }

    /// True if other users see the user as online.
    package func isUserOnline(_ user: String) -> Bool { isOnline(user) }

    /// The tree (SYNC-1).
    package var treeRoot: TreeNode { tree.root }

    /// The connections that listen to a path of the tree.
    package var listeningConnections: [ConnectionID] { tree.listens.keys.elements }

    package func listens(on connection: ConnectionID) -> [TreeListen] { tree.listens[connection] ?? [] }
}
