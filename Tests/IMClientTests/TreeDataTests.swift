import IMClient
import IMProtocol
import SansIO
import Testing

@Suite struct TreeDataTests {
    @Test("C-1 SYNC-10: a write is seen at once, is sent once, and ends with the server's word")
    func writes() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        #expect(phone.answer(nil, .ok, .null) == ["a is null"])
        #expect(phone.set("a/x", .number(1)) == ["send 1 set a/x = 1", #"a is {"x":1}"#])
        #expect(phone.receive(.treeData(path: "a", children(["x": .number(1)]))) == [])
        #expect(phone.answer() == ["done 3 ok"])
        // Somebody else's value replaces it.
        #expect(phone.receive(.treeData(path: "a", children(["x": .number(2)]))) == [#"a is {"x":2}"#])
    }

    @Test("C-1: a write that the server refuses is taken back")
    func refused() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.answer(nil, .ok, .text("old"))
        phone.set("a", .text("new"))
        #expect(phone.told["a"] == .text("new"))
        #expect(phone.answer(nil, .limitExceeded) == [#"a is "old""#, "done 3 limit-exceeded"])
    }

    @Test("SYNC-10: writes lie over the server's values in their order, updates child by child")
    func order() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.answer(nil, .ok, children(["x": .number(1), "y": .number(2)]))
        #expect(phone.update("a", children(["z": .number(3), "x": .null])).last == #"a is {"y":2,"z":3}"#)
        #expect(phone.set("a/y/deep", .bool(true)).last == #"a is {"y":{"deep":true},"z":3}"#)
        #expect(phone.set("", .null).last == "a is null")
        #expect(phone.set("a", .null).count == 1)
        phone.answer("set  = null")
        #expect(
            phone.sent.map(\.line).suffix(4) == [
                #"update a = {"x":null,"z":3}"#, "set a/y/deep = true", "set  = null", "set a = null",
            ])
    }

    @Test("C-15 SYNC-10: after a reconnect listeners go out once each, then the writes in order, then reads")
    func restores() {
        let phone = TreeTranscript()
        phone.on("a")
        phone.on("b")
        phone.set("a", .number(1))
        phone.update("b", children(["x": .number(2)]))
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
        // What is acknowledged is not sent again, what is not is, as it was; nothing of an order is.
        #expect(
            phone.accept().filter { $0.hasPrefix("send 2 ") } == [
                "send 2 on a", "send 2 on b", #"send 2 update b = {"x":2}"#,
            ])
        #expect(phone.answer(#"update b = {"x":2}"#) == ["done 4 ok"])
        #expect(phone.unsettled == [])
    }

    @Test("C-3: an answer of the link before is not taken for one to this")
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

    @Test("SYNC-10: a listener put off is not restored, and what is still under way for it is not told")
    func unlisten() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.answer(nil, .ok, .number(1))
        #expect(phone.off("a") == ["send 1 off a", "done 3 ok"])
        #expect(phone.receive(.treeData(path: "a", .number(2))) == [])
        #expect(phone.off("a") == ["done 4 ok"])
        phone.on("a")
        #expect(phone.on("a") == ["done 6 ok"])
        // The answer to the first `on` comes late and is nobody's.
        #expect(phone.receive(.treeAck(.ok, .number(1)), request: 2) == [])
        #expect(phone.answer("on a", .ok, .number(3)) == ["a is 3"])
        phone.drop()
        #expect(phone.succeed().filter { $0.contains(" on ") } == ["send 2 on a"])
    }

    @Test("a listener that the server will not have is gone on both sides (C-15)")
    func refusedListener() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.answer(nil, .limitExceeded)
        phone.drop()
        #expect(!phone.succeed().contains { $0.contains(" on a") })
    }

    @Test("P20: without a link a read is answered from what is known, or fails after 3 s")
    func readsWithoutLink() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.answer(nil, .ok, children(["x": .number(1)]))
        phone.drop()
        #expect(phone.get("a/x") == ["done 3 ok 1"])
        phone.set("a/x", .number(2))
        #expect(phone.get("a/x") == ["done 5 ok 2"])
        phone.set("b", .text("mine"))
        #expect(phone.get("b") == [#"done 7 ok "mine""#])
        #expect(phone.get("") == [])
        #expect(phone.wait(3).contains("3000ms done 8 network-unavailable"))
    }

    @Test("P20: over a link the server is asked; own writes that it cannot have had yet lie over its answer")
    func readsOverLink() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.answer(nil, .ok, .number(1))
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

    @Test("P20: a read does not go behind what a listener below has heard")
    func partsAreNewer() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.answer(nil, .ok, children(["x": .number(1), "y": .number(1)]))
        phone.on("a/x")
        #expect(phone.told["a/x"] == .number(1))
        // The link breaks between the two notices of one change.
        phone.receive(.treeData(path: "a/x", .number(2)))
        phone.drop()
        #expect(phone.get("a") == [#"done 4 ok {"x":2,"y":1}"#])
        #expect(phone.get("a/x") == ["done 5 ok 2"])
        phone.succeed()
        // The other way round: what the place above has heard is the newer.
        phone.answer("on a", .ok, children(["x": .number(3)]))
        #expect(phone.told["a/x"] == .number(3))
        phone.drop()
        #expect(phone.get("a/x") == ["done 6 ok 3"])
        // The same where the place below was listened to first.
        let pad = TreeTranscript()
        pad.goOnline()
        pad.on("a/x")
        pad.answer(nil, .ok, .number(1))
        pad.on("a")
        #expect(pad.answer(nil, .ok, children(["x": .number(2)])) == ["a/x is 2", #"a is {"x":2}"#])
    }

    @Test("P20: a read that waits for a link is answered by the link that comes")
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
        "S-26: an order whose answer is lost with the link fails, and is not registered again",
        arguments: [true, false])
    func lostOrders(_ cancels: Bool) {
        let phone = TreeTranscript()
        phone.goOnline()
        if cancels {
            #expect(phone.command(.tree(.cancelOnDisconnect(path: "a"))) == ["send 1 on-disconnect cancel a"])
        } else {
            #expect(phone.onDisconnect("a", .null) == ["send 1 on-disconnect set a = null"])
        }
        #expect(phone.drop().contains("done 2 connection-failed"))
        #expect(phone.succeed().count == 2)
        #expect(phone.unsettled == [])
    }

    @Test("S-22: an order that was acknowledged is not registered again")
    func ordersOnce() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.onDisconnect("a", children(["x": .number(1)]), merges: true)
        #expect(phone.answer() == ["done 2 ok"])
        phone.drop()
        #expect(!phone.succeed().contains { $0.contains("on-disconnect") })
    }

    @Test("limits: paths, depths, values and numbers that no tree can hold are refused here")
    func limits() {
        let phone = TreeTranscript()
        phone.goOnline()
        let deep = (0..<32).map { "k\($0)" }.joined(separator: "/")
        func status(_ request: TreeRequest) -> String {
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
        #expect(status(.update(path: "a", .bool(true))) == "invalid-argument")
        #expect(status(.update(path: "a", .children([]))) == "invalid-argument")
        #expect(status(.update(path: ".info", children(["connected": .null]))) == "invalid-argument")
        #expect(status(.onDisconnect(path: ".info/connected", .null, merges: false)) == "invalid-argument")
        #expect(status(.cancelOnDisconnect(path: ".info")) == "invalid-argument")
        let large = String(repeating: "x", count: TreeLimit.weightMax - 6)
        #expect(status(.set(path: "a", .text(large))) == "sent")
        #expect(status(.set(path: "a", .text(large + "x"))) == "value-too-large")
        let half = String(repeating: "x", count: TreeLimit.weightMax / 2)
        #expect(status(.set(path: "a", children(["b": .text(half), "c": .text(half)]))) == "request-too-large")
        for number in phone.sent.count..<200 { phone.on("l\(number)") }
        #expect(status(.listen(path: "more")) == "limit-exceeded")
        phone.drop()
        let waiting = (0..<101).map { status(.set(path: "w\($0)", .bool(true))) }
        #expect(waiting.last == "limit-exceeded")
    }

    @Test("a value that a server may not send ends the link in order")
    func violations() {
        let untidy: [TreeValue] = [
            .number(.infinity), children(["b": .number(1), "a": .number(1)]), children(["a": .null]), .children([]),
            children(["a/b": .number(1)]), .text(String(repeating: "x", count: 60_001)),
        ]
        for value in untidy {
            for body in [FrameBody.treeData(path: "a", value), .treeAck(.ok, value)] {
                let phone = TreeTranscript()
                phone.goOnline()
                phone.on("a")
                let lines = phone.receive(body, request: phone.request)
                #expect(lines.prefix(2) == ["send 1 goodbye protocol-violation", "close 1"])
                #expect(phone.told["a"] == nil)
            }
        }
        let phone = TreeTranscript()
        phone.goOnline()
        #expect(phone.receive(.treeData(path: ".info/connected", .bool(false))).contains("close 1"))
    }
}
