import IMProtocol

// The keys of commands, notifications and keyframes in a session file. If a case or a property is renamed, its key does
// not change: `case newName = "oldName"`. `FormatKeyTests` checks the keys. A type that is stored in keyframes has a
// list only if one of its properties was renamed. A new property of such a type must be added to its list, or it is not
// stored; `StoredPropertyTests` checks this.

extension ClientCommand {
    enum CodingKeys: String, CodingKey {
        case login, logout, renewToken, kick, query, send, resend, join, leave, setOption, setAttributes, ask, watch
        case accountCall, operate, tree, call, change, goOffline, goOnline
    }

    enum LogoutCodingKeys: String, CodingKey { case keepsPush }
    enum RenewTokenCodingKeys: String, CodingKey { case credential, clock }
    enum SendCodingKeys: String, CodingKey { case to, text, isToChannel }
    enum JoinCodingKeys: String, CodingKey { case channel }
    enum LeaveCodingKeys: String, CodingKey { case channel }
    enum SetAttributesCodingKeys: String, CodingKey { case channel, _1 }
    enum WatchCodingKeys: String, CodingKey { case user, isOn }
    enum AccountCallCodingKeys: String, CodingKey { case user, credential, _2 }
    enum OperateCodingKeys: String, CodingKey { case _0, target, ext }
    enum TreeCodingKeys: String, CodingKey { case _0, clock }
}

extension TokenClock {
    enum CodingKeys: String, CodingKey { case expiresAtMilliseconds, deviceMilliseconds }
}

extension TreeListening {
    enum CodingKeys: String, CodingKey { case query, kinds }
}

extension ClientNotification {
    enum CodingKeys: String, CodingKey {
        case loginStep, autologinFailed, kicked, devicesChanged, messageReceived, memberChanged, tokenExpired
        case tokenWillExpire, autologinCompleted, syncStarted, syncFinished, synced, operated, presence, treeValue
        case treeChild, treeCancelled, dataSync, dataChanged, dataProgress, linkChanged, dataOpened, replaced
    }

    enum MemberChangedCodingKeys: String, CodingKey { case channel, user, joined }
    enum TokenWillExpireCodingKeys: String, CodingKey { case inMilliseconds }
    enum SyncedCodingKeys: String, CodingKey { case _0, new }
    enum PresenceCodingKeys: String, CodingKey { case user, _1 }
    enum TreeValueCodingKeys: String, CodingKey { case path, _1, _2 }
    enum TreeCancelledCodingKeys: String, CodingKey { case path, _1, _2 }
    enum DataProgressCodingKeys: String, CodingKey { case done, all }
    enum DataOpenedCodingKeys: String, CodingKey { case user }
}

extension LinkChange {
    enum CodingKeys: String, CodingKey { case from, to, reason, isOfReconnect, channels }
}

extension TreeChildNotice {
    enum CodingKeys: String, CodingKey { case kind, path, query, key, previousKey, node }
}

extension TreeCommand {
    enum CodingKeys: String, CodingKey {
        case set, update, push, get, listen, unlisten, transaction, keep, persistence, outline, onDisconnect
        case onDisconnectUpdate, cancelOnDisconnect
    }

    enum SetCodingKeys: String, CodingKey { case path, _1 }
    enum UpdateCodingKeys: String, CodingKey { case path, _1 }
    enum PushCodingKeys: String, CodingKey { case path, _1 }
    enum GetCodingKeys: String, CodingKey { case path, _1 }
    enum ListenCodingKeys: String, CodingKey { case path, _1 }
    enum UnlistenCodingKeys: String, CodingKey { case path, _1 }
    enum TransactionCodingKeys: String, CodingKey { case path, _1, isHidden }
    enum KeepCodingKeys: String, CodingKey { case path, _1, isOn }
    enum PersistenceCodingKeys: String, CodingKey { case bytesMax }
    enum OutlineCodingKeys: String, CodingKey { case path }
    enum OnDisconnectCodingKeys: String, CodingKey { case path, _1 }
    enum OnDisconnectUpdateCodingKeys: String, CodingKey { case path, _1 }
    enum CancelOnDisconnectCodingKeys: String, CodingKey { case path }
}

extension ClientMachine.Link {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case id, isOpen, hostsRefused, heartbeatWait, lastReceived = "lastHeard"
        case receivedBeforeSleep = "heardBeforeSleep"
        case sentChecksum = "said"
        case receivedChecksum = "heard"
        case resync, sync
    }
}

extension ClientTree {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case client, info, listeners, writes, transactions, reads
        case queuedOnDisconnects = "orders"
        case sentRequests = "asked"
        case areListensRepeated = "isAskedAnew"
        case isConnected, offsetMilliseconds, clock, serverMilliseconds, childIDs, lastListener, device
    }
}

extension PendingTreeRequest {
    enum CodingKeys: String, CodingKey, CaseIterable { case number, kind = "what" }
}

extension ClientData {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case generation, owner, stage, calls, lastCall
        case fetchConnection = "asked"
        case request, overtakenBy
        case sending = "telling"
        case fetchingCalls = "fetching"
        case isSyncing
    }
}

extension PendingRequest {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case number, command, channel, leaving, credential, path, attributes, watching, newWatch, membersOf
        case isReconciled = "isKept"
    }
}

extension Reconciliation {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case isNeeded = "isDue"
        case request, last
        case areAttributesUnknown = "areAttributesOpen"
    }
}

extension WatchedUser {
    enum CodingKeys: String, CodingKey, CaseIterable { case user, isPresent = "isThere" }
}

extension WallClock {
    enum CodingKeys: String, CodingKey, CaseIterable { case zeroMilliseconds, isServerTime = "isServers" }
}
