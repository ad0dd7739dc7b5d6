import IMLocalData
import IMProtocol
import SansIO

// The part of a user's data that a sync brings, if a system has phases for it (NIM-14): the user's groups, the messages
// that other devices have received, and the system notifications.

extension ServerMachine {
    /// The items of a phase in the order of their numbers: from the data, and made by an operator.
    func availableItems(of phase: SyncPhase, of user: String) -> [SyncItem] {
        guard let account = accounts[user] else { return [] }
        let made = account.syncItems[phase] ?? []
        guard policy.syncBringsData else { return made }
        let data = account.feed.changes.compactMap { $0.syncItem(of: phase, user: user) }
        return data.suffix(policy.syncItemCountMax) + made
    }

    /// Records that devices have the user's last message without a sync, so that the sync does not bring it as a
    /// roaming message.
    mutating func markReceived(to devices: [String], of user: String) {
        guard policy.syncBringsData, let number = accounts[user]?.feed.lastNumber else { return }
        let most = policy.changesKeptMax
        for id in devices { accounts[user]?.devices[id]?.pulled.take(number, of: .roamingMessages, most: most) }
    }

    /// Marks messages as received by a device: those that waited for the user's first device.
    mutating func markReceived(to device: String, of user: String, messages names: [MessageName]) {
        guard policy.syncBringsData, let changes = accounts[user]?.feed.changes else { return }
        let most = policy.changesKeptMax
        for change in changes where names.contains(where: change.isMessage) {
            accounts[user]?.devices[device]?.pulled.take(change.number, of: .roamingMessages, most: most)
        }
    }
}

extension ChangeKind {
    /// The phase that such changes belong to.
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
    /// The change as an item of a phase; nil if it belongs to another phase, or to none.
    fileprivate func syncItem(of phase: SyncPhase, user: String) -> SyncItem? {
        guard kind.phase == phase else { return nil }
        switch (phase, LocalChange(self)) {
        case (.groups, .group(let group)): return SyncItem(id: group.id, text: group.name, number: number)
        case (.roamingMessages, .message(let message)):
            // The id under which the device has received it: with its sender, if that is another user.
            let id = message.sender == user ? message.id : "\(message.sender)/\(message.id)"
            return SyncItem(id: id, text: message.text, number: number)
        case (.systemNotifications, .friendApplication(let application)) where application.isReceived:
            return notification(application.wording)
        case (.systemNotifications, .groupApplication(let application)): return notification(application.wording)
        default: return nil
        }
    }

    /// A later state of an application is a new notification.
    private func notification(_ text: String) -> SyncItem {
        SyncItem(id: "\(SyncPhase.systemNotifications.name)-\(number)", text: text, number: number)
    }
}
