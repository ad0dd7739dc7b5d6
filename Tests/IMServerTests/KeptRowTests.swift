import IMProtocol
import IMServer
import SansIO
import Testing

/// Tests of a store that saves only the changed rows of an account. The next process must restore the same account.
@Suite struct KeptRowTests {
    /// The stored rows of one user. They are saved one by one, and read in the order of their numbers.
    private struct Store {
        private var stored: StoredAccount?
        private var rows: [KeptRow] = []
        /// The number of rows that the last save wrote or removed.
        private(set) var savedCount = 0

        mutating func save(_ account: KeptAccount) {
            let changes = account.rows(since: stored)
            savedCount = changes.count
            for change in changes {
                rows.removeAll { $0.list == change.list && $0.number == change.number }
                if change.entry != nil { rows.append(change) }
            }
            rows.sort { ($0.list, $0.number) < ($1.list, $1.number) }
            if stored == nil {
                stored = StoredAccount(account.withoutRows, rows: changes)
            } else {
                stored?.note(account.withoutRows, rows: changes)
            }
        }

        func account() throws -> KeptAccount? { try stored?.account.with(rows) }
    }

    /// Confirms five waiting messages in the given order, and saves after each confirmation.
    @Test(
        "C-7: messages are confirmed in any order; each save writes only what changed",
        arguments: [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3], [1, 3], [0, 2, 4]])
    func confirmedInAnyOrder(order: [Int]) throws {
        let server = ServerTranscript(rtm)
        server.login(2, "b", user: "bob")
        server.close(2)
        server.login(1, "a")
        var store = Store()
        func save() throws -> Int {
            let account = try #require(server.machine.keptAccount(of: "bob"))
            store.save(account)
            #expect(try store.account() == account)
            return store.savedCount
        }
        for id in 0..<5 {
            server.receive(1, .send(ChatMessage(id: "m\(id)", to: "bob", text: "text")))
            #expect(try save() == 1)
        }
        server.login(3, "b", user: "bob")
        _ = try save()
        for id in order {
            server.confirm(3, "m\(id)")
            #expect(try save() == 1)
        }
        // A busy server may save once after a new message and a confirmation.
        server.receive(1, .send(ChatMessage(id: "last", to: "bob", text: "text")))
        server.confirm(3, "last")
        server.receive(1, .send(ChatMessage(id: "next", to: "bob", text: "text")))
        #expect(try save() == 1)
        // If a device logs out, its waiting messages are removed.
        server.receive(3, .logout(keepsPush: false))
        _ = try save()
    }
}
