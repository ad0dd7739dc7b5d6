import Foundation
import GRDB
import IMClient
import IMProtocol
import IMSimulation
import Testing

@testable import IMLive

@Suite struct ClientStoreTests {
    /// Calls the test with the path of a missing file in a new folder.
    private func withPath(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("imstore-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("store.sqlite").path)
    }

    private let full = LocalData(
        lastUser: "alice", credentialReference: "token-1", lastEpoch: .max, lastResult: .kicked, autologinAllowed: true)

    @Test(
        "NIM-3: a client's data is read unchanged, including an epoch beyond SQLite's integers",
        arguments: StoreKind.allCases)
    func roundTrip(_ kind: StoreKind) throws {
        let store = try kind.makeStore()
        #expect(try store.load(profile: "nim", client: "phone") == LocalData())
        try store.save(full, profile: "nim", client: "phone")
        #expect(try store.load(profile: "nim", client: "phone") == full)
        for result in Status.allCases {
            let data = LocalData(lastUser: nil, lastEpoch: 1, lastResult: result)
            try store.save(data, profile: "nim", client: "phone")
            #expect(try store.load(profile: "nim", client: "phone") == data)
        }
    }

    @Test("C-13: clients and profiles have separate data", arguments: StoreKind.allCases)
    func keysAreSeparate(_ kind: StoreKind) throws {
        let store = try kind.makeStore()
        try store.save(full, profile: "nim", client: "phone")
        #expect(try store.load(profile: "nim", client: "pad") == LocalData())
        #expect(try store.load(profile: "agora-rtm", client: "phone") == LocalData())
        #expect(try store.load(profile: "nim", client: "PHONE") == LocalData())
        #expect(try store.load(profile: "nim", client: "phone' OR '1'='1") == LocalData())
    }

    @Test("C-14: received items are read; at most the client's limit is stored, separately for each client")
    func receivedAndBounded() throws {
        var numbers = NumberRanges()
        for number in [1, 2, 3, 7, UInt64.max] { numbers.take(number, rangesMax: 9) }
        var of = ReceivedNumbers.Numbers()
        of.messages = numbers
        var data = full
        data.received = ReceivedNumbers(users: [.init(user: "alice", numbers: of)])
        try withPath { path in
            try SQLiteClientStore(path: path).save(data, profile: "nim", client: "phone")
            let store = try SQLiteClientStore(path: path)
            #expect(try store.load(profile: "nim", client: "phone") == data)
            let items = (0..<ClientMachine.itemCountMax + 300).map {
                LocalItem(user: "alice", kind: .message, id: "m-\($0)", text: "")
            }
            try store.keep(items, profile: "nim", client: "phone")
            // The same items are stored again. Each is stored only once.
            try store.keep(Array(items.suffix(2)), profile: "nim", client: "phone")
            let other = LocalItem(user: "alice", kind: .group, id: "g", text: "")
            try store.keep([other], profile: "nim", client: "pad")
            let rows = try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item") }
            let rowsMax = ClientMachine.itemCountMax + 1 + Int(SQLiteClientStore.trimInterval)
            #expect(try #require(rows) <= rowsMax)
            let kept = try store.load(profile: "nim", client: "phone").items
            #expect(kept == Array(items.dropFirst(300)))
        }
    }

    @Test("CHAT-4: the first device id proposed for a client is kept, and survives the process")
    func installationIsKept() throws {
        try withPath { path in
            do {
                let store = try SQLiteClientStore(path: path)
                #expect(try store.installation(profile: "nim", client: "phone", proposed: "d-1") == "d-1")
                #expect(try store.installation(profile: "nim", client: "phone", proposed: "d-2") == "d-1")
                #expect(try store.installation(profile: "nim", client: "pad", proposed: "d-2") == "d-2")
                try store.save(full, profile: "nim", client: "phone")
            }
            // The second opening runs the migrations on a file that already has them.
            let again = try SQLiteClientStore(path: path)
            #expect(try again.installation(profile: "nim", client: "phone", proposed: "d-3") == "d-1")
            #expect(try again.load(profile: "nim", client: "phone") == full)
        }
    }

    @Test("design 2: two stores on one file see each other's writes")
    func twoStoresOnOneFile() throws {
        try withPath { path in
            let one = try SQLiteClientStore(path: path)
            let other = try SQLiteClientStore(path: path)
            try one.save(full, profile: "nim", client: "phone")
            #expect(try other.load(profile: "nim", client: "phone") == full)
            #expect(try other.installation(profile: "nim", client: "phone", proposed: "d-1") == "d-1")
            #expect(try one.installation(profile: "nim", client: "phone", proposed: "d-2") == "d-1")
        }
    }

    @Test("design 3: a file that is not a database is refused in words, and left unchanged")
    func foreignFile() throws {
        try withPath { path in
            let bytes = Data(String(repeating: "this is a diary, not a database\n", count: 100).utf8)
            try bytes.write(to: URL(fileURLWithPath: path))
            do throws(StoreError) {
                _ = try SQLiteClientStore(path: path)
                Issue.record("a diary was taken for a store")
            } catch {
                #expect(error.description.contains("store"))
                #expect(!error.description.contains("\n"))
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        }
    }

    @Test("design 3: another program's database is refused in words, and not written")
    func foreignDatabase() throws {
        try withPath { path in
            let foreign = try DatabaseQueue(path: path)
            try foreign.write { try $0.execute(sql: "CREATE TABLE recipe (title TEXT)") }
            do throws(StoreError) {
                _ = try SQLiteClientStore(path: path)
                Issue.record("a cookbook was taken for a store")
            } catch {
                #expect(error.description.contains("not a store of imrepl"))
            }
            let tables = try foreign.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") }
            #expect(tables == ["recipe"])
        }
    }

    @Test("design 2: a store of a later version is refused in words")
    func newerStore() throws {
        try withPath { path in
            do { _ = try SQLiteClientStore(path: path) }
            let later = try DatabaseQueue(path: path)
            try later.write {
                try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99: from the future')")
            }
            do throws(StoreError) {
                _ = try SQLiteClientStore(path: path)
                Issue.record("a later version's store was opened")
            } catch {
                #expect(error.description.contains("newer"))
            }
        }
    }

    @Test("design 3: a path that cannot be opened is named in the error")
    func missingFolder() throws {
        try withPath { path in
            do throws(StoreError) {
                _ = try SQLiteClientStore(path: path + "/no/such/folder.sqlite")
                Issue.record("a store was made in a folder that is not there")
            } catch {
                #expect(error.description.contains("/no/such/folder.sqlite"))
            }
        }
    }
}

/// The kinds of stores. A client's data must be equal in each of them.
enum StoreKind: CaseIterable {
    case memory
    case database

    func makeStore() throws -> any ClientStore {
        switch self {
        case .memory: MemoryClientStore()
        case .database: try SQLiteClientStore()
        }
    }
}
