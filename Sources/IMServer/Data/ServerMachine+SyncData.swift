import IMLocalData
import IMProtocol
import SansIO

// The part of a user's data that a sync delivers, if the system's sync has phases (NIM-14): the user's groups, the
// messages that other devices have received, and the system notifications.

extension ServerMachine {
    /// The items of a phase: first those from the user's data, then those that an operator created with `populate`.
    /// Both are in the order of their numbers.
    func availableItems(of phase: SyncPhase, of user: String) -> [SyncItem] {
        guard let account = accounts[user] else { return [] }
        let created = account.syncItems[phase] ?? []
        guard policy.syncBringsData else { return created }
        let data = account.feed.changes.compactMap { $0.syncItem(of: phase, user: user) }
        return data.suffix(policy.syncItemCountMax) + created
    }

    /// Records that devices already have the user's latest message. Otherwise the next sync would deliver it again.
    mutating func markReceived(to devices: [String], of user: String) {
        guard policy.syncBringsData, let number = accounts[user]?.feed.lastNumber else { return }
        let rangesMax = policy.changesKeptMax
        for id in devices {
            accounts[user]?.devices[id]?.pulled.take(number, of: .roamingMessages, rangesMax: rangesMax)
        }
    }

    /// Records that a device already has messages: those that were stored before the user had a device.
    mutating func markReceived(to device: String, of user: String, messages names: [MessageName]) {
        guard policy.syncBringsData, let changes = accounts[user]?.feed.changes else { return }
        let rangesMax = policy.changesKeptMax
        for change in changes where names.contains(where: change.isMessage) {
            accounts[user]?.devices[device]?.pulled.take(change.number, of: .roamingMessages, rangesMax: rangesMax)
        }
    }
}

extension ChangeKind {
    /// The phase that delivers changes of this kind; nil if no phase delivers them.
    fileprivate var phase: SyncPhase? {
        switch self {
        case .group: .groups
        case .message: .roamingMessages
        case .friendApplication, .groupApplication: .systemNotifications
        default: nil
        }
    }
}

extension ChangeRecord {
    /// The change as an item of a phase; nil if this phase does not deliver the change.
    fileprivate func syncItem(of phase: SyncPhase, user: String) -> SyncItem? {
        guard kind.phase == phase else { return nil }
        switch (phase, LocalChange(self)) {
        case (.groups, .group(let group)): return SyncItem(id: group.id, text: group.name, number: number)
        case (.roamingMessages, .message(let message)):
            // The device stores a message from another user under an id with the sender, so the item has the same id.
            let id = message.sender == user ? message.id : "\(message.sender)/\(message.id)"
            return SyncItem(id: id, text: message.text, number: number)
        case (.systemNotifications, .friendApplication(let application)) where application.isReceived:
            return notification(application.wording)
        case (.systemNotifications, .groupApplication(let application)): return notification(application.wording)
        default: return nil
        }
    }

    /// The id contains the change's number, because each new state of an application is a new notification.
    private func notification(_ text: String) -> SyncItem {
        SyncItem(id: "\(SyncPhase.systemNotifications.name)-\(number)", text: text, number: number)
    }
}
