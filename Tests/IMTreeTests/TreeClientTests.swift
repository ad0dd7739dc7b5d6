import IMTree
import Testing

/// Cases that random scenarios reach too rarely or cannot distinguish.
@Suite struct TreeClientTests {
    private let count = try? TransactionExpression("value + 1")

    /// A client that is online and has received the complete value of `n`, which is 1.
    private func client() -> TreeClient {
        var client = TreeClient()
        _ = client.connected(serverTime: 0)
        for case .send(.listen(let listen, _)) in client.listen(TreeListenerID(rawValue: 1), to: .all, at: ["n"]) {
            let event = TreeServerEvent(path: ["n"], change: .set(TreeNode(.number(1))), listen: listen.number)
            _ = client.receive(event, serverTime: 0)
            _ = client.listened(listen.number, isRefused: false, serverTime: 0)
        }
        return client
    }

    private func sent(_ effects: [TreeClient.Effect]) -> [UInt64] {
        effects.compactMap { if case .send(.transaction(let id, _, _, _)) = $0 { id } else { nil } }
    }

    @Test func transactionsOnOnePathAreSentInSequence() throws {
        var client = client()
        let count = try #require(count)
        let (first, begun) = client.run(count, at: ["n"], serverTime: 0)
        let (second, waiting) = client.run(count, at: ["n"], serverTime: 0)
        #expect(sent(begun) == [first])
        #expect(sent(waiting) == [])
        // A transaction at another path does not wait.
        let (other, elsewhere) = client.run(count, at: ["m"], serverTime: 0)
        #expect(sent(elsewhere) == [])
        for case .send(.listen(let listen, _)) in elsewhere {
            #expect(sent(client.listened(listen.number, isRefused: false, serverTime: 0)) == [other])
        }
        #expect(sent(client.transacted(first, .taken, serverTime: 0)) == [second])
    }

    @Test func anOwnSetOverridesATransaction() throws {
        var client = client()
        let count = try #require(count)
        // The sent transaction ends with its answer. The unsent one ends at once.
        let (sent, _) = client.run(count, at: ["n"], serverTime: 0)
        let (ready, _) = client.run(count, at: ["n", "below"], serverTime: 0)
        let effects = client.write(.set(TreeNode(.number(9))), at: ["n"], serverTime: 0).effects
        #expect(effects.contains(.ended(transaction: ready, .overridden)))
        #expect(!effects.contains(.ended(transaction: sent, .overridden)))
        #expect(client.transacted(sent, .stale, serverTime: 0).contains(.ended(transaction: sent, .overridden)))
        #expect(client.tree.known(.all, at: ["n"]) == TreeNode(.number(9)))
    }

    /// The answer to the first of two writes is lost, and the second is answered. The second write stays visible, and
    /// is sent again after the first one.
    @Test func aWriteWaitsForAnEarlierOne() {
        var client = client()
        let (first, _) = client.write(.set(TreeNode(.number(2))), at: ["n"], serverTime: 0)
        let (second, _) = client.write(.set(TreeNode(.number(3))), at: ["n"], serverTime: 0)
        let (other, _) = client.write(.set(TreeNode(.number(4))), at: ["m"], serverTime: 0)
        #expect(client.written(second, isRefused: false, serverTime: 0) == [.written(second, isRefused: false)])
        #expect(client.written(other, isRefused: false, serverTime: 0) == [.written(other, isRefused: false)])
        #expect(client.tree.known(.all, at: ["n"]) == TreeNode(.number(3)))
        #expect(client.unanswered.map(\.id) == [first, second])

        _ = client.disconnected(serverTime: 0)
        let again = client.connected(serverTime: 0).compactMap { effect -> UInt64? in
            if case .send(.write(let write)) = effect { write.id } else { nil }
        }
        #expect(again == [first, second])
        #expect(client.written(first, isRefused: false, serverTime: 0) == [.written(first, isRefused: false)])
        #expect(client.tree.known(.all, at: ["n"]) == TreeNode(.number(3)))
        // The completion is reported only once.
        #expect(!client.written(second, isRefused: false, serverTime: 0).contains(.written(second, isRefused: false)))
        #expect(client.unanswered.isEmpty)
    }

    /// A late answer to the first write also completes the writes that waited for it.
    @Test(arguments: [true, false])
    func aWriteAfterALateAnswerIsComplete(_ isRefused: Bool) {
        var client = client()
        let (first, _) = client.write(.set(TreeNode(.number(2))), at: ["n", "a"], serverTime: 0)
        let (second, _) = client.write(.update([TreeWrite.Part(["n"], .empty)]), at: [], serverTime: 0)
        _ = client.written(second, isRefused: false, serverTime: 0)
        #expect(client.isAccepted(second))
        let effects = client.written(first, isRefused: isRefused, serverTime: 0)
        #expect(effects.contains(.written(first, isRefused: isRefused)))
        #expect(client.unanswered.isEmpty)
        #expect(!client.isAccepted(second))
    }

    /// The server has not sent any data. Only a write shows that there was a leaf.
    @Test func aWriteBelowAWrittenLeafIsRolledBack() {
        var tree = SyncTree()
        _ = tree.listen(TreeListenerID(rawValue: 1), to: .all, at: ["a"])
        _ = tree.write(TreeWrite(id: 1, at: [], .update([TreeWrite.Part(["a"], TreeNode(.number(2)))])))
        _ = tree.write(TreeWrite(id: 2, at: ["a", "b"], .set(TreeNode(.bool(true)))))
        #expect(tree.known(.all, at: ["a"]) == TreeNode.empty.setting("b", to: TreeNode(.bool(true))))
        _ = tree.acknowledge(2, isRevert: true)
        #expect(tree.known(.all, at: ["a"]) == TreeNode(.number(2)))
    }

    /// Below a later write, an earlier write still turns a leaf into children until it is complete.
    @Test func anOverwrittenWriteIsRolledBack() {
        var tree = SyncTree()
        _ = tree.listen(TreeListenerID(rawValue: 1), to: .all, at: [])
        _ = tree.receive(TreeNode(.number(2)), at: [])
        _ = tree.write(TreeWrite(id: 1, at: ["b", "c"], .set(TreeNode(.bool(true)))))
        _ = tree.write(TreeWrite(id: 2, at: ["b"], .set(.empty)))
        #expect(tree.known(.all, at: []) == .empty)
        _ = tree.acknowledge(1, isRevert: true)
        #expect(tree.known(.all, at: []) == TreeNode(.number(2)))
    }
}
