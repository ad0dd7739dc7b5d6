import IMProtocol
import IMServer
import SansIO
import Testing

/// Tests of data that reaches a user's other devices: operations, copies of messages, messages to one device (CHAT-7,
/// CHAT-8, CHAT-9), and messages that wait for the offline pull (CHAT-12).
@Suite struct OperationTests {
    /// A policy without stored user data, because other tests check the effects of operations.
    private let plain: ServerPolicy = {
        var policy = chat
        policy.hasUserData = false
        return policy
    }()

    private func threeDevices() -> ServerTranscript {
        let server = ServerTranscript(plain)
        server.login(1, "a")
        server.login(2, "b", .android)
        server.login(3, "c", .web)
        return server
    }

    private func operation(_ id: String, _ kind: OperationKind = .groupJoin) -> FrameBody {
        .operation(DeviceOperation(id: id, kind: kind, target: "g", ext: "e", device: "lie"))
    }

    @discardableResult
    private func send(_ server: ServerTranscript, _ id: UInt32, _ name: String, to: String) -> [String] {
        server.receive(id, .send(ChatMessage(id: name, to: to, text: name)))
    }

    private func notifications(_ lines: [String]) -> [String] { lines.filter { $0.contains("operated") } }

    @Test(
        "CHAT-8 CHAT-9: every operation is sent to the other devices at once, with the acting device",
        arguments: OperationKind.allCases)
    func atOnce(_ kind: OperationKind) {
        let server = threeDevices()
        #expect(
            server.receive(1, operation("o", kind)) == ["2 operated", "3 operated", "1 operation-ack ok"])
        for id in [UInt32(2), 3] {
            let expected = DeviceOperation(
                id: "o", kind: kind, target: "g", ext: "e", device: "a", number: server.number(id, "o"))
            #expect(server.last[id] == .operated(expected) && expected.number != 0)
        }
        // The devices of another user get nothing.
        server.login(4, "d", user: "bob")
        #expect(notifications(server.receive(1, operation("p", kind))) == ["2 operated", "3 operated"])
    }

    @Test(
        "CHAT-8: an offline device gets the operations at its next login, in order, and never again after its confirmation"
    )
    func atNextLogin() {
        let server = threeDevices()
        server.close(2)
        var expected: [DeviceOperation] = []
        for kind in OperationKind.allCases {
            server.receive(1, operation(kind.name, kind))
            expected.append(DeviceOperation(id: kind.name, kind: kind, target: "g", ext: "e", device: "a"))
        }
        var machine = server.machine
        _ = machine.handle(.connectionOpened(ConnectionID(9)), at: server.now)
        let login = LoginRequest(
            application: "agora-chat", user: "alice", device: Device(id: "b", platform: .android), mode: .resume,
            epoch: 2, credential: .verdict(CredentialVerdict(.valid, user: "alice")))
        let effects = machine.handle(.frameReceived(ConnectionID(9), Frame(request: 1, .login(login))), at: server.now)
        var number: UInt64 = 0
        let operations: [DeviceOperation] = effects.compactMap { effect in
            guard case .send(ConnectionID(9), let frame) = effect, case .operated(var operation) = frame.body else {
                return nil
            }
            // The numbers of the operations increase.
            guard operation.number > number else { return nil }
            number = operation.number
            operation.number = 0
            return operation
        }
        #expect(operations == expected)
        // Unconfirmed operations are sent again, and confirmed operations are not.
        #expect(notifications(server.login(4, "b", .android, .resume, epoch: 2)).count == expected.count)
        for operation in expected.dropLast() {
            server.receive(4, .operatedAck(id: operation.id, number: server.number(4, operation.id)))
        }
        server.close(4)
        #expect(notifications(server.login(5, "b", .android)) == ["5 operated"])
        let last = expected.last?.id ?? ""
        server.receive(5, .operatedAck(id: last, number: server.number(5, last)))
        server.close(5)
        #expect(notifications(server.login(6, "b", .android)) == [])
        // The other present device has its own operations to confirm.
        server.close(3)
        #expect(notifications(server.login(7, "c", .web)).count == expected.count)
    }

    @Test("CHAT-8: a device that was kicked or logged out also gets the operations; a new device has missed none")
    func endedLogins() {
        let server = threeDevices()
        server.receive(2, .logout(keepsPush: false))
        server.command(.kick(user: "alice", device: "c"))
        server.receive(1, operation("o"))
        #expect(notifications(server.login(4, "b", .android)) == ["4 operated"])
        #expect(notifications(server.login(5, "c", .web)) == ["5 operated"])
        #expect(notifications(server.login(6, "d")) == [])
    }

    @Test("CHAT-8: an invalid operation is refused and reported to nobody")
    func refused() {
        let server = threeDevices()
        let long = String(repeating: "x", count: 1025)
        for operation in [
            DeviceOperation(id: "", kind: .groupJoin, target: "g"),
            DeviceOperation(id: "o", kind: .groupJoin, target: ""),
            DeviceOperation(id: "o", kind: .groupJoin, target: "g", ext: long),
            DeviceOperation(id: long, kind: .groupJoin, target: "g"),
        ] {
            #expect(server.receive(1, .operation(operation)) == ["1 operation-ack invalid-argument"])
        }
        server.close(2)
        #expect(notifications(server.login(4, "b", .android)) == [])
    }

    @Test("G: the waiting messages of a device are limited; further ones are refused, acknowledged ones never dropped")
    func bounded() {
        var policy = plain
        policy.messagesStoredMax = 2
        let server = ServerTranscript(policy)
        server.login(1, "a")
        server.login(2, "b", .android)
        server.close(2)
        let answers = ["o", "p", "q", "o"].map { server.receive(1, operation($0)) }
        #expect(answers == ["ok", "ok", "limit-exceeded", "ok"].map { ["1 operation-ack \($0)"] })
        #expect(notifications(server.login(3, "b", .android)).count == 2)
        for name in ["o", "p"] { server.receive(3, .operatedAck(id: name, number: server.number(3, name))) }
        // The refused operation was not accepted. So, when there is space again, it is not treated as a repetition.
        #expect(notifications(server.receive(1, operation("q"))) == ["3 operated"])
        // The limits also apply to messages, by their number and their size.
        server.login(4, "x", user: "bob")
        server.close(3)
        for name in ["m", "n"] { #expect(send(server, 4, name, to: "alice").last == "4 send-ack ok") }
        #expect(send(server, 4, "o", to: "alice") == ["4 send-ack limit-exceeded"])
        #expect(send(server, 4, "p", to: "alice/a") == ["4 send-ack limit-exceeded"])
        server.confirm(1, "m")
        #expect(send(server, 4, "p", to: "alice/a") == ["1 message bob: p", "4 send-ack ok"])
        #expect(send(server, 4, "m", to: "alice") == ["4 send-ack ok"])
        let small = ServerTranscript(plain)
        small.command(.setPolicy(key: "inbox-bytes-max", value: "1000"))
        small.command(.addAccount("alice"))
        small.login(4, "x", user: "bob")
        let long = String(repeating: "x", count: 500)
        let sizes = ["m", "n"].map { small.receive(4, .send(ChatMessage(id: $0, to: "alice", text: long))) }
        #expect(sizes == [["4 send-ack stored"], ["4 send-ack limit-exceeded"]])
    }

    @Test("C-14: a message with the id of another user's message neither suppresses nor confirms it")
    func othersIDs() {
        let server = threeDevices()
        server.login(4, "x", user: "bob")
        server.login(5, "x", user: "mallory")
        server.close(2)
        #expect(send(server, 5, "bob-1", to: "alice").last == "5 send-ack ok")
        #expect(send(server, 4, "bob-1", to: "alice").last == "4 send-ack ok")
        #expect(server.login(6, "b", .android).contains { $0.hasPrefix("6 login-ack ok") })
        let messages = server.receive(6, .sync).filter { $0.hasPrefix("6 message") }
        #expect(messages == ["6 message mallory: bob-1", "6 message bob: bob-1"])
        // The confirmation contains the number of the second message, so the first message stays.
        server.confirm(6, "bob-1")
        #expect(server.receive(6, .sync).filter { $0.hasPrefix("6 message") } == ["6 message mallory: bob-1"])
        // Apps choose the ids of messages and operations, so the apps on two devices may choose the same id. The server
        // does not ignore the second message or operation.
        #expect(send(server, 1, "same", to: "bob").count == 4)
        #expect(send(server, 3, "same", to: "bob").count == 4)
        #expect(server.receive(1, operation("same", .groupJoin)) == ["1 operation-ack ok"])
        #expect(notifications(server.receive(3, operation("other"))).count == 2)
    }

    @Test("CHAT-9: a removed message is no longer delivered, also not to a later device")
    func removed() {
        for kind in [OperationKind.messagesRemoved, .conversationDelete] {
            let server = threeDevices()
            server.login(4, "x", user: "bob")
            server.login(5, "x", user: "carol")
            server.close(2)
            for sender in [UInt32(4), 5] { send(server, sender, "m\(sender)", to: "alice") }
            send(server, 1, "own", to: "bob")
            let removal = DeviceOperation(id: "o", kind: kind, target: "bob")
            #expect(server.receive(1, .operation(removal)).last == "1 operation-ack ok")
            server.login(6, "b", .android)
            #expect(server.receive(6, .sync).filter { $0.hasPrefix("6 message") } == ["6 message carol: m5"])
        }
        let early = ServerTranscript(plain)
        early.command(.addAccount("alice"))
        early.login(4, "x", user: "bob")
        send(early, 4, "m", to: "alice")
        early.login(1, "a")
        early.receive(1, .operation(DeviceOperation(id: "o", kind: .conversationDelete, target: "bob")))
        #expect(!early.receive(1, .sync).contains("1 message bob: m"))
    }

    @Test("CHAT-8: a user's message goes to the user's other devices, and not back to the sending one")
    func copies() {
        let server = threeDevices()
        server.login(4, "x", user: "bob")
        #expect(
            send(server, 1, "m", to: "bob") == [
                "4 message alice: m", "2 message alice: m", "3 message alice: m", "1 send-ack ok",
            ])
        // The message is sent again because its answer was lost. It is accepted once (C-14).
        #expect(send(server, 1, "m", to: "bob") == ["1 send-ack ok"])
        // Systems without this feature send no copies to the sender's other devices.
        let other = ServerTranscript(nim)
        other.command(.setPolicy(key: "exclusion", value: "none"))
        other.login(1, "a")
        other.login(2, "b", .web)
        other.login(4, "x", user: "bob")
        #expect(
            send(other, 1, "m", to: "bob") == [
                "4 message alice: m", "1 changes", "2 changes", "4 changes", "1 send-ack ok",
            ])
    }

    @Test("CHAT-7: a message to a login id reaches that device and no other, now or later")
    func toOneDevice() {
        let server = threeDevices()
        #expect(send(server, 1, "m", to: "alice/b") == ["2 message alice: m", "1 send-ack ok"])
        server.close(2)
        #expect(send(server, 1, "n", to: "alice/b") == ["1 send-ack stored"])
        server.login(4, "x", user: "bob")
        #expect(send(server, 4, "o", to: "alice/c") == ["3 message bob: o", "4 send-ack ok"])
        for name in ["alice/x", "alice/", "/b", "nobody/b", "bob/b", "/"] {
            #expect(send(server, 1, "p-\(name)", to: name) == ["1 send-ack not-found"])
        }
        server.login(5, "b", .android, .resume, epoch: 2)
        #expect(
            server.receive(5, .sync).filter { $0.contains("message ") } == ["5 message alice: m", "5 message alice: n"])
    }

    @Test(
        "CHAT-8 NIM-10: an absent device gets one push for each message and operation, until it returns or unbinds push"
    )
    func pushes() {
        let server = threeDevices()
        server.login(4, "x", user: "bob")
        server.close(2)
        send(server, 4, "m", to: "alice")
        send(server, 1, "n", to: "bob")
        server.receive(1, operation("o"))
        #expect(server.devices("pushes") == ["a 0", "b 3", "c 0"])
        // After a kick or a logout that unbinds push, there is no push.
        server.command(.kick(user: "alice", device: "c"))
        server.receive(1, operation("p"))
        #expect(server.devices("pushes") == ["a 0", "b 4", "c 0"])
        server.login(5, "b", .android)
        #expect(server.devices("pushes") == ["a 0", "b 0", "c 0"])
        server.receive(5, .logout(keepsPush: false))
        server.receive(1, operation("q"))
        server.login(6, "d")
        server.receive(6, .logout(keepsPush: true))
        server.receive(1, operation("r"))
        #expect(server.devices("pushes") == ["a 0", "b 0", "c 0", "d 1"])
    }

    @Test("CHAT-12: waiting messages are counted and sent in their phase, on the device's request")
    func pull() {
        let server = threeDevices()
        server.login(4, "x", user: "bob")
        server.close(2)
        for name in ["m", "n"] { send(server, 4, name, to: "alice") }
        let login = server.login(5, "b", .android, .resume, epoch: 2)
        #expect(login.contains { $0.hasPrefix("5 login-ack ok") } && !login.contains { $0.contains("message bob") })
        #expect(
            server.receive(5, .sync) == [
                "5 groups 0 ", "5 offline-messages 2 ", "5 message bob: m", "5 message bob: n", "5 roaming-messages 0 ",
                "5 system-notifications 0 ", "5 sync-done",
            ])
        // The connection breaks during the pull. The next pull has exactly the unconfirmed messages (S-20).
        server.confirm(5, "m")
        server.close(5)
        server.login(6, "b", .android)
        #expect(server.receive(6, .sync)[1...2] == ["6 offline-messages 1 ", "6 message bob: n"])
        server.confirm(6, "n")
        #expect(server.receive(6, .sync)[1] == "6 offline-messages 0 ")
    }

    @Test("CHAT-12: messages to a user without a device wait for the first one")
    func firstDevice() {
        let server = ServerTranscript(plain)
        server.command(.addAccount("alice"))
        server.login(1, "x", user: "bob")
        #expect(send(server, 1, "m", to: "alice") == ["1 send-ack stored"])
        server.login(2, "a")
        #expect(server.receive(2, .sync)[1...2] == ["2 offline-messages 1 ", "2 message bob: m"])
        server.login(3, "b")
        #expect(server.receive(3, .sync)[1] == "3 offline-messages 0 ")
    }
}
