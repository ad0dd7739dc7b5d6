import Foundation
import IMLocalData
import Testing

@testable import IMLive

/// Tests of exported messages: reading them, and refusals of other files (ZIM-9).
@Suite struct MessageArchiveTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "imrepl-export-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func messages(_ seed: UInt64, _ count: Int) -> [LocalMessage] {
        var model = UserDataModel(seed: seed)
        var database = UserDatabase(owner: "alice")
        while database.exportedMessages.count < count {
            database.apply(model.change())
            _ = database.answer(model.request())
        }
        return database.exportedMessages
    }

    @Test("ZIM-9: messages that are exported on one device are imported on another, once for any number of imports")
    func roundTrip() throws {
        try withFolder { folder in
            let all = messages(7, 120)
            #expect(all.contains { $0.isUserInserted } && all.contains { !$0.parts.isEmpty })
            try MessageArchive.write(all, of: "alice", to: folder + "/export")
            let read = try MessageArchive.read(folder + "/export", for: "alice")
            #expect(read == all)
            let store = try SQLiteUserData(path: folder + "/pad.sqlite", owner: "alice")
            var memory = UserDatabase(owner: "alice")
            for changes in [[LocalChange](), [.message(all[0])]] {
                try store.apply(changes, upTo: 0)
                memory.apply(changes, upTo: 0)
                let new = memory.importMessages(read)
                #expect(try store.importMessages(read) == new)
                // A message that occurs twice is imported once.
                #expect(try store.importMessages(read) == 0)
                #expect(memory.importMessages(read) == 0)
                #expect(try store.exportedMessages() == memory.exportedMessages)
            }
        }
    }

    @Test("ZIM-9: a replaced export is always the old one or the new one")
    func replaced() throws {
        try withFolder { folder in
            let (old, new) = (messages(8, 20), messages(9, 30))
            try MessageArchive.write(old, of: "alice", to: folder + "/e")
            // A killed process can leave a file that the manifest does not list yet.
            try Data("half".utf8).write(to: URL(fileURLWithPath: folder + "/e/messages-12.ndjson"))
            try Data("{".utf8).write(to: URL(fileURLWithPath: folder + "/e/manifest.json.partial"))
            #expect(try MessageArchive.read(folder + "/e", for: "alice") == old)
            try MessageArchive.write(new, of: "alice", to: folder + "/e")
            #expect(try MessageArchive.read(folder + "/e", for: "alice") == new)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/e").count == 2)
        }
    }

    @Test("ZIM-9: a damaged file, another user's export and other files are refused in one line")
    func refused() throws {
        try withFolder { folder in
            let path = folder + "/e"
            try MessageArchive.write(messages(10, 10), of: "alice", to: path)
            func reason(_ folder: String, _ user: String = "alice") -> String? {
                do {
                    _ = try MessageArchive.read(folder, for: user)
                    return nil
                } catch {
                    return error.description
                }
            }
            #expect(reason(path, "bob") == "the export '\(path)' belongs to another user")
            #expect(reason(folder) == "'\(folder)' is not an export of messages")
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasPrefix("messages-") })
            let file = URL(fileURLWithPath: path + "/" + name)
            let whole = try Data(contentsOf: file)
            for cut in stride(from: 0, to: whole.count, by: 37) {
                try whole.prefix(cut).write(to: file)
                #expect(reason(path) == "the export '\(path)' is damaged")
            }
            var flipped = whole
            flipped[whole.count / 2] ^= 1
            try flipped.write(to: file)
            #expect(reason(path) == "the export '\(path)' is damaged")
            try whole.write(to: file)
            #expect(reason(path) == nil)
            // A folder with other files is not changed.
            let other = folder + "/photos"
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(fileURLWithPath: other + "/cat.png"))
            #expect(throws: StoreError.self) { try MessageArchive.write([], of: "alice", to: other) }
            #expect(throws: StoreError.self) { try MessageArchive.write([], of: "alice", to: "/proc/none/e") }
        }
    }
}
