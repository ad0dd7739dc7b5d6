import IMCheckers
import IMDebugger
import IMServer
import IMSimulation
import SansIO

/// Checks a server that stores its accounts and its tree at the end of the program. The server of the next run must
/// have the same state: pending kicks and messages, deleted accounts, and tree data (C-7, C-11, SYNC-4).
enum StoredServerCheck {
    static func violation(of scenario: Scenario) throws -> Violation? {
        let world = try SimulatedWorld(scenario.configuration())
        let store = AccountsInMemory(world.core)
        world.core.keep(in: store)
        world.play(scenario.steps)
        guard let server = world.core.serverMachine else { return nil }
        // The next process carries out the onDisconnect writes, so its time is the time at which the tree was stored.
        let end = store.treeKeptAt ?? world.core.now
        let epoch = world.core.configuration.epochNanoseconds + end.nanoseconds
        var next = ServerMachine(policy: server.policy, epochMilliseconds: epoch / 1_000_000)
        try AccountSaver(store, profile: scenario.profile).restore(into: &next)
        if let detail = StoredServerState.forgotten(from: server, in: next) { return failure(detail) }
        let removed = scenario.steps.compactMap { step in
            if case .server(.deleteAccount(let user)) = step.action { user } else { nil }
        }
        for user in removed where server.keptRemoval(of: user) != next.keptRemoval(of: user) {
            return failure("the removal of \(user)")
        }
        let written = server.withoutConnections(at: end).treeRoot
        return written == next.treeRoot ? nil : failure("\(next.treeRoot), not \(written)")
    }

    private static func failure(_ detail: String) -> Violation {
        Violation(.pairs, "C-7", "a server that was stored for the next run has another state there", detail)
    }
}

private final class AccountsInMemory: AccountStore {
    private var accounts: [(user: String, json: [UInt8])] = []
    private var rows: [AccountRow] = []
    private var removals: [(user: String, json: [UInt8])] = []
    private var tree: [UInt8]?
    private var treeChanges: [[UInt8]] = []
    private(set) var treeKeptAt: Instant?
    private unowned let core: WorldCore

    init(_ core: WorldCore) { self.core = core }

    func accounts(profile: String) -> [(user: String, json: [UInt8])] { accounts }
    func rows(profile: String) -> [AccountRow] { rows.sorted { $0.number < $1.number } }
    func removals(profile: String) -> [(user: String, json: [UInt8])] { removals }
    func tree(profile: String) -> [UInt8]? { tree }
    func treeChanges(profile: String) -> [[UInt8]] { treeChanges }

    func save(_ changes: [AccountChange], removals: [AccountChange], tree: TreeSave?, profile: String) {
        Self.save(changes, into: &accounts)
        for change in changes where change.json == nil { rows.removeAll { $0.user == change.user } }
        for row in changes.flatMap(\.rows) {
            rows.removeAll { $0.user == row.user && $0.list == row.list && $0.number == row.number }
            if row.json != nil { rows.append(row) }
        }
        Self.save(removals, into: &self.removals)
        switch tree {
        case .whole(let json): (self.tree, treeChanges) = (json, [])
        case .change(let json): treeChanges.append(json)
        case nil: return
        }
        treeKeptAt = core.now
    }

    /// Replaces the stored account of a user at its position, or adds it at the end.
    private static func save(_ changes: [AccountChange], into kept: inout [(user: String, json: [UInt8])]) {
        for change in changes {
            let index = kept.firstIndex { $0.user == change.user }
            switch (index, change.json) {
            case (let index?, let json?): kept[index].json = json
            case (let index?, nil): kept.remove(at: index)
            case (nil, let json?): kept.append((change.user, json))
            case (nil, nil): break
            }
        }
    }
}
