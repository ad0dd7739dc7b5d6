import IMClient
import IMProtocol
import IMServer
import IMSession

/// A restarted server keeps what it stored: pending kicks, waiting messages and operations, current logins, push (C-7,
/// C-14, CHAT-8, NIM-10), accounts and groups.
package struct RestartChecker {
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
            // A disconnected device may hold no slot (CHAT-3).
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

        /// - Parameter inOrder: true if the order of the groups' creation counts.
        init(_ server: ServerMachine, inOrder: Bool = true) {
            devices = server.deviceViews.map { Owed($0, freesPlace: server.policy.offlineFreesPlace) }
            accounts = server.accountNames
            let groups = server.groupMembers.map { "\($0.group) \($0.members)" }
            self.groups = inOrder ? groups : groups.sorted()
        }
    }

    private var before: Kept?

    /// Describes state of one server that another one lacks, regardless of the order of groups; nil if it lacks
    /// nothing.
    package static func forgotten(from server: ServerMachine, in next: ServerMachine) -> String? {
        difference(Kept(server, inOrder: false), Kept(next, inOrder: false))
    }

    private static func difference(_ before: Kept, _ after: Kept) -> String? {
        guard after != before else { return nil }
        let changed = zip(before.devices, after.devices).first { $0 != $1 }?.0
        return changed.map { "\($0.user) on \($0.device)" } ?? "devices, accounts or groups"
    }

    /// Call it before the server's process ends.
    mutating func willEnd(_ server: ServerMachine) { before = Kept(server) }

    mutating func observeServer(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        case .start(let record):
            guard case .server(let server) = record.body, let before else { return }
            self.before = nil
            guard let detail = Self.difference(before, Kept(server)) else { return }
            violations.append(Violation(.agreement, "C-7", "a server that begins anew has forgotten something", detail))
        default: break
        }
    }
}
