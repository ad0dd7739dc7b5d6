import IMLocalData
import IMProtocol
import SansIO

// What a sync brings of a user's data, where a system has its phases for it (NIM-14): the groups that the user is in, the
// messages that other devices have had, and what the system has to say.

extension ServerMachine {
    /// The things of a phase in the order of their numbers: what the data has, and what an operator made up.
    func things(of phase: SyncPhase, of user: String) -> [SyncItem] {
        guard let account = accounts[user] else { return [] }
        let made = account.syncItems[phase] ?? []
        guard policy.syncBringsData else { return made }
        let data = account.feed.changes.compactMap { $0.thing(of: phase, user: user) }
        return data.suffix(policy.syncItemCountMax) + made
    }

    /// Devices that have the user's last message otherwise than by a sync need not be brought it as one that others had.
    mutating func noteHanded(to devices: [String], of user: String) {
        guard policy.syncBringsData, let number = accounts[user]?.feed.lastNumber else { return }
        let most = policy.changesKeptMax
        for id in devices { accounts[user]?.devices[id]?.pulled.take(number, of: .roamingMessages, most: most) }
    }

    /// The same of messages that waited for the user's first device.
    mutating func noteHanded(to device: String, of user: String, messages names: [MessageName]) {
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
    /// The change as a thing of a phase; nil where it belongs to another one, or to none.
    fileprivate func thing(of phase: SyncPhase, user: String) -> SyncItem? {
        guard kind.phase == phase else { return nil }
        switch (phase, LocalChange(self)) {
        case (.groups, .group(let group)): return SyncItem(id: group.id, text: group.name, number: number)
        case (.roamingMessages, .message(let message)):
            // As the device names what it was sent: with its sender, where that is somebody else.
            let id = message.sender == user ? message.id : "\(message.sender)/\(message.id)"
            return SyncItem(id: id, text: message.text, number: number)
        case (.systemNotifications, .friendApplication(let application)) where application.isReceived:
            return notification(application.wording)
        case (.systemNotifications, .groupApplication(let application)): return notification(application.wording)
        default: return nil
        }
    }

    /// How an application stands now is another notification than how it stood.
    private func notification(_ text: String) -> SyncItem {
        SyncItem(id: "\(SyncPhase.systemNotifications.name)-\(number)", text: text, number: number)
    }
}
