import IMProtocol
import IMServer
import SansIO
import Testing

@Suite struct ServerTreeTests {
    @Test("SYNC-1: a guest comes under its device's name alone, and brings no credential")
    func guests() {
        let server = TreeServer()
        #expect(server.join(1, "phone") == ["1 login-ack ok"])
        server.feed(.connectionOpened(ConnectionID(2)))
        #expect(server.login(2, "pad", as: "phone") == ["2 login-ack invalid-argument"])
        var policy = TreeServer.policy
        policy.admitsWithoutCredential = false
        #expect(TreeServer(policy).join(1, "phone") == ["1 login-ack wrong-credential"])
        policy = TreeServer.policy
        policy.accountCountMax = 0
        #expect(TreeServer(policy).join(1, "phone") == ["1 login-ack account-limit"])
    }

    @Test("nobody who has not logged in says anything about the tree")
    func strangers() {
        let server = TreeServer()
        server.feed(.connectionOpened(ConnectionID(1)))
        #expect(server.set(1, "a", .bool(true)) == ["1 goodbye protocol-violation", "close 1"])
    }

    @Test("values are set, updated and removed; what is left empty is gone; keys are in order")
    func values() {
        let server = TreeServer()
        server.join(1, "phone")
        #expect(server.set(1, "a/b/c", .number(1)) == ["1 ok"])
        #expect(server.value("") == #"{"a":{"b":{"c":1}}}"#)
        server.set(1, "a/b/a", .text("x"))
        #expect(server.value("a/b") == #"{"a":"x","c":1}"#)
        server.update(1, "a", children(["z": .bool(true), "b": .null]))
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
        "a change is told above, at and below its place, to every connection, once; beside it and where nothing changed, not"
    )
    func news() {
        let server = TreeServer()
        server.join(1, "phone")
        server.join(2, "pad")
        server.set(1, "a/b/c", .number(1))
        #expect(server.on(1, "a") == [#"1 ok {"b":{"c":1}}"#])
        server.on(1, "a")
        server.on(2, "")
        server.on(2, "a/b/c")
        server.on(2, "a/x")
        server.on(2, "b")
        #expect(
            server.set(2, "a/b", children(["c": .number(2)])) == [
                #"1 a is {"b":{"c":2}}"#, #"2  is {"a":{"b":{"c":2}}}"#, "2 a/b/c is 2", "2 ok",
            ])
        #expect(server.set(2, "a/b/c", .number(2)) == ["2 ok"])
        #expect(server.set(1, "a/b/d", .number(3)).filter { $0.contains("a/b/c") } == [])
        server.off(1, "a")
        #expect(server.set(1, "a", .null) == ["2  is null", "2 a/b/c is null", "1 ok"])
        server.close(2)
        #expect(server.set(1, "a/b/c", .number(4)) == ["1 ok"])
    }

    @Test(
        "SYNC-6: what was registered is done when the connection ends, however, once",
        arguments: ["closed", "goodbye", "silence", "violation", "unreadable", "logout", "kick", "shutdown"])
    func onDisconnect(_ end: String) {
        let server = TreeServer()
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

    @Test("SYNC-6: sets, updates and removals in the order in which they were registered, told in one go")
    func ordersInOrder() {
        let server = TreeServer()
        server.join(1, "phone")
        server.join(2, "pad")
        server.set(1, "a", children(["x": .number(1), "y": .number(2)]))
        server.on(2, "a")
        server.onDisconnect(1, "a", children(["x": .null, "z": .number(3)]), merges: true)
        server.onDisconnect(1, "a/y", .null)
        server.onDisconnect(1, "a/z", .number(4))
        #expect(server.close(1) == [#"2 a is {"z":4}"#])
    }

    @Test("SYNC-6: a cancel takes back what was registered at its place and below, not above or beside")
    func cancel() {
        let server = TreeServer()
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

    @Test("S-21 SYNC-6 P8: a device that is back is never marked offline by its old connection")
    func comesBack() {
        let server = TreeServer()
        server.join(1, "phone")
        server.join(2, "pad")
        server.on(2, "status")
        server.onDisconnect(1, "status", .text("offline"))
        server.set(1, "status", .text("online"))
        // The old connection has died and nobody knows; the device is back over another one.
        #expect(
            server.join(3, "phone") == [
                "1 goodbye replaced", "close 1", #"2 status is "offline""#, "3 login-ack ok",
            ])
        // What was still under way over the old one means nothing any more.
        #expect(server.set(1, "status", .text("late")) == [])
        #expect(server.onDisconnect(1, "status", .text("late")) == [])
        server.set(3, "status", .text("online"))
        #expect(server.close(1) == [])
        #expect(server.wait(300, beating: [2, 3]) == [])
        #expect(server.value("status", over: 3) == #""online""#)
        // And nothing is registered for the new one (S-22).
        #expect(server.close(3) == [])
        #expect(server.value("status", over: 2) == #""online""#)
    }

    @Test("SYNC-6: the tree outlives the server's process; the orders of its connections are done with it")
    func restart() {
        let server = TreeServer()
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

    @Test("limits: what no tree can hold, what does not fit, and too much of anything is refused and changes nothing")
    func limits() {
        let server = TreeServer()
        server.join(1, "phone")
        #expect(server.set(1, ".info/connected", .bool(true)) == ["1 invalid-argument"])
        #expect(server.on(1, ".info/connected") == ["1 invalid-argument"])
        #expect(server.receive(1, .tree(.get(path: ".info"))) == ["1 invalid-argument"])
        #expect(server.set(1, "a//b", .bool(true)) == ["1 invalid-argument"])
        #expect(server.set(1, "a", .number(-.infinity)) == ["1 invalid-argument"])
        #expect(server.set(1, "a", children(["b.c": .bool(true)])) == ["1 invalid-argument"])
        let half = TreeValue.text(String(repeating: "x", count: TreeLimit.weightMax / 2))
        #expect(server.set(1, "a", half) == ["1 ok"])
        #expect(server.set(1, "b", half) == ["1 limit-exceeded"])
        #expect(server.update(1, "", children(["c": .bool(true), "b": half])) == ["1 limit-exceeded"])
        #expect(server.value("b") == "null" && server.value("c") == "null")
        server.join(2, "pad")
        #expect(server.onDisconnect(2, "b", half) == ["2 ok"])
        #expect(server.onDisconnect(2, "d", half) == ["2 limit-exceeded"])
        #expect(server.onDisconnect(2, "c", .bool(true)) == ["2 ok"])
        // One order for which there is no room keeps no other from being done.
        server.close(2)
        #expect(server.value("b") == "null" && server.value("c") == "true")
        for number in 0..<TreeLimit.listenersMax { #expect(server.on(1, "l\(number)") == ["1 ok"]) }
        #expect(server.on(1, "l0") == ["1 ok"])
        #expect(server.on(1, "more") == ["1 limit-exceeded"])
        for number in 0..<TreeLimit.registrationsMax { server.onDisconnect(1, "l\(number)", .null) }
        #expect(server.onDisconnect(1, "l0", .null) == ["1 ok"])
        #expect(server.onDisconnect(1, "more", .null) == ["1 limit-exceeded"])
    }

    @Test(
        "the whole tree always fits into one frame, whatever it is made of",
        arguments: [TreeValue.bool(true), .number(1), .text(""), .text("täglich")], ["", "k/", "kkkkkkkk/k/"])
    func fitsIntoAFrame(_ leaf: TreeValue, _ way: String) throws {
        let server = TreeServer()
        server.join(1, "phone")
        var status = ""
        for number in 0..<5000 where status != "1 limit-exceeded" {
            let leaves = (0..<50).map { TreeChild("\($0 + 100)", leaf) }
            status = server.set(1, "\(number)/\(way)x", .children(leaves)).last ?? ""
        }
        #expect(status == "1 limit-exceeded")
        let long = String(repeating: "p", count: TreeLimit.pathBytesMax)
        for effect in server.machine.answer(to: .tree(.get(path: ""))) {
            guard case .send(_, let frame) = effect, case .treeAck(_, let value) = frame.body else { continue }
            let bytes = Frame(request: .max, .treeData(path: long, value)).bytes()
            #expect(bytes.count <= ProtocolLimit.frameBytesMax)
            #expect(try Frame(bytes: bytes).body == .treeData(path: long, value))
            #expect(value.isTidy)
        }
    }
}

extension ServerMachine {
    /// What it answers to one frame over connection 1, without having been asked.
    func answer(to body: FrameBody) -> [ServerEffect] {
        var copy = self
        return copy.handle(.frameReceived(ConnectionID(1), Frame(request: 1, body)), at: .zero)
    }
}
