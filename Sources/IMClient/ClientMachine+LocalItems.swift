import IMProtocol
import SansIO

// Local items: the groups, messages and notifications that the device stores. Only their user can read them, and only
// while the login permits it (C-13).

extension ClientMachine {
    /// The maximum number of items on the device, of all users together. Beyond it, each new item replaces the oldest.
    public static let itemCountMax = 500

    /// The items of the user who is logged in; empty while local data is not open.
    var ownItems: [LocalItem] {
        guard isDataOpen, let user else { return [] }
        return local.items.filter { $0.user == user }
    }

    /// Stores an item of the user who is logged in, unless it is already stored.
    ///
    /// - Returns: true if the item was not stored before.
    @discardableResult
    mutating func storeItem(
        _ kind: LocalItem.Kind, id: String, text: String, into effects: inout [ClientEffect]
    ) -> Bool {
        guard policy.features.contains(.localData), let user else { return false }
        guard !isStored(kind, id: id) else { return false }
        let item = LocalItem(user: user, kind: kind, id: id, text: text)
        local.items.append(item)
        if local.items.count > ClientMachine.itemCountMax { local.items.removeFirst() }
        effects.append(.keep(item))
        return true
    }

    /// True if the device stores this item for the user who is logged in.
    func isStored(_ kind: LocalItem.Kind, id: String) -> Bool {
        let (items, user) = (local.items, user)
        // Compares by index, without copying each item: every item that arrives is compared with all stored items.
        return items.indices.contains { items[$0].kind == kind && items[$0].id == id && items[$0].user == user }
    }

    /// Handles a page of a sync. After a broken connection the sync starts again, so some items may already be stored.
    /// The app is notified of an item once (NIM-14).
    mutating func syncItemsArrived(
        _ items: [SyncItem], of phase: SyncPhase, count: UInt32, at now: Instant, into effects: inout [ClientEffect]
    ) {
        switch self.phase {
        case .attempting(_, _, .syncing): break
        // The page belongs to a sync while the client is online, or is sent again because it was lost (C-15).
        case .online where policy.sync != .never: break
        // The server sent the page before it received the logout.
        case .leaving: return
        case .attempting, .online, .loggedOut, .waiting, .kicked, .tokenExpired, .paused:
            return endLinkForViolation(at: now, into: &effects)
        }
        // The app is notified of the start of a sync only if there are messages to fetch (CHAT-12).
        if policy.sync == .whileOnline, link?.sync != nil, phase == .offlineMessages, count > 0, !isSyncAnnounced {
            isSyncAnnounced = true
            effects.append(.notify(.syncStarted))
        }
        var new = 0
        for item in items {
            let isFirst = isFirstDelivery(item, of: phase)
            let wasAdded = storeItem(LocalItem.Kind(phase), id: item.id, text: item.text, into: &effects)
            if isFirst ?? wasAdded { new += 1 }
        }
        if let first = items.first?.number, let last = items.last?.number, first != 0, let link {
            if new > 0 { effects.append(.persist(local)) }
            effects.append(.send(link.id, Frame(.syncAck(phase, first: first, last: last))))
        }
        if new > 0 { effects.append(.notify(.synced(phase, new: new))) }
    }
}
