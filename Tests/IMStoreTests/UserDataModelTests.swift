import Foundation
import IMLocalData
import IMProtocol
import TestSupport
import Testing

@testable import IMLive

/// The database on disk gives the same answers as the one in memory, which is an independent implementation.
@Suite struct UserDataModelTests {
    /// The number of compared calls. `IMREPL_MODEL_CALLS` sets another number.
    private static let callCount = Int(ProcessInfo.processInfo.environment["IMREPL_MODEL_CALLS"] ?? "") ?? 6000

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "imrepl-data-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("ZIM-9: every answer equals that of the database in memory")
    func sameAnswers() throws {
        var answered: Set<LocalCall> = []
        for seed: UInt64 in 1...3 { answered.formUnion(try answers(seed: seed)) }
        // All calls except the two that need a folder.
        #expect(answered.count == LocalCall.allCases.count - 2)
    }

    /// - Returns: the calls that found their target.
    private func answers(seed: UInt64) throws -> Set<LocalCall> {
        var answered: Set<LocalCall> = []
        try withFolder { folder in
            let path = folder + "/alice.sqlite"
            var store = try SQLiteUserData(path: path, owner: "alice")
            var memory = UserDatabase(owner: "alice")
            var model = UserDataModel(seed: seed)
            var position: UInt64 = 0
            var (calls, found) = (0, 0)
            while calls < Self.callCount / 3 {
                switch model.below(10) {
                case 0...4:
                    let changes = (0...model.below(4)).map { _ in model.change() }
                    position += UInt64(changes.count)
                    try store.apply(changes, upTo: position, isMore: model.below(2) == 0)
                    memory.apply(changes, upTo: position)
                case 5 where model.below(40) == 0:
                    try store.close()
                    store = try SQLiteUserData(path: path, owner: "alice")
                    #expect(try store.position() == position)
                default:
                    let request = model.request()
                    let (expected, answer) = (memory.answer(request), try store.answer(request))
                    model.note(expected)
                    calls += 1
                    if expected.status == .ok { answered.insert(request.call) }
                    found += expected.rows.count
                    try #require(answer == expected, "\(request)")
                }
            }
            // If most calls found nothing, the comparison would prove little.
            #expect(found > calls / 2)
        }
        return answered
    }

    @Test("ZIM-9: a killed process leaves the state before or after a change", arguments: [4, 5])
    func killed(seed: UInt64) throws {
        try withFolder { folder in
            let path = folder + "/alice.sqlite"
            let store = try SQLiteUserData(path: path, owner: "alice")
            var memory = UserDatabase(owner: "alice")
            var model = UserDataModel(seed: seed)
            for round in 0..<40 {
                let changes = (0..<6).map { _ in model.change() }
                let stopsAt = model.below(changes.count)
                let before = memory
                let copy = folder + "/copy-\(round).sqlite"
                // A killed process leaves the files in the state of a running transaction.
                try store.applyWatched(changes, upTo: UInt64(round + 1)) { step in
                    guard step == stopsAt else { return }
                    for end in ["", "-wal"] where FileManager.default.fileExists(atPath: path + end) {
                        try FileManager.default.copyItem(atPath: path + end, toPath: copy + end)
                    }
                }
                memory.apply(changes, upTo: UInt64(round + 1))
                let left = try SQLiteUserData(path: copy, owner: "alice")
                try expectSame(left, before)
                try left.close()
            }
            try expectSame(store, memory)
        }
    }

    private func expectSame(_ store: SQLiteUserData, _ memory: UserDatabase) throws {
        var memory = memory
        #expect(try store.position() == memory.position)
        for call in [LocalCall.queryConversationList, .queryFriendList, .queryGroupList, .queryCallInvitationList] {
            let count = call.declaration["count"] == nil ? [] : [("count", "100")]
            #expect(try store.answer(LocalRequest(call, count)) == memory.answer(LocalRequest(call, count)))
        }
        for order in ["ascending", "descending"] {
            let all = LocalRequest(.searchGlobalLocalMessages, [("count", "100"), ("order", order)])
            #expect(try store.answer(all) == memory.answer(all))
        }
    }

    @Test("C-13: the data of another user is refused, and stays unchanged")
    func anotherUser() throws {
        try withFolder { folder in
            let path = folder + "/data.sqlite"
            let store = try SQLiteUserData(path: path, owner: "alice")
            try store.apply([.friend(LocalFriend(user: "bob"))], upTo: 7)
            try store.close()
            #expect(throws: StoreError("the local data in '\(path)' cannot be used: it belongs to another user")) {
                try SQLiteUserData(path: path, owner: "bob")
            }
            #expect(try SQLiteUserData(path: path, owner: "alice").position() == 7)
        }
    }

    @Test("a file without local data is refused in one line, and stays unchanged")
    func foreign() throws {
        try withFolder { folder in
            let text = folder + "/text.sqlite"
            try Data("this is no database, but a text that somebody wrote".utf8).write(to: URL(fileURLWithPath: text))
            let other = folder + "/other.sqlite"
            try SQLiteClientStore(path: other).save(.init(), profile: "zim", client: "phone")
            let damaged = folder + "/damaged.sqlite"
            let store = try SQLiteUserData(path: damaged, owner: "alice")
            try store.apply((0..<200).map { .user(LocalUser(id: "u\($0)")) }, upTo: 1)
            try store.close()
            var bytes = try Data(contentsOf: URL(fileURLWithPath: damaged))
            bytes.replaceSubrange(100..<4000, with: Data(repeating: 0xA5, count: 3900))
            try bytes.write(to: URL(fileURLWithPath: damaged))
            for path in [text, other, damaged] {
                let before = try Data(contentsOf: URL(fileURLWithPath: path))
                let error = #expect(throws: StoreError.self) { try SQLiteUserData(path: path, owner: "alice") }
                #expect(error?.description.contains("\n") == false)
                #expect(error?.description.hasPrefix("the local data in '\(path)' cannot be used: ") == true)
                #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
            }
        }
    }

    @Test("a full disk gives a one-line error, and loses no data")
    func full() throws {
        try withFolder { folder in
            let path = folder + "/data.sqlite"
            func open() throws -> SQLiteUserData {
                let store = try SQLiteUserData(path: path, owner: "alice")
                try store.limitPages(to: 40)
                return store
            }
            try SQLiteUserData(path: path, owner: "alice").apply([.friend(LocalFriend(user: "bob"))], upTo: 7)
            let many = (0..<5000).map {
                LocalChange.user(LocalUser(id: "u\($0)", name: String(repeating: "x", count: 99)))
            }
            func isAsBefore() throws {
                let store = try SQLiteUserData(path: path, owner: "alice")
                #expect(try store.position() == 7)
                #expect(try store.answer(LocalRequest(.queryFriendList)).rows.count == 1)
            }
            let store = try open()
            let error = try #require(throws: StoreError.self) { try store.apply(many, upTo: 9) }
            #expect(error.description == "the local data cannot be used: database or disk is full")
            try isAsBefore()
            // After a lost part of a sync, a later part is not accepted.
            #expect(throws: error) { try store.apply([.friend(LocalFriend(user: "carol"))], upTo: 10) }
            try store.close()
            try isAsBefore()
            // No call waits for this part of a sync, so the next call reports the error.
            let other = try open()
            try other.apply(many, upTo: 9, isMore: true)
            try? other.apply([.friend(LocalFriend(user: "carol"))], upTo: 10, isMore: true)
            #expect(throws: error) { try other.position() }
            #expect(throws: error) { try other.answer(LocalRequest(.queryFriendList)) }
            try other.close()
            try isAsBefore()
            // A failed call does not discard a part that was accepted.
            let third = try open()
            try third.apply([.friend(LocalFriend(user: "carol"))], upTo: 10, isMore: true)
            let messages = (0..<5000).map {
                LocalMessage(
                    id: "i\($0)", conversation: ConversationID(kind: .peer, id: "bob"), sender: "bob",
                    text: "\($0) lifts", timestamp: Int64($0))
            }
            #expect(throws: error) { try third.importMessages(messages) }
            #expect(try third.position() == 10)
            #expect(try third.answer(LocalRequest(.queryFriendList)).rows.count == 2)
        }
    }

    @Test("unwritten parts of a sync are included in every answer, and written when the file is closed")
    func gathered() throws {
        try withFolder { folder in
            let store = try SQLiteUserData(path: folder + "/data.sqlite", owner: "alice")
            func add(_ numbers: Range<Int>, isMore: Bool) throws {
                try store.apply(
                    numbers.map { .friend(LocalFriend(user: "u\($0)")) }, upTo: UInt64(numbers.upperBound),
                    isMore: isMore)
            }
            let everybody = LocalRequest(.queryFriendList, [("count", "100")])
            try add(0..<10, isMore: true)
            #expect(try store.answer(everybody).rows.count == 10)
            try add(10..<20, isMore: true)
            #expect(try store.position() == 20)
            try add(20..<30, isMore: true)
            try add(30..<40, isMore: false)
            #expect(try store.answer(everybody).rows.count == 40)
            try add(40..<50, isMore: true)
            try store.close()
            let again = try SQLiteUserData(path: folder + "/data.sqlite", owner: "alice")
            #expect(try again.position() == 50)
            #expect(try again.answer(everybody).rows.count == 50)
        }
    }
}
