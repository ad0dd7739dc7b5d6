import IMClient
import IMProtocol
import IMTree
import SansIO
import TestSupport
import Testing

@Suite struct TreeDataTests {
    @Test("C-1 SYNC-10: a write shows at once, is sent once, and completes with the server's answer")
    func writes() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        #expect(phone.complete("a", .null) == ["a is null"])
        #expect(phone.set("a/x", .number(1)) == ["send 1 set a/x = 1", #"a is {"x":1}"#])
        #expect(phone.deliver("on a", at: "a/x", .set(.number(1))) == [])
        #expect(phone.answer() == ["done 3 ok"])
        // A later value of another client replaces the value.
        #expect(phone.deliver("on a", at: "a/x", .set(.number(2))) == [#"a is {"x":2}"#])
    }

    @Test("C-1: a write that the server refuses is rolled back")
    func refused() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.complete("a", .text("old"))
        phone.set("a", .text("new"))
        #expect(phone.notified["a"] == .text("new"))
        #expect(phone.answer(nil, .limitExceeded) == [#"a is "old""#, "done 3 limit-exceeded"])
    }

    @Test("SYNC-10: pending writes cover the server's values in their order, updates child by child")
    func order() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.complete("a", children(["x": .number(1), "y": .number(2)]))
        #expect(phone.update("a", ["z": .number(3), "x": .null]).last == #"a is {"y":2,"z":3}"#)
        #expect(phone.set("a/y/deep", .bool(true)).last == #"a is {"y":{"deep":true},"z":3}"#)
        #expect(phone.set("", .null).last == "a is null")
        #expect(phone.set("a", .null).count == 1)
        phone.answer("set  = null")
        #expect(
            phone.sent.map(\.line).suffix(4) == [
                #"update a = {"z":3,"x":null}"#, "set a/y/deep = true", "set  = null", "set a = null",
            ])
    }

    @Test("C-15 SYNC-10: after a reconnect listens are sent once each, then the writes in order, then reads")
    func restores() {
        let phone = TreeTranscript()
        phone.on("a")
        phone.on("b")
        phone.set("a", .number(1))
        phone.update("b", ["x": .number(2)])
        phone.get("c")
        phone.onDisconnect("d", .text("bye"))
        let restored = [
            "on a", "on b", "set a = 1", #"update b = {"x":2}"#, "get c", #"on-disconnect set d = "bye""#,
        ]
        #expect(phone.succeed().filter { $0.hasPrefix("send 1 ") } == restored.map { "send 1 \($0)" })
        #expect(phone.answer("set a = 1") == ["done 3 ok"])
        phone.answer("get c", .ok, .number(3))
        phone.answer(restored.last)
        phone.wait(5)
        phone.drop()
        #expect(phone.open() == ["send 2 login phone guest"])
        // The client sends unacknowledged writes again. It does not send acknowledged writes and onDisconnect
        // operations again.
        #expect(
            phone.accept().filter { $0.hasPrefix("send 2 ") } == [
                "send 2 on a", "send 2 on b", #"send 2 update b = {"x":2}"#,
            ])
        #expect(phone.answer(#"update b = {"x":2}"#) == ["done 4 ok"])
        #expect(phone.incomplete == [])
    }

    @Test("C-3: an answer over the previous link is ignored")
    func oldAnswers() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.set("a", .number(1))
        let number = phone.request
        phone.drop()
        phone.feed(.frameReceived(ConnectionID(1), Frame(request: number, .treeAck(.ok, .null))))
        #expect(phone.completions[2] == nil)
        phone.succeed()
        #expect(phone.answer() == ["done 2 ok"])
    }

    @Test("SYNC-10: a removed listener is not restored, and gets no events in flight")
    func unlisten() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.complete("a", .number(1))
        #expect(phone.off("a") == ["send 1 off a", "done 3 ok"])
        #expect(phone.deliver("on a", at: "a", .set(.number(2))) == [])
        #expect(phone.off("a") == ["done 4 ok"])
        phone.on("a")
        #expect(phone.on("a") == ["done 6 ok"])
        // The answer to the first `on` arrives late, and is ignored.
        #expect(phone.receive(.treeAck(.ok, .number(1)), request: 2) == [])
        #expect(phone.complete("a", .number(3)) == ["a is 3"])
        phone.drop()
        #expect(phone.succeed().filter { $0.contains(" on ") } == ["send 2 on a"])
    }

    @Test("a listener that the server refuses is removed on both sides (C-15)")
    func refusedListener() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        #expect(phone.answer(nil, .limitExceeded) == ["a cancelled limit-exceeded"])
        phone.drop()
        #expect(!phone.succeed().contains { $0.contains(" on a") })
    }

    @Test("P20: without a link a read is answered from known data, or fails after 3 s")
    func readsWithoutLink() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.complete("a", children(["x": .number(1)]))
        phone.drop()
        #expect(phone.get("a/x") == ["done 3 ok 1"])
        phone.set("a/x", .number(2))
        #expect(phone.get("a/x") == ["done 5 ok 2"])
        phone.set("b", .text("mine"))
        #expect(phone.get("b") == [#"done 7 ok "mine""#])
        #expect(phone.get("") == [])
        #expect(phone.wait(3).contains("3000ms done 8 network-unavailable"))
    }

    @Test("P20: over a link a read asks the server; the client's own later writes cover the answer")
    func readsOverLink() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.complete("a", .number(1))
        #expect(phone.get("a") == ["send 1 get a"])
        phone.set("a", .number(2))
        #expect(phone.answer("get a", .ok, .number(1)) == ["done 3 ok 2"])
        #expect(phone.get("z") == ["send 1 get z"])
        #expect(phone.answer("get z", .serverError) == ["done 5 server-error"])
        #expect(phone.get("z") == ["send 1 get z"])
        #expect(phone.get("a") == ["send 1 get a"])
        let lines = phone.wait(10).filter { $0.contains("done") }
        #expect(lines == ["10000ms done 6 timeout", "10000ms done 7 ok 2"])
    }

    @Test("a listener below a complete one sends no request, and one above replaces it")
    func covering() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.complete("a", children(["x": .number(1), "y": .number(1)]))
        #expect(phone.on("a/x") == ["done 3 ok", "a/x is 1"])
        #expect(phone.deliver("on a", at: "a/x", .set(.number(2))) == ["a/x is 2", #"a is {"x":2,"y":1}"#])
        phone.drop()
        #expect(phone.get("a") == [#"done 4 ok {"x":2,"y":1}"#])
        #expect(phone.succeed().filter { $0.contains(" on ") } == ["send 2 on a"])
        #expect(phone.off("a") == ["send 2 on a/x", "send 2 off a", "done 5 ok"])
        // The result is the same if the path below gets its listener first.
        let pad = TreeTranscript()
        pad.goOnline()
        pad.on("a/x")
        pad.complete("a/x", .number(1))
        #expect(pad.on("a") == ["send 1 on a", "send 1 off a/x", "done 3 ok"])
        #expect(pad.complete("a", children(["x": .number(2)])) == ["a/x is 2", #"a is {"x":2}"#])
    }

    @Test("26101: a listen that the server ends is cancelled once, and the others continue")
    func cancelled() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.complete("a", .number(1))
        phone.on("b")
        phone.complete("b", .number(1))
        let number = UInt64(1)
        #expect(phone.receive(.treeCancelled(listen: number, .forbidden)) == ["a cancelled forbidden"])
        #expect(phone.receive(.treeCancelled(listen: number, .forbidden)) == [])
        #expect(phone.receive(.treeCancelled(listen: 77, .ok)) == [])
        #expect(phone.deliver("on a", at: "a", .set(.number(2))) == [])
        #expect(phone.deliver("on b", at: "b", .set(.number(2))) == ["b is 2"])
        phone.drop()
        #expect(phone.succeed().filter { $0.contains(" on ") } == ["send 2 on b"])
    }

    @Test("SYNC-4: the outline shows the known data, its source, and the listeners")
    func outline() {
        let phone = TreeTranscript()
        #expect(phone.outline("") == ["/ known=part"])
        #expect(phone.state == .loggedOut)
        phone.goOnline()
        phone.on("a")
        phone.complete("a", children(["x": .number(1), "y": children(["z": .text("t")])]))
        phone.set("a/y/w", TreeNode(.bool(true), priority: .number(3)))
        phone.set("b/c", .number(2))
        phone.on("d", TreeQuery(limit: .init(.last, 1)))
        #expect(
            phone.outline("") == [
                "/ known=part", "/a known=all listens=1 listeners=1", "/a/x value=1 known=all", "/a/y known=all",
                "/a/y/w value=true priority=3 known=all pending=yes", #"/a/y/z value="t" known=all"#, "/b known=part",
                "/b/c value=2 known=all pending=yes", "/d known=part listens=2 --last 1 listeners=1",
            ])
        #expect(
            phone.outline("a/y") == [
                "/a/y known=all", "/a/y/w value=true priority=3 known=all pending=yes", #"/a/y/z value="t" known=all"#,
            ])
        #expect(phone.outline(".info").first == "/.info known=part")
        phone.set("many", .children((0..<300).map { ("k\($0)", .number(1)) }))
        let rows = phone.outline("many")
        #expect(rows.count == 200 && rows[0] == "/many known=all pending=yes more=101")
    }

    @Test("SYNC-4: a query's listeners get only the events of its result, and child events")
    func queries() {
        let phone = TreeTranscript()
        phone.goOnline()
        let last = TreeQuery(order: .value, limit: .init(.last, 2))
        let words = "a --order-by value --last 2"
        phone.on("a", last, [.childAdded, .childRemoved, .childChanged, .childMoved, .value])
        #expect(phone.sent.last?.line == "on \(words)")
        #expect(
            phone.deliver("on \(words)", at: "a", .set(children(["x": .number(1), "y": .number(2)]))) == [
                "\(words) child-added x 1", "\(words) child-added y 2 after x", #"\#(words) is {"x":1,"y":2}"#,
            ])
        #expect(phone.answer() == [])
        #expect(
            phone.deliver("on \(words)", at: "a", .update(.parts(["x": .null, "z": .number(3)]))) == [
                "\(words) child-removed x 1", "\(words) child-added z 3 after y", #"\#(words) is {"y":2,"z":3}"#,
            ])
        // A change outside the query's limit causes no event.
        #expect(phone.set("a/w", .number(0)) == ["send 1 set a/w = 0"])
        #expect(phone.answer(nil, .forbidden) == ["done 3 forbidden"])
        #expect(
            phone.set("a/y", .number(4)).dropFirst().prefix(2) == [
                "\(words) child-moved y 4 after z", "\(words) child-changed y 4 after z",
            ])
    }

    @Test("26201 26203 26204: a transaction runs on the known value, again on a newer one, and completes once")
    func transactions() throws {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.complete("a", .number(1))
        #expect(try phone.transact("a", "value + 1") == ["a is 2", "send 1 transaction a = 2"])
        phone.deliver("on a", at: "a", .set(.number(5)))
        #expect(phone.answer(nil, .transactionStale) == ["a is 6", "send 1 transaction a = 6"])
        // The server's events about a write come before its acknowledgement.
        #expect(phone.deliver("on a", at: "a", .set(.number(6))) == [])
        #expect(phone.answer() == ["done 3 ok true 6"])
        #expect(try phone.transact("a", "if exists then abort else 1") == ["done 4 ok false 6"])
        // Without local events, the app gets the value when the server has accepted the transaction.
        #expect(try phone.transact("a", "value + 1", isHidden: true) == ["send 1 transaction a = 7"])
        #expect(phone.deliver("on a", at: "a", .set(.number(7))) == ["a is 7"])
        #expect(phone.answer() == ["done 5 ok true 7"])
        // The app sets the value while the transaction is pending. The transaction is not run again.
        try phone.transact("a", "value + 1")
        #expect(phone.set("a", .number(0)) == ["send 1 set a = 0", "a is 0"])
        #expect(phone.answer("transaction a = 8", .transactionStale) == ["done 6 transaction-overridden"])
        phone.deliver("on a", at: "a", .set(.number(0)))
        phone.answer("set a = 0")
        // If the connection breaks after the transaction was sent, its result is unknown.
        try phone.transact("a", "value + 1")
        #expect(phone.drop().contains("done 8 connection-failed"))
        // If the transaction was not sent, it is sent over the next connection.
        try phone.transact("a", "value + 1")
        #expect(phone.succeed().contains("send 2 transaction a = 1"))
        #expect(phone.incomplete == [9])
    }

    @Test("26203: with a newer value each time it runs 25 times")
    func retries() throws {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.complete("a", .number(0))
        try phone.transact("a", "value + 1")
        var lines: [String] = []
        var sent = 1
        while lines.last?.hasPrefix("done") != true, sent < 100 {
            phone.deliver("on a", at: "a", .set(.number(Double(sent * 10))))
            lines = phone.answer(nil, .transactionStale)
            if lines.contains(where: { $0.contains("transaction a") }) { sent += 1 }
        }
        #expect(lines == ["a is \(sent * 10)", "done 3 transaction-retries"])
        #expect(sent == 25)
    }

    @Test("P20: a read that waits for a link is answered over the next one")
    func readsAreRestored() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.get("a")
        phone.drop()
        #expect(phone.succeed().contains("send 2 get a"))
        #expect(phone.answer(nil, .ok, .number(1)) == ["done 2 ok 1"])
        #expect(!phone.wait(20).contains { $0.contains("done") })
    }

    @Test(
        "S-26: an onDisconnect operation whose answer is lost with the link fails, and is not registered again",
        arguments: [true, false])
    func lostOnDisconnect(_ cancels: Bool) {
        let phone = TreeTranscript()
        phone.goOnline()
        if cancels {
            #expect(phone.command(.tree(.cancelOnDisconnect(path: "a"))) == ["send 1 on-disconnect cancel a"])
        } else {
            #expect(phone.onDisconnect("a", .null) == ["send 1 on-disconnect set a = null"])
        }
        #expect(phone.drop().contains("done 2 connection-failed"))
        #expect(phone.succeed().count == 2)
        #expect(phone.incomplete == [])
    }

    @Test("S-22: an acknowledged onDisconnect operation is not registered again")
    func onDisconnectOnce() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.command(.tree(.onDisconnectUpdate(path: "a", TreeUpdate(.parts(["x": .number(1)])))))
        #expect(phone.answer() == ["done 2 ok"])
        phone.drop()
        #expect(!phone.succeed().contains { $0.contains("on-disconnect") })
    }

    @Test("limits: paths, depths, values and numbers that a tree cannot hold are refused locally")
    func limits() {
        let phone = TreeTranscript()
        phone.goOnline()
        let deep = (0..<32).map { "k\($0)" }.joined(separator: "/")
        func status(_ request: TreeCommand) -> String {
            let lines = phone.command(.tree(request))
            return lines.last.map { $0.hasPrefix("send") ? "sent" : String($0.split(separator: " ")[2]) } ?? ""
        }
        #expect(status(.set(path: deep, .bool(true))) == "sent")
        #expect(status(.set(path: deep + "/k", .bool(true))) == "invalid-argument")
        #expect(status(.set(path: deep, children(["k": .bool(true)]))) == "invalid-argument")
        #expect(status(.get(path: deep)) == "sent")
        #expect(status(.get(path: deep + "/k")) == "invalid-argument")
        #expect(status(.get(path: String(repeating: "k", count: 768))) == "sent")
        #expect(status(.get(path: String(repeating: "k", count: 769))) == "invalid-argument")
        for path in ["a/.info", "a.b", "a#", "[", "$a", "a\u{7}", "/a//b", ".infos"] {
            #expect(status(.get(path: path)) == "invalid-argument", "\(path)")
        }
        #expect(status(.set(path: "/a/b/", .bool(true))) == "sent")
        #expect(phone.sent.last?.line == "set a/b = true")
        #expect(status(.set(path: "a", .number(.nan))) == "invalid-argument")
        #expect(status(.set(path: "a", children(["": .bool(true)]))) == "invalid-argument")
        #expect(status(.update(path: "a", TreeUpdate([]))) == "invalid-argument")
        #expect(status(.update(path: "a", TreeUpdate(.parts(["b": .null, "b/c": .null])))) == "invalid-argument")
        #expect(status(.update(path: ".info", TreeUpdate(.parts(["connected": .null])))) == "invalid-argument")
        #expect(status(.onDisconnect(path: ".info/connected", .null)) == "invalid-argument")
        #expect(status(.listen(path: "a/.priority")) == "invalid-argument")
        #expect(status(.set(path: "a/.priority", children(["b": .null, "c": .bool(true)]))) == "invalid-argument")
        #expect(status(.cancelOnDisconnect(path: ".info")) == "invalid-argument")
        let large = String(repeating: "x", count: TreeLimits.leafBytesMax)
        #expect(status(.set(path: "a", .text(large))) == "sent")
        #expect(status(.set(path: "a", .text(large + "x"))) == "value-too-large")
        #expect(status(.set(path: "a", children(["b": .text(large), "c": .text(large)]))) == "request-too-large")
        for number in phone.sent.count..<200 { phone.on("l\(number)") }
        #expect(status(.listen(path: "more")) == "limit-exceeded")
        phone.drop()
        let waiting = (0..<101).map { status(.set(path: "w\($0)", .bool(true))) }
        #expect(waiting.last == "limit-exceeded")
    }

    @Test("an invalid value from the server closes the link")
    func violations() {
        let untidy: [TreeNode] = [
            .number(.infinity), children(["a/b": .number(1)]), children(["": .bool(true)]),
            TreeNode(.bool(true), priority: .number(.nan)),
            (0..<40).reduce(.bool(true)) { node, _ in children(["k": node]) },
        ]
        for value in untidy {
            for body in [
                FrameBody.treeData(TreeData(listen: 1, path: "a", .set(value))), .treeAck(.ok, value),
                .treeData(TreeData(listen: 1, path: "a", .update(.parts(["b": value])))),
            ] {
                let phone = TreeTranscript()
                phone.goOnline()
                phone.on("a")
                let lines = phone.receive(body, request: phone.request)
                #expect(lines.prefix(2) == ["send 1 goodbye protocol-violation", "close 1"])
                #expect(phone.notified["a"] == nil)
            }
        }
        let phone = TreeTranscript()
        phone.goOnline()
        #expect(
            phone.receive(.treeData(TreeData(listen: 1, path: ".info/connected", .set(.bool(false))))).contains(
                "close 1"))
    }
}
