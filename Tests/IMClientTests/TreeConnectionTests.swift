import IMClient
import IMProtocol
import IMTree
import SansIO
import TestSupport
import Testing

@Suite struct TreeConnectionTests {
    @Test(
        "SYNC-1: any first reference opens the one connection",
        arguments: [
            TreeCommand.listen(path: ".info/connected"), .listen(path: "a"), .get(path: "a"),
            .get(path: ".info/connected"), .set(path: "a", .bool(true)), .unlisten(path: "a"),
            .onDisconnect(path: "a", .null), .push(path: "a", .bool(true)), .cancelOnDisconnect(path: "a"),
        ])
    func opens(_ command: TreeCommand) {
        let phone = TreeTranscript()
        #expect(phone.command(.tree(command)).prefix(2) == ["logged-out > connecting", "connect 1"])
        #expect(!phone.on("b").contains { $0.hasPrefix("connect") })
        #expect(phone.open() == ["send 1 login phone guest"])
        phone.accept()
        #expect(phone.state == .online)
        #expect(!phone.set("c", .bool(true)).contains { $0.hasPrefix("connect") })
        #expect(phone.links.count == 1)
    }

    @Test("SYNC-1: there is no login in a system without users, and an invalid reference opens nothing")
    func noLogin() {
        let phone = TreeTranscript()
        #expect(phone.command(.login(user: "alice", credential: "t", mode: .manual)) == ["done 1 unsupported"])
        #expect(phone.command(.login(user: "phone", credential: "", mode: .guest)) == ["done 2 unsupported"])
        #expect(phone.set("a//b", .bool(true)) == ["done 3 invalid-argument"])
        #expect(phone.state == .loggedOut)
        let other = TreeTranscript(ClientPolicy(profile: "nim", retryDelays: []))
        #expect(other.set("a", .null) == ["done 1 unsupported"])
        #expect(other.command(.goOffline) == ["done 2 unsupported"])
        #expect(other.command(.goOnline) == ["done 3 unsupported"])
        #expect(other.command(.login(user: "x", credential: "", mode: .guest)) == ["done 4 invalid-argument"])
    }

    @Test("SYNC-1 C-9: a first connection that fails is retried without a limit")
    func retriesForEver() {
        let phone = TreeTranscript()
        phone.on("a")
        #expect(phone.fail() == ["connecting > offline"])
        #expect(phone.wait(1) == ["1000ms offline > connecting", "1000ms connect 2"])
        for _ in 0..<50 {
            phone.fail()
            #expect(phone.wait(2).contains { $0.contains("connect ") })
        }
        #expect(phone.succeed().contains("send 52 on a"))
    }

    @Test("SYNC-5: .info/connected follows the connection and is never sent")
    func connected() {
        let phone = TreeTranscript()
        #expect(phone.on(".info/connected").suffix(2) == ["done 1 ok", ".info/connected is false"])
        #expect(phone.get(".info/connected") == ["done 2 ok false"])
        #expect(phone.succeed() == ["connecting > online", ".info/connected is true"])
        #expect(phone.get("/.info/connected") == ["done 3 ok true"])
        #expect(phone.off(".info/connected") == ["done 4 ok"])
        #expect(phone.on(".info/connected") == ["done 5 ok", ".info/connected is true"])
        #expect(phone.drop().contains(".info/connected is false"))
        #expect(phone.set(".info/connected", .bool(true)) == ["done 6 invalid-argument"])
        #expect(phone.sent.isEmpty)
    }

    @Test("SYNC-5: the offset of the server's clock is published at each connect")
    func offset() {
        let phone = TreeTranscript()
        let path = ".info/serverTimeOffset"
        phone.command(.tree(.listen(path: path), clock: TokenClock(deviceMilliseconds: 10_000)))
        #expect(phone.notified[path] == nil)
        phone.pass(.seconds(2))
        phone.open()
        #expect(phone.accept(serverTime: 15_000).contains("\(path) is 3000"))
        // The device's clock is set. The published offset does not change until the next connection.
        phone.feed(.appChanged(.clockSet(by: .seconds(-5))))
        #expect(phone.notified[path] == .number(3000))
        phone.wait(5)
        phone.drop()
        phone.open()
        #expect(phone.accept(serverTime: 20_000).contains("\(path) is 8000"))
    }

    @Test("SYNC-5: a clock that is read late is compared with the server's time at that instant")
    func lateOffset() {
        let phone = TreeTranscript()
        phone.command(.goOnline)
        phone.open()
        phone.accept(serverTime: 15_000)
        let lines = phone.command(
            .tree(.listen(path: ".info"), clock: TokenClock(deviceMilliseconds: 16_000)))
        #expect(lines == ["done 2 ok", #".info is {"connected":true,"serverTimeOffset":-1000}"#])
    }

    @Test("SYNC-8 S-25: two go-offline commands have the same effect as one, and one go-online command ends it")
    func goOfflineTwice() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.set("a", .number(1))
        #expect(
            phone.command(.goOffline) == [
                "send 1 goodbye went-offline", "close 1", ".info/connected is false", "online > offline", "done 3 ok",
            ])
        #expect(phone.command(.goOffline) == ["done 4 ok"])
        #expect(phone.machine.nextDeadline == nil)
        #expect(phone.wait(3600) == [])
        #expect(phone.feed(.networkChanged(.up)) == [])
        #expect(phone.set("b", .number(2)) == [])
        #expect(phone.command(.goOnline) == ["offline > reconnecting", "connect 2", "done 6 ok"])
        #expect(phone.command(.goOnline) == ["done 7 ok"])
        #expect(
            phone.succeed() == [
                "reconnecting > online", ".info/connected is true", "send 2 set a = 1", "send 2 set b = 2",
            ])
        #expect(phone.command(.goOnline) == ["done 8 ok"])
        #expect(phone.links.count == 1)
    }

    @Test("S-25: go-online during a backoff delay connects at once, with one connection")
    func onlineInBackoff() {
        let phone = TreeTranscript()
        phone.on("a")
        phone.fail()
        #expect(phone.command(.goOnline) == ["offline > connecting", "connect 2", "done 2 ok"])
        #expect(phone.wait(2) == [])
        phone.succeed()
        #expect(phone.links == [ConnectionID(2)])
    }

    @Test("SYNC-8: go-offline works before the first reference, while connecting or logging in, and in a backoff delay")
    func offlineInEveryPhase() {
        for step in 0..<4 {
            let phone = TreeTranscript()
            if step > 0 { phone.on("a") }
            if step == 2 { phone.open() }
            if step == 3 { phone.fail() }
            #expect(phone.command(.goOffline).last == "done \(phone.commands) ok")
            #expect(phone.state == .offline)
            #expect(phone.links.isEmpty && phone.machine.nextDeadline == nil)
            // A new reference does not connect, because the app has switched the client offline.
            #expect(!phone.on("b").contains { $0.hasPrefix("connect") })
            #expect(phone.command(.goOnline).contains("connect \(phone.link.rawValue)"))
            #expect(phone.succeed().contains("send \(phone.link.rawValue) on b"))
        }
    }

    @Test("C-1 C-4: a logout fails everything that waits; the next reference starts again")
    func logout() {
        let phone = TreeTranscript()
        phone.on("a")
        phone.set("a", .number(1))
        phone.get("b")
        phone.onDisconnect("c", .null)
        #expect(
            phone.command(.logout(keepsPush: false)) == [
                "close 1", "done 2 cancelled", "done 3 cancelled", "done 4 cancelled", "connecting > logged-out",
                "done 5 ok",
            ])
        #expect(phone.incomplete == [])
        #expect(phone.machine.nextDeadline == nil)
        #expect(phone.on("a").contains("connect 2"))
        #expect(phone.succeed() == ["connecting > online", "send 2 on a"])
    }

    @Test("C-1: requests during the logout are cancelled")
    func leaving() {
        let phone = TreeTranscript()
        phone.goOnline()
        #expect(phone.command(.logout(keepsPush: false)).contains("send 1 logout"))
        #expect(phone.set("a", .bool(true)) == ["done 3 cancelled"])
        #expect(phone.command(.goOffline) == ["done 4 cancelled"])
        #expect(phone.command(.goOnline) == ["done 5 cancelled"])
        #expect(phone.receive(.logoutAck(.ok)).last == "done 2 ok")
    }

    @Test("SYNC-8 C-4: go-offline leaves no timer of the link, not even for an unanswered heartbeat")
    func offlineWhileSilent() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.pass(.seconds(15))
        #expect(phone.feed(.deadlineReached) == ["send 1 heartbeat"])
        phone.command(.goOffline)
        #expect(phone.machine.nextDeadline == nil)
    }

    @Test("SYNC-10: a kick by the operator only ends the connection: there is no login")
    func kick() {
        let phone = TreeTranscript()
        phone.goOnline()
        phone.on("a")
        phone.answer(nil, .ok, .null)
        phone.set("a", .number(1))
        let lines = phone.receive(.kicked(KickNotice(reason: .server, epoch: 1)))
        #expect(lines.contains(".info/connected is false") && lines.contains("close 1"))
        #expect(!lines.contains { $0.hasPrefix("done") })
        #expect(phone.wait(2).contains { $0.hasSuffix("connect 2") } || lines.contains("connect 2"))
        let restored = phone.succeed()
        #expect(restored.contains("send 2 on a") && restored.contains("send 2 set a = 1"))
    }

    @Test("SYNC-10: requests without an answer on a live link are sent again over a new one, in order")
    func unanswered() {
        let calls: [((TreeTranscript) -> [String], [String])] = [
            ({ $0.set("a", .number(1)) }, ["send 2 on c", "send 2 set a = 1"]),
            ({ $0.on("b") }, ["send 2 on c", "send 2 on b"]), ({ $0.off("c") }, []),
        ]
        for (call, expected) in calls {
            let phone = TreeTranscript()
            phone.goOnline()
            phone.on("c")
            phone.answer(nil, .ok, .null)
            _ = call(phone)
            _ = phone.wait(9)
            #expect(phone.links.contains(ConnectionID(1)))
            let lines = phone.wait(1)
            #expect(lines.contains { $0.hasSuffix("close 1") } && lines.contains { $0.hasSuffix("connect 2") })
            let sent = phone.succeed().filter { $0.hasPrefix("send") }
            #expect(sent == expected)
        }
        // An answer in time completes the onDisconnect operation. Without an answer it fails and is not sent again.
        let phone = TreeTranscript()
        phone.goOnline()
        phone.set("a", .number(1))
        phone.answer(nil, .ok, .null)
        phone.onDisconnect("a", .number(2))
        let lines = phone.wait(10)
        #expect(lines.contains { $0.hasSuffix("done 3 timeout") } && lines.last?.hasSuffix("connect 2") == true)
        #expect(!phone.succeed().contains { $0.contains("on-disconnect") })
    }

    @Test("C-15: a lost answer to an onDisconnect operation at the root ends the connection, as at any other path")
    func unansweredAtRoot() {
        let phone = TreeTranscript()
        phone.goOnline()
        #expect(phone.onDisconnect("/", .null).first?.hasPrefix("send 1 on-disconnect set") == true)
        let lines = phone.wait(10)
        #expect(lines.contains { $0.hasSuffix("done 2 timeout") } && lines.contains { $0.hasSuffix("close 1") })
    }
}
