import IMProtocol
import SansIO

// Local data: stored groups, messages and notifications. It is readable exactly while the login permits it, and only
// for its user (C-13).

extension ClientMachine {
    /// Maximum number of items on the device, of all users together; the oldest is dropped first.
    public static let itemCountMax = 500

    /// The items of the user who is logged in.
    var ownItems: [LocalItem] {
        guard isDataOpen, let user else { return [] }
        return local.items.filter { $0.user == user }
    }

    /// Stores an item, once.
    ///
    /// - Returns: true if it is new.
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

    /// True if an item of the user who is logged in is stored.
    func isStored(_ kind: LocalItem.Kind, id: String) -> Bool {
        let (items, user) = (local.items, user)
        // By index, because copying each item is expensive: every arriving item is compared with all.
        return items.indices.contains { items[$0].kind == kind && items[$0].id == id && items[$0].user == user }
    }

    /// Handles a part of the sync. A sync that broke off starts again, and brings items that are already stored
    /// (NIM-14).
    mutating func syncItemsArrived(
        _ items: [SyncItem], of phase: SyncPhase, count: UInt32, at now: Instant, into effects: inout [ClientEffect]
    ) {
        switch self.phase {
        case .attempting(_, _, .syncing): break
        // In a sync, or again because parts of it got lost (C-15).
        case .online where policy.sync != .never: break
        // Sent before the server received the logout.
        case .leaving: return
        case .attempting, .online, .loggedOut, .waiting, .kicked, .tokenExpired, .paused:
            return endLinkForViolation(at: now, into: &effects)
        }
        // CHAT-12: the app is notified of messages only, and only if there are any to pull.
        if policy.sync == .whileOnline, link?.sync != nil, phase == .offlineMessages, count > 0, !isSyncAnnounced {
            isSyncAnnounced = true
            effects.append(.notify(.syncStarted))
        }
        var new = 0
        for item in items {
            let isNew = isFirstDelivery(item, of: phase)
            let isStored = storeItem(LocalItem.Kind(phase), id: item.id, text: item.text, into: &effects)
            if isNew ?? isStored { new += 1 }
        }
        if let first = items.first?.number, let last = items.last?.number, first != 0, let link {
            if new > 0 { effects.append(.persist(local)) }
            effects.append(.send(link.id, Frame(.syncAck(phase, first: first, last: last))))
        }
        if new > 0 { effects.append(.notify(.synced(phase, new: new))) }
    }
}
