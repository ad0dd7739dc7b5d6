import Foundation
import GRDB
import IMSimulation
import IMTree
import SansIO
import TestSupport
import Testing

@testable import IMLive

/// Tests of the file with the tree data that a device stores (SYNC-2).
@Suite struct TreeStoreTests {
    private func withPath(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tree-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("phone.sqlite").path)
    }

    @Test("SYNC-2: after every change the file equals the value, also when it is reopened")
    func model() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            var value = TreeStorage()
            try withPath { path in
                var store = try SQLiteTreeStore(path: path)
                for _ in 0..<120 {
                    let changes = (0...random.below(4)).map { _ in change(&random) }
                    for change in changes { value.apply(change) }
                    try store.apply(changes)
                    if random.below(8) == 0 {
                        store.close()
                        store = try SQLiteTreeStore(path: path)
                    }
                    #expect(try store.contents() == value.contents, "seed \(seed)")
                    let queries: [UInt64] = [1, 2, 3, .max, 9]
                    #expect(try store.storedData(of: queries) == value.storedData(of: queries), "seed \(seed)")
                }
            }
        }
    }

    private func change(_ random: inout SeededRandom) -> TreeStorage.Change {
        let number = [1, 2, 3, UInt64.max][Int(random.below(4))]
        switch random.below(12) {
        case 0, 1:
            return .track(
                TrackedQuery(
                    number: number, path: ["a", "名"], query: TreeQuery(limit: .init(.last, 3)),
                    isComplete: random.below(2) == 0, lastUse: random.below(9), asOf: 3, bytes: 5))
        case 2: return .forget(number)
        case 3: return .hold(TreeWrite(id: number, at: ["x"], .set(node(&random, 2))))
        case 4: return .hold(TreeWrite(id: number, at: [], .update([TreeWrite.Part(["x", "y"], node(&random, 1))])))
        case 5: return .release(number)
        case 6: return .put(number, [TreeWrite.Part([], node(&random, 3))])
        case 7, 8: return .amend(number, parts(&random))
        default: return .put(number, parts(&random))
        }
    }

    private func parts(_ random: inout SeededRandom) -> [TreeWrite.Part] {
        let first = key(&random)
        var parts = [TreeWrite.Part([first] + (0..<random.below(3)).map { _ in key(&random) }, node(&random, 2))]
        let other = key(&random)
        if other != first { parts.append(TreeWrite.Part([other], node(&random, 1))) }
        if random.below(6) == 0 { parts.append(TreeWrite.Part([.priority], TreeNode(.number(2)))) }
        return parts
    }

    private func key(_ random: inout SeededRandom) -> TreeKey { ["a", "b", "名", "10", "2"][Int(random.below(5))] }

    private func node(_ random: inout SeededRandom, _ depth: Int) -> TreeNode {
        var node = TreeNode.empty
        switch random.below(depth > 0 ? 6 : 3) {
        case 0: return .empty
        case 1: node = TreeNode([.bool(true), .bool(false), .number(-0.5), .serverTimestamp][Int(random.below(4))])
        // The texts are so long that changes are merged into the base value.
        case 2: node = TreeNode(.text(String(repeating: "電", count: Int(random.below(4000)))))
        default: for _ in 0...random.below(3) { node = node.setting(key(&random), to: self.node(&random, depth - 1)) }
        }
        return random.below(4) == 0 ? node.with(priority: .text("p")) : node
    }

    @Test("changes of one call are all there or none")
    func together() throws {
        try withPath { path in
            let store = try SQLiteTreeStore(path: path)
            try store.apply([.track(TrackedQuery(number: 1, path: [], query: .all, lastUse: 1))])
            try DatabaseQueue(path: path).write { try $0.execute(sql: "DROP TABLE pending") }
            let error = #expect(throws: StoreError.self) {
                try store.apply([.put(1, [TreeWrite.Part(["a"], TreeNode(.bool(true)))]), .release(1)])
            }
            #expect(error?.description.hasPrefix("the tree's data in '\(path)' cannot be used: ") == true)
            #expect(error?.description.contains("\n") == false)
            #expect(try store.storedData(of: [1]) == [TreeStorage.Held(1, .empty)])
        }
    }

    @Test(
        "a truncated or foreign file is moved aside with one line, and the cache starts empty",
        arguments: ["text", "foreign", "torn", "cut", "write"])
    func unusable(_ kind: String) throws {
        try withPath { path in
            let url = URL(fileURLWithPath: path)
            if kind == "text" {
                try Data("this is no database, but a text that somebody wrote".utf8).write(to: url)
            } else if kind == "foreign" {
                try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE recipe (title TEXT)") }
            } else {
                let store = try SQLiteTreeStore(path: path)
                try store.apply((1...200).map { .hold(TreeWrite(id: $0, at: ["a"], .set(TreeNode(.text("text"))))) })
                store.close()
                switch kind {
                case "torn":
                    var bytes = try Data(contentsOf: url)
                    for offset in 100..<bytes.count { bytes[offset] = 0xA5 }
                    try bytes.write(to: url)
                case "cut": try Data(contentsOf: url).prefix(5000).write(to: url)
                default:
                    try DatabaseQueue(path: path).write {
                        try $0.execute(sql: "UPDATE pending SET pendingWrite = '{' WHERE id = 9")
                    }
                }
            }
            let before = try Data(contentsOf: url)
            let store = try SQLiteTreeStore(path: path)
            let kept = path + ".damaged-1"
            let word = kind == "foreign" ? "another program's" : "damaged"
            #expect(
                store.loss
                    == "the tree's data in '\(path)' is \(word); it is kept as '\(kept)', and a new file is started")
            #expect(try store.contents() == TreeStorage.Contents())
            // No existing data is lost.
            #expect(try Data(contentsOf: URL(fileURLWithPath: kept)) == before || kind == "write")
            try store.apply([.hold(TreeWrite(id: 1, at: [], .set(TreeNode(.bool(true)))))])
            store.close()
            let next = try SQLiteTreeStore(path: path)
            #expect(next.loss == nil)
            #expect(try next.contents().writes.count == 1)
        }
    }

    @Test("a file of a later version and a locked file stay unchanged")
    func refused() throws {
        try withPath { path in
            try SQLiteTreeStore(path: path).close()
            try DatabaseQueue(path: path).write { try $0.execute(sql: "PRAGMA user_version = 99") }
            let newer = #expect(throws: StoreError.self) { try SQLiteTreeStore(path: path) }
            #expect(newer?.description == "the tree's data in '\(path)' is newer than this version")
            #expect(!FileManager.default.fileExists(atPath: path + ".damaged-1"))
        }
        try withPath { path in
            let store = try SQLiteTreeStore(path: path)
            let other = try DatabaseQueue(path: path)
            try other.writeWithoutTransaction { database in
                try database.execute(sql: "BEGIN IMMEDIATE")
                let locked = #expect(throws: StoreError.self) { try store.apply([.release(1)]) }
                #expect(locked?.description == "the tree's data in '\(path)' cannot be used: database is locked")
                try database.execute(sql: "ROLLBACK")
            }
            try store.apply([.release(1)])
        }
    }
}
