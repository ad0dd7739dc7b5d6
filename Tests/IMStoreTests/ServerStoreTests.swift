import Foundation
import GRDB
import IMLive
import TestSupport
import Testing

@Suite struct ServerStoreTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func save(_ store: SQLiteServerStore, _ user: String, _ json: String?, profile: String = "nim") throws {
        try store.save([.init(user: user, json: json.map(bytes))], tree: nil, profile: profile)
    }

    private func accounts(_ store: SQLiteServerStore, profile: String = "nim") throws -> [String] {
        try store.accounts(profile: profile).map { "\($0.user)=\(String(decoding: $0.json, as: UTF8.self))" }
    }

    /// The text of the error when a store is opened; nil if it opens.
    private func refusal(_ path: String) -> String? {
        do throws(StoreError) {
            _ = try SQLiteServerStore(path: path)
            return nil
        } catch {
            return error.description
        }
    }

    // MARK: Stored data

    @Test("design 2: accounts are read in the order of their creation, after any changes")
    func order() throws {
        let sandbox = try Sandbox()
        let path = sandbox.file("server.sqlite")
        do {
            let store = try SQLiteServerStore(path: path)
            for user in ["zoe", "alice", "bob"] { try save(store, user, "1") }
            try save(store, "zoe", "2")
            try save(store, "alice", nil)
            try save(store, "alice", "3")
            store.close()
        }
        let again = try SQLiteServerStore(path: path)
        #expect(try accounts(again) == ["zoe=2", "bob=1", "alice=3"])
    }

    @Test("C-7: removals are read, the oldest first, until an account of the name exists again")
    func removals() throws {
        let sandbox = try Sandbox()
        let path = sandbox.file("server.sqlite")
        func save(_ store: SQLiteServerStore, _ user: String, _ json: String?) throws {
            try store.save(
                [.init(user: user, json: json == nil ? bytes("{}") : nil)],
                removals: [.init(user: user, json: json.map(bytes))], tree: nil, profile: "nim")
        }
        do {
            let store = try SQLiteServerStore(path: path)
            for user in ["zoe", "alice", "bob"] { try save(store, user, "1") }
            try save(store, "zoe", "2")
            try save(store, "alice", nil)
            store.close()
        }
        let again = try SQLiteServerStore(path: path)
        let kept = try again.removals(profile: "nim").map { "\($0.user)=\(String(decoding: $0.json, as: UTF8.self))" }
        #expect(kept == ["bob=1", "zoe=2"])
        #expect(try accounts(again) == ["alice={}"])
        #expect(try again.removals(profile: "zim").isEmpty)
    }

    @Test("design 2: applications have separate accounts, passwords and trees")
    func applications() throws {
        let store = try SQLiteServerStore()
        try save(store, "alice", "1")
        try store.save([], tree: .whole(bytes("t")), profile: "nim")
        try store.keep(PasswordRecord(salt: [1], rounds: 2, hash: [3]), of: "alice", profile: "nim")
        for profile in ["zim", "NIM", "nim' OR '1'='1"] {
            #expect(try accounts(store, profile: profile).isEmpty)
            #expect(try store.tree(profile: profile) == nil)
            #expect(try store.passwords(profile: profile).isEmpty)
        }
        // Names that differ in one byte are different users.
        try save(store, "Alice", "2")
        try save(store, "alice\u{301}", "3")
        #expect(try accounts(store) == ["alice=1", "Alice=2", "alice\u{301}=3"])
    }

    @Test("design 2: a password is read unchanged, and deleted on removal")
    func passwords() throws {
        let store = try SQLiteServerStore()
        let record = PasswordRecord(salt: Array(0...15), rounds: 600_000, hash: Array(200...231))
        try store.keep(record, of: "alice", profile: "chat")
        #expect(try store.passwords(profile: "chat") == ["alice": record])
        let other = PasswordRecord(salt: [], rounds: 1, hash: [0])
        try store.keep(other, of: "alice", profile: "chat")
        #expect(try store.passwords(profile: "chat") == ["alice": other])
        try store.keep(nil, of: "alice", profile: "chat")
        try store.keep(nil, of: "nobody", profile: "chat")
        #expect(try store.passwords(profile: "chat").isEmpty)
    }

    @Test("SYNC-6: the tree is replaced if it has changed")
    func trees() throws {
        let store = try SQLiteServerStore()
        #expect(try store.tree(profile: "wilddog") == nil)
        try store.save([], tree: .whole(bytes("one")), profile: "wilddog")
        try save(store, "alice", "1", profile: "wilddog")
        #expect(try store.tree(profile: "wilddog") == bytes("one"))
        try store.save([], tree: .whole(bytes("two")), profile: "wilddog")
        #expect(try store.tree(profile: "wilddog") == bytes("two"))
    }

    @Test("design 2: saved data is in the files at once, also after a kill")
    func killed() throws {
        let sandbox = try Sandbox()
        let store = try SQLiteServerStore(path: sandbox.file("server.sqlite"))
        try save(store, "alice", "1")
        try store.keep(PasswordRecord(salt: [1], rounds: 2, hash: [3]), of: "alice", profile: "nim")
        // The files are copied while the store is open. A process that is killed leaves its files in this state.
        try FileManager.default.createDirectory(atPath: sandbox.file("after"), withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: sandbox.path) where name.hasPrefix("server") {
            try FileManager.default.copyItem(atPath: sandbox.file(name), toPath: sandbox.file("after/" + name))
        }
        let after = try SQLiteServerStore(path: sandbox.file("after/server.sqlite"))
        #expect(try accounts(after) == ["alice=1"])
        #expect(try after.passwords(profile: "nim").count == 1)
    }

    // MARK: Ownership

    @Test("design 2: only the owner can read it, whatever the file's mode was")
    func permissions() throws {
        let sandbox = try Sandbox()
        for name in ["fresh.sqlite", "loose.sqlite"] {
            let path = sandbox.file(name)
            if name == "loose.sqlite" {
                #expect(
                    FileManager.default.createFile(
                        atPath: path, contents: Data(), attributes: [.posixPermissions: 0o666]))
            }
            let store = try SQLiteServerStore(path: path)
            try save(store, "alice", "1")
            for file in try sandbox.files() where file.hasPrefix(name) {
                let attributes = try FileManager.default.attributesOfItem(atPath: sandbox.file(file))
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(file)")
            }
            store.close()
        }
    }

    @Test("design 2: a store is used by one server at a time")
    func inUse() throws {
        let sandbox = try Sandbox()
        let path = sandbox.file("server.sqlite")
        let store = try SQLiteServerStore(path: path)
        #expect(refusal(path) == "the store '\(path)' is in use by another server")
        store.close()
        #expect(refusal(path) == nil)
        // After the release, the store saves nothing.
        #expect(throws: StoreError.self) { try save(store, "alice", "1") }
    }

    @Test("design 3: a file that is not a database is refused in one line, and left unchanged")
    func foreignFile() throws {
        let sandbox = try Sandbox()
        let diary = Data(String(repeating: "this is a diary, not a database\n", count: 100).utf8)
        let path = try sandbox.write(diary, "server.sqlite")
        let words = try #require(refusal(path))
        #expect(words.contains("not a store of imrepl") && !words.contains("\n"), "\(words)")
        #expect(try sandbox.data("server.sqlite") == diary)
    }

    @Test("design 3: another program's database is refused, and not written")
    func foreignDatabase() throws {
        let sandbox = try Sandbox()
        let path = sandbox.file("server.sqlite")
        do {
            let foreign = try DatabaseQueue(path: path)
            try foreign.write { try $0.execute(sql: "CREATE TABLE recipe (title TEXT)") }
            try foreign.close()
        }
        let before = try sandbox.data("server.sqlite")
        #expect(refusal(path)?.contains("is not a store of imrepl") == true)
        #expect(try sandbox.data("server.sqlite") == before)
        // The store of a client is not accepted as the store of a server.
        let clients = sandbox.file("clients.sqlite")
        do { _ = try SQLiteClientStore(path: clients) }
        #expect(refusal(clients)?.contains("is not a store of imrepl") == true)
    }

    @Test("design 2: a store of a later version is refused")
    func newer() throws {
        let sandbox = try Sandbox()
        let path = sandbox.file("server.sqlite")
        try SQLiteServerStore(path: path).close()
        let later = try DatabaseQueue(path: path)
        try later.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99: from the future')")
        }
        try later.close()
        #expect(refusal(path)?.hasPrefix("the store '\(path)' is newer than this version; use") == true)
    }

    @Test("design 3: a path that cannot be opened is named with the reason")
    func missingFolder() throws {
        let sandbox = try Sandbox()
        let path = sandbox.file("no/such/server.sqlite")
        #expect(refusal(path) == "cannot open the store '\(path)': No such file or directory")
        #expect(refusal(sandbox.path)?.contains("cannot open the store") == true)
    }
}
