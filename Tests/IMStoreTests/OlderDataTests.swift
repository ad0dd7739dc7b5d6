import Foundation
import GRDB
import IMProfiles
import IMServer
import IMTree
import TestSupport
import Testing

@testable import IMLive
@testable import IMSimulation

/// Tests with data folders of a version that stored accounts and trees as a whole (Tests/OlderData).
@Suite struct OlderDataTests {
    private func copy() throws -> Sandbox {
        let sandbox = try Sandbox()
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "OlderData").path
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: sandbox.file(name))
        }
        return sandbox
    }

    /// A server with all data of a store, and the saver that restored it.
    private func machine(_ store: SQLiteServerStore, _ dialect: any Dialect) throws -> (ServerMachine, AccountSaver) {
        var machine = ServerMachine(policy: dialect.serverPolicy, epochMilliseconds: 1_800_000_000_000)
        let accountSaver = AccountSaver(store, profile: dialect.profile)
        try accountSaver.restore(into: &machine)
        return (machine, accountSaver)
    }

    private func checkServer(_ path: String) throws {
        let store = try SQLiteServerStore(path: path)
        defer { store.close() }
        let (nim, _) = try machine(store, NIMDialect())
        // Three messages wait for one device. Each is also in the changes of both users.
        #expect(nim.keptAccount(of: "off")?.rows(since: nil).count == 6)
        #expect(nim.keptAccount(of: "b")?.rows(since: nil).count == 4)
        let (wilddog, _) = try machine(store, WilddogDialect())
        #expect(wilddog.treeRoot[["rooms", "one", "name"]] == TreeNode(.text("one")))
        #expect(wilddog.treeRoot[["rooms", "two"]] == TreeNode(.text("two")))
    }

    private func checkClient(_ path: String) throws {
        let store = try SQLiteClientStore(path: path)
        let texts = ["first", "second", "third", "received"]
        #expect(try store.load(profile: "nim", client: "p").items.map(\.text) == texts)
        let data = try #require(
            try store.data(of: "b", profile: "nim", client: "p") as? SQLiteUserData)
        #expect(try data.exportedMessages().map(\.text) == texts)
        store.closeData(profile: "nim", client: "p")
    }

    @Test("design 3: the data of an older program opens, twice")
    func opens() throws {
        let sandbox = try copy()
        for _ in 1...2 {
            try checkServer(sandbox.file("server.sqlite"))
            try checkClient(sandbox.file("clients.sqlite"))
        }
    }

    @Test("design 3: a migration that was killed continues at the next start")
    func killedMigration() throws {
        try kill(SQLiteServerStore.migrations, of: "server.sqlite", thenCheck: checkServer)
        try kill(SQLiteClientStore.migrations, of: "clients.sqlite", thenCheck: checkClient)
    }

    /// Checks a copy of the files after each migration, and one in the middle of a migration that has removed all
    /// tables. A killed process leaves such files.
    private func kill(_ migrations: DatabaseMigrator, of name: String, thenCheck check: (String) throws -> Void) throws
    {
        let sandbox = try copy()
        let queue = try DatabaseQueue(path: sandbox.file(name))
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA cache_size = 1") }
        let done = try queue.read { try migrations.appliedMigrations($0) }
        for identifier in migrations.migrations.dropFirst(done.count - 1) {
            try migrations.migrate(queue, upTo: identifier)
            try queue.inDatabase { database in
                try database.execute(sql: "BEGIN IMMEDIATE; DROP TABLE IF EXISTS account; DROP TABLE IF EXISTS item")
                let killed = try copy()
                for ending in ["", "-wal"] {
                    try? FileManager.default.removeItem(atPath: killed.file(name + ending))
                    try FileManager.default.copyItem(
                        atPath: sandbox.file(name + ending), toPath: killed.file(name + ending))
                }
                try database.execute(sql: "ROLLBACK")
                try check(killed.file(name))
            }
        }
    }
}
