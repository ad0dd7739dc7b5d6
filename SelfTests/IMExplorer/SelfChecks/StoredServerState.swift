import IMProtocol
import IMServer

/// The part of the server's state that it stores for its next process: pending kicks, waiting messages and operations,
/// current logins, push (C-7, C-14, CHAT-8, NIM-10), accounts and groups.
enum StoredServerState {
    private struct Owed: Hashable {
        var user: String
        var device: String
        var epoch: LoginEpoch?
        var hasPendingKick: Bool
        var messages: Int
        var operations: Int
        var isPushBound: Bool

        init(_ view: ServerMachine.DeviceView, freesPlace: Bool) {
            user = view.user
            device = view.device.id
            // Under some policies, a disconnected device has no slot and so no current login (CHAT-3).
            epoch = freesPlace ? nil : view.epoch
            hasPendingKick = view.hasPendingKick
            messages = view.messagesWaiting
            operations = view.operationsWaiting
            isPushBound = view.isPushBound
        }
    }

    private struct Kept: Equatable {
        var devices: [Owed]
        var accounts: [String]
        var groups: [String]

        init(_ server: ServerMachine) {
            devices = server.deviceViews.map { Owed($0, freesPlace: server.policy.offlineFreesPlace) }
            accounts = server.accountNames
            groups = server.groupMembers.map { "\($0.group) \($0.members.map(\.user))" }.sorted()
        }
    }

    /// Describes a part of the state of `server` that `next` lacks; nil if both are equal.
    static func forgotten(from server: ServerMachine, in next: ServerMachine) -> String? {
        let (before, after) = (Kept(server), Kept(next))
        guard after != before else { return nil }
        let changed = zip(before.devices, after.devices).first { $0 != $1 }?.0
        return changed.map { "\($0.user) on \($0.device)" } ?? "devices, accounts or groups"
    }
}
