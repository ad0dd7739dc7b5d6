import IMProtocol
import SansIO

// Local data: what has been kept of groups, messages and notifications. It is readable exactly while the login opens
// it, and only for its user (C-13).

extension ClientMachine {
    /// Things kept on the device, of all users together; the oldest goes first.
    public static let itemCountMax = 500

    /// What has been kept for the user who is logged in.
    var ownItems: [LocalItem] {
        guard isDataOpen, let user else { return [] }
        return local.items.filter { $0.user == user }
    }

    /// Keeps a thing, once.
    ///
    /// - Returns: whether it was not here before.
    @discardableResult
    mutating func keep(
        _ kind: LocalItem.Kind, id: String, text: String, into effects: inout [ClientEffect]
    ) -> Bool {
        guard policy.features.contains(.localData), let user else { return false }
        guard !isKept(kind, id: id) else { return false }
        let item = LocalItem(user: user, kind: kind, id: id, text: text)
        local.items.append(item)
        if local.items.count > ClientMachine.itemCountMax { local.items.removeFirst() }
        effects.append(.keep(item))
        return true
    }

    /// Whether a thing of the user who is logged in has been kept.
    func isKept(_ kind: LocalItem.Kind, id: String) -> Bool {
        let (items, user) = (local.items, user)
        // By their places, because a copy of each is dear: each thing that comes is looked for among all.
        return items.indices.contains { items[$0].kind == kind && items[$0].id == id && items[$0].user == user }
    }

    /// A part of the sync has come. A sync that broke off begins again, and brings what is here already (NIM-14).
    mutating func syncBrought(
        _ items: [SyncItem], of phase: SyncPhase, count: UInt32, at now: Instant, into effects: inout [ClientEffect]
    ) {
        switch self.phase {
        case .attempting(_, _, .syncing): break
        // In its time, or again because some of it got lost (C-15).
        case .online where policy.sync != .never: break
        // Sent before the server read the logout.
        case .leaving: return
        case .attempting, .online, .loggedOut, .waiting, .kicked, .tokenExpired, .paused:
            return endLinkForViolation(at: now, into: &effects)
        }
        // CHAT-12: the app is told of messages, and only when there are any to pull.
        if policy.sync == .whileOnline, link?.sync != nil, phase == .offlineMessages, count > 0, !isSyncAnnounced {
            isSyncAnnounced = true
            effects.append(.notify(.syncStarted))
        }
        var new = 0
        for item in items {
            let isNew = isNews(item, of: phase)
            let isKept = keep(LocalItem.Kind(phase), id: item.id, text: item.text, into: &effects)
            if isNew ?? isKept { new += 1 }
        }
        if let first = items.first?.number, let last = items.last?.number, first != 0, let link {
            if new > 0 { effects.append(.persist(local)) }
            effects.append(.send(link.id, Frame(.syncAck(phase, first: first, last: last))))
        }
        if new > 0 { effects.append(.notify(.synced(phase, new: new))) }
    }
}
