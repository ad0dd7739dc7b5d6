import IMProtocol
import IMServer
import IMTree
import SansIO
import TestSupport
import Testing

@Suite struct ServerTreeTests {
    @Test("SYNC-1: a guest logs in with its device's name, without a credential")
    func guests() {
        let server = GuestServer()
        #expect(server.join(1, "phone") == ["1 login-ack ok"])
        server.feed(.connectionOpened(ConnectionID(2)))
        #expect(server.login(2, "pad", as: "phone") == ["2 login-ack invalid-argument"])
        var policy = GuestServer.policy
        policy.admitsWithoutCredential = false
        #expect(GuestServer(policy).join(1, "phone") == ["1 login-ack wrong-credential"])
        policy = GuestServer.policy
        policy.makesAccounts = false
        #expect(GuestServer(policy).join(1, "phone") == ["1 login-ack wrong-credential"])
        policy = GuestServer.policy
        policy.accountCountMax = 0
        #expect(GuestServer(policy).join(1, "phone") == ["1 login-ack account-limit"])
    }

    @Test("a client without a login cannot use the tree")
    func strangers() {
        let server = GuestServer()
        server.feed(.connectionOpened(ConnectionID(1)))
        #expect(server.set(1, "a", .bool(true)) == ["1 goodbye protocol-violation", "close 1"])
    }

    @Test("values are set, updated and removed; empty nodes are removed; keys are sorted")
    func values() {
        let server = GuestServer()
        server.join(1, "phone")
        #expect(server.set(1, "a/b/c", .number(1)) == ["1 ok"])
        #expect(server.value("") == #"{"a":{"b":{"c":1}}}"#)
        server.set(1, "a/b/a", .text("x"))
        #expect(server.value("a/b") == #"{"a":"x","c":1}"#)
        server.update(1, "a", ["z": .bool(true), "b": .null])
        #expect(server.value("a") == #"{"z":true}"#)
        server.set(1, "a/z/q", .null)
        #expect(server.value("a/z") == "true")
        server.set(1, "a/z/q", .number(0.5))
        #expect(server.value("a/z") == #"{"q":0.5}"#)
        #expect(server.value("a/z/q/r") == "null")
        server.set(1, "a/z/q", .null)
        #expect(server.value("") == "null")
        server.set(1, "a", children(["b": children(["c": .null])]))
        #expect(server.value("") == "null")
    }

    @Test(
        "a change is sent once to every connection that listens above, at or below its path, and to no other"
    )
    func changes() {
        let server = GuestServer()
        server.join(1, "phone")
        server.join(2, "pad")
        server.set(1, "a/b/c", .number(1))
        #expect(server.on(1, "a") == [#"1 a is {"b":{"c":1}}"#, "1 ok"])
        server.on(2, "")
        server.on(2, "a/b/c")
        server.on(2, "a/x")
        server.on(2, "b")
        #expect(
            server.set(2, "a/b", children(["c": .number(2)])) == [
                #"2 : a/b is {"c":2}"#, #"1 a: a/b is {"c":2}"#, "2 a/b/c is 2", "2 ok",
            ])
        #expect(server.set(2, "a/b/c", .number(2)) == ["2 ok"])
        #expect(server.set(1, "a/b/d", .number(3)).filter { $0.contains("a/b/c") } == [])
        server.off(1, "a")
        #expect(server.set(1, "a", .null) == ["2 : a is null", "2 a/b/c is null", "1 ok"])
        server.close(2)
        #expect(server.set(1, "a/b/c", .number(4)) == ["1 ok"])
    }

    @Test(
        "SYNC-6: onDisconnect operations run once at the end of the connection, however it ends",
        arguments: ["closed", "goodbye", "silence", "violation", "unreadable", "logout", "kick", "shutdown"])
    func onDisconnect(_ end: String) {
        let server = GuestServer()
        server.join(1, "phone")
        server.join(2, "pad")
        server.on(2, "status")
        #expect(server.onDisconnect(1, "status", .text("offline")) == ["1 ok"])
        #expect(server.set(1, "status", .text("online")).first == #"2 status is "online""#)
        var lines: [String] = []
        switch end {
        case "closed": lines = server.close(1)
        case "goodbye": lines = server.receive(1, .goodbye(.wentOffline, detail: ""))
        case "silence":
            server.wait(40, beating: [2])
            #expect(server.value("status", over: 2) == #""online""#)
            lines = server.wait(40, beating: [2])
        case "violation": lines = server.receive(1, .loginAck(LoginReply(.ok)))
        case "unreadable": lines = server.feed(.frameUnreadable(ConnectionID(1), .notProtobuf))
        case "logout":
            server.receive(1, .logout(keepsPush: false))
            lines = server.close(1)
        case "kick":
            server.feed(.command(CommandID(1), .kick(user: "phone", device: nil)))
            lines = server.receive(1, .kickedAck(epoch: 1))
        default: lines = server.feed(.command(CommandID(1), .shutDown))
        }
        #expect(lines.filter { $0.contains("status") } == [#"2 status is "offline""#])
        server.join(3, "tv")
        server.set(3, "status", .text("online"))
        #expect(server.close(1) == [])
        server.wait(200, beating: [3])
        #expect(server.value("status", over: 3) == #""online""#)
    }

    @Test("SYNC-6: sets, updates and removals run in the order of their registration, each reported")
    func onDisconnectInOrder() {
        let server = GuestServer()
        server.join(1, "phone")
        server.join(2, "pad")
        server.set(1, "a", children(["x": .number(1), "y": .number(2)]))
        server.on(2, "a")
        server.receive(1, .tree(.onDisconnectUpdate(path: "a", .parts(["x": .null, "z": .number(3)]))))
        server.onDisconnect(1, "a/y", .null)
        server.onDisconnect(1, "a/z", .number(4))
        #expect(server.close(1) == ["2 a: a/x is null", "2 a: a/y is null", "2 a: a/z is 4"])
    }

    @Test("SYNC-6: a cancel removes the operations at its path and below, not above or beside")
    func cancel() {
        let server = GuestServer()
        server.join(1, "phone")
        server.join(2, "pad")
        for path in ["a", "a/b/c", "ab"] { server.onDisconnect(1, path, .text(path)) }
        #expect(server.cancel(1, "a/b") == ["1 ok"])
        server.cancel(2, "ab")
        server.close(1)
        #expect(server.value("", over: 2) == #"{"a":"a","ab":"ab"}"#)
        server.join(3, "tv")
        server.onDisconnect(3, "a/b/c", .null)
        server.onDisconnect(3, "ab", .null)
        server.cancel(3, "")
        server.close(3)
        #expect(server.value("", over: 2) == #"{"a":"a","ab":"ab"}"#)
    }

    @Test("S-21 SYNC-6 P8: a returning device is never marked offline by its old connection")
    func comesBack() {
        let server = GuestServer()
        server.join(1, "phone")
        server.join(2, "pad")
        server.on(2, "status")
        server.onDisconnect(1, "status", .text("offline"))
        server.set(1, "status", .text("online"))
        // The old connection is dead but not detected. The device logs in over another connection.
        #expect(
            server.join(3, "phone") == [
                "1 goodbye replaced", "close 1", #"2 status is "offline""#, "3 login-ack ok",
            ])
        // Frames that were in flight on the old connection have no effect.
        #expect(server.set(1, "status", .text("late")) == [])
        #expect(server.onDisconnect(1, "status", .text("late")) == [])
        server.set(3, "status", .text("online"))
        #expect(server.close(1) == [])
        #expect(server.wait(300, beating: [2, 3]) == [])
        #expect(server.value("status", over: 3) == #""online""#)
        // No onDisconnect operation is registered on the new connection (S-22).
        #expect(server.close(3) == [])
        #expect(server.value("status", over: 2) == #""online""#)
    }

    @Test("SYNC-6: the tree survives a restart, and the onDisconnect operations of its connections run then")
    func restart() {
        let server = GuestServer()
        server.join(1, "phone")
        server.set(1, "a", .number(1))
        server.onDisconnect(1, "b", .number(2))
        server.on(1, "")
        server.join(3, "tv")
        server.on(3, "")
        server.restart()
        server.join(2, "pad")
        #expect(server.value("", over: 2) == #"{"a":1,"b":2}"#)
        #expect(server.set(2, "b", .null) == ["2 ok"])
        server.restart()
        server.join(1, "phone")
        server.close(1)
        server.join(1, "phone")
        #expect(server.value("") == #"{"a":1}"#)
    }

    @Test("limits: invalid, too large and too many values are refused and change nothing")
    func limits() {
        let server = GuestServer()
        server.join(1, "phone")
        #expect(server.set(1, ".info/connected", .bool(true)) == ["1 invalid-argument"])
        #expect(server.on(1, ".info/connected") == ["1 invalid-argument"])
        #expect(server.receive(1, .tree(.get(path: ".info"))) == ["1 invalid-argument"])
        #expect(server.set(1, "a//b", .bool(true)) == ["1 invalid-argument"])
        #expect(server.set(1, "a", .number(-.infinity)) == ["1 invalid-argument"])
        #expect(server.set(1, "a", children(["b.c": .bool(true)])) == ["1 invalid-argument"])
        let leaf = TreeNode.text(String(repeating: "x", count: TreeLimits.leafBytesMax))
        for number in 1...15 { #expect(server.set(1, "a\(number)", leaf) == ["1 ok"]) }
        #expect(server.set(1, "b", leaf) == ["1 limit-exceeded"])
        #expect(server.update(1, "", ["c": .bool(true), "b": leaf]) == ["1 limit-exceeded"])
        #expect(server.value("b") == "null" && server.value("c") == "null")
        server.join(2, "pad")
        #expect(server.onDisconnect(2, "b", leaf) == ["2 ok"])
        #expect(server.onDisconnect(2, "d", leaf) == ["2 limit-exceeded"])
        #expect(server.onDisconnect(2, "c", .bool(true)) == ["2 ok"])
        // An operation that exceeds the tree's limit does not prevent the other operations.
        server.close(2)
        #expect(server.value("b") == "null" && server.value("c") == "true")
        for number in 0..<TreeLimit.listenersMax {
            #expect(server.on(1, "l\(number)") == ["1 l\(number) is null", "1 ok"])
        }
        // The same connection may listen again at a path where it has a listener.
        #expect(server.receive(1, .tree(.listen(path: "l0", number: 2))).last == "1 ok")
        #expect(server.on(1, "more") == ["1 limit-exceeded"])
        for number in 0..<TreeLimit.registrationsMax { server.onDisconnect(1, "l\(number)", .null) }
        #expect(server.onDisconnect(1, "l0", .null) == ["1 ok"])
        #expect(server.onDisconnect(1, "more", .null) == ["1 limit-exceeded"])
    }

    @Test("26201: a transaction is accepted only if its input is still the value")
    func transactions() {
        let server = GuestServer()
        server.join(1, "phone")
        server.on(1, "a")
        func transact(_ node: TreeNode, over old: TreeNode) -> [String] {
            server.receive(1, .tree(.transaction(path: "a", node, over: old.hash)))
        }
        #expect(transact(.number(1), over: .number(0)) == ["1 transaction-stale"])
        #expect(transact(.number(1), over: .null) == ["1 a is 1", "1 ok"])
        #expect(transact(.number(2), over: .null) == ["1 transaction-stale"])
        // The priority is part of the compared value.
        #expect(server.set(1, "a/.priority", .text("p")) == [#"1 a: a/.priority is "p""#, "1 ok"])
        #expect(transact(.number(2), over: .number(1)) == ["1 transaction-stale"])
        #expect(transact(.number(2), over: TreeNode(.number(1), priority: .text("p"))) == ["1 a is 2", "1 ok"])
        #expect(transact(.number(-0.0), over: .number(2)) == ["1 a is 0", "1 ok"])
        #expect(transact(.null, over: .number(0.0)) == ["1 a is null", "1 ok"])
        // A request that arrives twice is answered once.
        let frame = Frame(
            request: 100, .tree(.transaction(path: "a", TreeNode(.number(1)), over: TreeNode.null.hash)))
        #expect(server.feed(.frameReceived(ConnectionID(1), frame)) == ["1 a is 1", "1 ok"])
        #expect(server.feed(.frameReceived(ConnectionID(1), frame)) == [])
    }

    @Test("26301: a missing value has no priority; a priority is removed with its value")
    func priorities() {
        let server = GuestServer()
        server.join(1, "phone")
        #expect(server.set(1, "a/.priority", .number(1)) == ["1 not-found"])
        server.set(1, "a", .bool(true))
        #expect(server.set(1, "a/.priority", .number(1)) == ["1 ok"])
        #expect(server.value("") == #"{"a":{".value":true,".priority":1}}"#)
        server.set(1, "a", .bool(false))
        #expect(server.value("") == #"{"a":false}"#)
    }

    @Test("SYNC-4: a listener of a limited query gets the nodes that enter and leave its result, and nothing else")
    func windows() {
        let server = GuestServer()
        server.join(1, "phone")
        server.set(1, "a", children(["x": .number(1), "y": .number(2), "z": .number(3)]))
        let first = server.on(1, "a", TreeQuery(order: .value, limit: .init(.last, 2)))
        #expect(first == [#"1 a is {"y":2,"z":3}"#, "1 ok"])
        #expect(server.set(1, "a/x", .number(0)) == ["1 ok"])
        #expect(server.set(1, "a/x", .number(9)) == [#"1 a is {"x":9,"y":null}"#, "1 ok"])
        #expect(server.set(1, "a/x/deep", .number(9)) == ["1 a: a/x/deep is 9", "1 ok"])
        #expect(server.set(1, "a/z", .null) == [#"1 a is {"y":2,"z":null}"#, "1 ok"])
    }

    @Test(
        "26101: a partly forbidden write is refused completely, and a listener ends where reading is forbidden"
    )
    func rules() {
        let server = GuestServer()
        server.join(1, "phone")
        server.join(2, "pad")
        server.rule("a", write: .users(user: ["phone"]))
        #expect(server.set(2, "a/b", .number(1)) == ["2 forbidden"])
        #expect(server.set(2, "", .null) == ["2 forbidden"])
        #expect(server.set(2, "a/.priority", .number(1)) == ["2 forbidden"])
        #expect(server.update(2, "", ["c": .number(1), "a/b": .number(1)]) == ["2 forbidden"])
        #expect(server.receive(2, .tree(.transaction(path: "a", .null, over: TreeNode.null.hash))) == ["2 forbidden"])
        #expect(server.onDisconnect(2, "a/b", .null) == ["2 forbidden"])
        #expect(server.set(1, "a/b", .number(1)) == ["1 ok"])
        #expect(server.set(2, "c", .number(1)) == ["2 ok"])
        // A rule at a deeper path overrides the rule above it.
        server.rule("a/open", write: .everybody)
        #expect(server.set(2, "a/open/x", .number(1)) == ["2 ok"])
        #expect(server.set(2, "a", .null) == ["2 forbidden"])

        server.on(2, "a/b")
        server.on(2, "")
        server.on(1, "a")
        #expect(
            server.rule("a/b", read: .users(user: ["phone"])) == [
                "2 a/b cancelled forbidden", "2  cancelled forbidden",
            ])
        #expect(server.set(1, "a/b", .number(2)) == ["1 a: a/b is 2", "1 ok"])
        #expect(server.on(2, "a") == ["2 forbidden"])
        #expect(server.receive(2, .tree(.get(path: ""))) == ["2 forbidden"])
        #expect(server.on(2, "a/open") == [#"2 a/open is {"x":1}"#, "2 ok"])
        // Rules are stored, and are checked when an onDisconnect operation runs.
        server.restart()
        server.join(3, "tv")
        #expect(server.on(3, "a/b") == ["3 forbidden"])
        server.onDisconnect(3, "d", .number(1))
        server.rule("d", write: .nobody)
        server.close(3)
        server.join(4, "tv")
        #expect(server.value("d", over: 4) == "null")
        server.rule("a/b")
        #expect(server.on(4, "a/b") == ["4 a/b is 2", "4 ok"])
        #expect(server.rule(".info", read: .nobody) == [] && server.machine.treeSnapshot == server.machine.treeSnapshot)
    }

    @Test("SYNC-10: a listen with the same data gets no data, and all later changes")
    func hashes() {
        let server = GuestServer()
        server.join(1, "phone")
        server.set(1, "a", .number(1))
        #expect(server.on(1, "a", hash: TreeNode.number(1).hash) == ["1 ok"])
        #expect(server.set(1, "a", .number(2)) == ["1 a is 2", "1 ok"])
        #expect(server.on(1, "a", hash: TreeNode.number(1).hash) == ["1 a is 2", "1 ok"])
    }

    @Test(
        "an answer of any size is sent in readable frames",
        arguments: [TreeNode.bool(true), .text(""), .text(String(repeating: "täglich", count: 300))],
        ["", "kkkkkkkk/k/"])
    func comesInFrames(_ leaf: TreeNode, _ way: String) throws {
        let server = GuestServer()
        server.join(1, "phone")
        for number in 0..<40 {
            server.set(1, "\(number)/\(way)x", .children((0..<100).map { ("\($0 + 100)", leaf) }))
        }
        var whole: Frame?
        for effect in server.machine.answer(to: .tree(.get(path: ""))) {
            guard case .send(_, let frame) = effect else { continue }
            let bytes = frame.bytes()
            #expect(bytes.count <= ProtocolLimit.frameBytesMax)
            let page = try Frame(bytes: bytes)
            whole = try whole.map { try #require($0.joined(with: page)) } ?? page
        }
        guard case .treeAck(.ok, let value)? = whole?.body else { throw TreeNotThere() }
        #expect(value.children.count == 40 && value.isSound)
        #expect(value.text == server.value(""))
    }

    @Test("a request in pages is one request; with a missing page it is none, an endless one is refused")
    func requestsInPages() throws {
        let server = GuestServer()
        server.join(1, "phone")
        let node = TreeNode.text(String(repeating: "x", count: 200_000))
        let frames = TreeRequest.set(path: "a", node).frames(request: 4)
        try #require(frames.count > 3)
        func send(_ frames: [Frame]) -> [String] {
            frames.flatMap { server.feed(.frameReceived(ConnectionID(1), $0)) }
        }
        #expect(send(Array(frames.dropLast())) == [])
        #expect(server.value("a") == "null")
        #expect(send([frames[0]] + frames.dropFirst(2)) == [])
        #expect(server.value("a") == "null")
        #expect(send(frames) == ["1 ok"])
        #expect(server.value("a") == node.text)
        var endless = frames[1]
        endless.page = UInt32(TreeLimit.pagesMax)
        endless.hasMore = true
        #expect(send([endless]) == ["1 goodbye protocol-violation", "close 1"])
    }
}

private struct TreeNotThere: Error {}

extension ServerMachine {
    /// The server's effects for one frame over connection 1. The server does not change.
    func answer(to body: FrameBody) -> [ServerEffect] {
        var copy = self
        return copy.handle(.frameReceived(ConnectionID(1), Frame(request: 1, body)), at: .zero)
    }
}
