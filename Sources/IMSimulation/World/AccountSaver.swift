import IMServer
import IMSession
import OrderedCollections

/// Stores the server state that outlives its process, and restores it in the next process.
///
/// Confined to the world's thread.
package final class AccountSaver {
    private let store: any AccountStore
    private let profile: String
    private var keptTree: TreeSnapshot?
    /// The sizes in the store, in bytes: of the whole tree, and of the changes that were stored after it.
    private var treeBytes = (whole: 0, changes: 0)
    /// The stored changes are replaced by the whole tree if they are larger than this many bytes and larger than the
    /// tree. So reading the tree takes at most twice the time, and writing the whole tree costs no more than writing
    /// the changes did.
    private static let treeChangesMax = 64 << 10
    /// The users for whom the store contains the record of a removed account.
    private var removedUsers: OrderedSet<String> = []
    /// The stored state of each account. It shows if an input has changed an account that it touched.
    private var stored: OrderedDictionary<String, StoredAccount> = [:]
    /// The users whose accounts may have changed since the last save, each once.
    private var touched: OrderedSet<String> = []

    package init(_ store: any AccountStore, profile: String) {
        self.store = store
        self.profile = profile
    }

    /// Fills a server that has not started yet.
    package func restore(into machine: inout ServerMachine) throws {
        let rows = OrderedDictionary(grouping: try store.rows(profile: profile), by: \.user)
        let accounts = try store.accounts(profile: profile).map { user, json in
            guard let account = try? CanonicalJSON.decode(KeptAccount.self, from: json),
                let rows = try? rows[user, default: []].map(KeptRow.init), let kept = try? account.with(rows)
            else { throw unreadable("the account '\(user)'") }
            stored[user] = StoredAccount(account, rows: rows)
            return (user, kept)
        }
        machine.restore(accounts)
        for (user, json) in try store.removals(profile: profile) {
            guard let kept = try? CanonicalJSON.decode(KeptRemoval.self, from: json) else {
                throw unreadable("the removal of the account '\(user)'")
            }
            machine.restore(kept, of: user)
            removedUsers.append(user)
        }
        if let json = try store.tree(profile: profile) {
            let changes = try store.treeChanges(profile: profile)
            guard var kept = try? CanonicalJSON.decode(KeptTree.self, from: json),
                let later = try? changes.map({ try CanonicalJSON.decode(KeptTreeChange.self, from: $0) })
            else { throw unreadable("the tree") }
            kept.apply(later)
            treeBytes = (json.count, changes.reduce(0) { $0 + $1.count })
            machine.restore(kept)
            // The state as stored, not the state of the machine: the machine has run the onDisconnect operations of the
            // ended connections, and the next save has to store their changes.
            keptTree = kept.mark
        } else {
            keptTree = machine.treeSnapshot
        }
    }

    private func unreadable(_ what: String) -> WorldError {
        WorldError("\(what) of \(profile) was stored by another version and cannot be read; choose another folder")
    }

    /// Adds to `touched` the accounts that the last input may have changed.
    func note(_ machine: ServerMachine) {
        touched.formUnion(machine.touchedUsers)
    }

    /// Saves all changes of the inputs since the last save, or none of them. Call it before the effects of these inputs
    /// are carried out.
    func keep(_ machine: ServerMachine) throws {
        note(machine)
        let users = touched
        let snapshot = machine.treeSnapshot
        let tree = try changedTree(machine, snapshot)
        var accounts: [(user: String, account: KeptAccount?, rows: [KeptRow])] = []
        for user in users {
            let (account, stored) = (machine.keptAccount(of: user), stored[user])
            let rows = account?.rows(since: stored) ?? []
            let base = account?.withoutRows
            if !rows.isEmpty || base != stored?.account { accounts.append((user, base, rows)) }
        }
        let changes = try accounts.map { user, account, rows in
            AccountChange(
                user: user, json: try account.map(CanonicalJSON.encode),
                rows: try rows.map { try AccountRow($0, of: user) })
        }
        let removals = try users.compactMap { user -> AccountChange? in
            let removal = machine.keptRemoval(of: user)
            guard removal != nil || removedUsers.contains(user) else { return nil }
            return AccountChange(user: user, json: try removal.map(CanonicalJSON.encode))
        }
        if !changes.isEmpty || !removals.isEmpty || tree != nil {
            try store.save(changes, removals: removals, tree: tree, profile: profile)
        }
        touched = []
        for removal in removals {
            if removal.json == nil { removedUsers.remove(removal.user) } else { removedUsers.append(removal.user) }
        }
        for (user, account, rows) in accounts {
            if let account {
                stored[user, default: StoredAccount(account, rows: [])].note(account, rows: rows)
            } else {
                stored[user] = nil
            }
        }
        keptTree = snapshot
        switch tree {
        case .whole(let json): treeBytes = (json.count, 0)
        case .change(let json): treeBytes.changes += json.count
        case nil: break
        }
    }

    private func changedTree(_ machine: ServerMachine, _ snapshot: TreeSnapshot) throws -> TreeSave? {
        guard let keptTree, treeBytes.whole > 0, let change = machine.keptTreeChange(since: keptTree) else {
            return snapshot == keptTree ? nil : .whole(try CanonicalJSON.encode(machine.keptTree))
        }
        if change.isEmpty { return nil }
        let json = try CanonicalJSON.encode(change)
        guard treeBytes.changes + json.count > max(treeBytes.whole, Self.treeChangesMax) else { return .change(json) }
        return .whole(try CanonicalJSON.encode(machine.keptTree))
    }
}

extension KeptRow {
    fileprivate init(_ row: AccountRow) throws {
        let entry = try row.json.map { try CanonicalJSON.decode(KeptEntry.self, from: $0) }
        self.init(list: row.list, number: row.number, entry: entry)
    }
}

extension AccountRow {
    fileprivate init(_ row: KeptRow, of user: String) throws {
        self.init(user: user, list: row.list, number: row.number, json: try row.entry.map(CanonicalJSON.encode))
    }
}

extension WorldCore {
    /// Makes the server store its accounts. Call it before the server starts.
    package func keep(in store: (any AccountStore)?) {
        accountSaver = store.map { AccountSaver($0, profile: configuration.profile) }
    }

    /// Holds back the effects of a server that stores accounts until the accounts are saved. All inputs that arrived
    /// together are saved in one transaction, because a transaction costs more than its contents.
    ///
    /// - Parameter input: the input that caused the effects.
    /// - Returns: false for a node that stores nothing.
    func holdsUntilSaved(_ effects: [NodeEffect], to input: EventID, of id: NodeID) -> Bool {
        guard let accountSaver, noteTouched(of: id, accountSaver) else { return false }
        unsavedEffects.append((id, effects, input))
        if unsavedEffects.count > 1 { return true }
        guard let runAfterArrivedInputs else {
            saveAndCarryOut()
            return true
        }
        runAfterArrivedInputs { [weak self] in self?.saveAndCarryOut() }
        return true
    }

    /// Saves what the server's last inputs changed, and carries out their effects.
    ///
    /// If saving fails, no effect of these inputs is carried out, so that no client is notified of changes that are not
    /// stored. The server goes down like a process that died, until ``retryWriting()`` succeeds.
    package func saveAndCarryOut() {
        guard let id = unsavedEffects.first?.node else { return }
        let saved = unsavedEffects
        unsavedEffects = []
        guard saveAccounts(of: id) else { return }
        for (node, effects, input) in saved { carryOut(effects, to: input, of: node) }
    }

    // Each of these functions releases its reference to the machine when it returns. Otherwise the next change of the
    // machine would copy it.

    private func noteTouched(of id: NodeID, _ accountSaver: AccountSaver) -> Bool {
        guard let machine = self[id].machine?.server else { return false }
        accountSaver.note(machine)
        return true
    }

    private func saveAccounts(of id: NodeID) -> Bool {
        guard let accountSaver, let machine = self[id].machine?.server else { return false }
        do {
            try accountSaver.keep(machine)
            return true
        } catch {
            suspend(id, "\(error)")
            return false
        }
    }
}
