import IMClient
import IMProtocol
import SansIO
import Testing

/// Tests of the pull of waiting messages (CHAT-12), and of the operations of other devices (CHAT-8).
@Suite struct OfflinePullTests {
    /// Delivers a message whose number is the character code of its id.
    private func arrive(_ phone: ClientTranscript, _ id: String, from user: String = "bob") -> [String] {
        let number = UInt64(id.utf8.first ?? 0)
        return phone.receive(.message(ChatMessage(id: id, from: user, to: "alice", text: id, number: number)))
            .filter { !$0.hasPrefix("keep alice") }
    }

    private func announce(_ phone: ClientTranscript, _ count: UInt32, _ phase: SyncPhase = .offlineMessages) -> [String]
    {
        phone.receive(.syncPhase(phase, count: count, items: []))
    }

    private func breakLink(_ phone: ClientTranscript) {
        phone.wait(5, answeringHeartbeats: true)
        phone.drop()
        phone.waitForRetry()
        phone.open()
    }

    @Test("CHAT-12: the client is online at once; then the app gets Start, the messages and Finish")
    func pull() {
        let phone = ClientTranscript(chat)
        phone.login()
        phone.open()
        #expect(
            phone.accept() == [
                "keep alice ok autologin", "connecting > online (login-succeeded)", "send 1 sync", "done 1 ok",
            ])
        #expect(announce(phone, 0, .groups) == [])
        #expect(announce(phone, 2) == ["sync-started"])
        #expect(arrive(phone, "m") == ["send 1 message-ack", "keep message bob/m of alice", "message bob: m"])
        #expect(arrive(phone, "n").last == "message bob: n")
        #expect(announce(phone, 0, .roamingMessages) == [])
        #expect(phone.receive(.syncDone) == ["sync-finished"])
        // A second end of the pull is not reported.
        #expect(phone.receive(.syncDone) == [])
    }

    @Test("CHAT-12: without waiting messages there is no Start; other items cause none")
    func nothingToPull() {
        let phone = ClientPhase.online.transcript(chat)
        for phase in SyncPhase.allCases where phase != .offlineMessages { #expect(announce(phone, 3, phase) == []) }
        #expect(announce(phone, 0) == [] && phone.receive(.syncDone) == [])
    }

    @Test(
        "S-20 CHAT-12: a link that breaks causes no Finish; the next pull has a new Start, and no message comes twice")
    func brokenPull() {
        let phone = ClientPhase.online.transcript(chat)
        #expect(announce(phone, 2) == ["sync-started"])
        _ = arrive(phone, "m")
        phone.wait(5, answeringHeartbeats: true)
        #expect(!phone.drop().contains("sync-finished"))
        phone.waitForRetry()
        phone.open()
        #expect(phone.accept().contains("send 2 sync"))
        // The acknowledgement of the first message was lost, so the server delivers it again.
        #expect(announce(phone, 2) == ["sync-started"])
        #expect(arrive(phone, "m") == ["send 2 message-ack"])
        #expect(arrive(phone, "n").last == "message bob: n")
        #expect(phone.receive(.syncDone) == ["sync-finished"])
    }

    @Test("S-20: the end of a pull that was in flight when the link broke does not end the next pull")
    func lateEnd() {
        let phone = ClientPhase.online.transcript(chat)
        _ = announce(phone, 1)
        let old = phone.link
        breakLink(phone)
        phone.accept()
        #expect(phone.feed(.frameReceived(old, Frame(.syncDone))) == [])
        #expect(announce(phone, 1) == ["sync-started"])
    }

    @Test("S-20 C-14: messages that one process of the app has reported are not reported again by the next one")
    func twoProcesses() {
        let phone = ClientPhase.online.transcript(chat)
        _ = announce(phone, 1)
        _ = arrive(phone, "m")
        let next = ClientTranscript(chat, local: phone.machine.local)
        next.login("alice", .automatic)
        next.open()
        next.accept(epoch: 2)
        #expect(announce(next, 1) == ["sync-started"])
        #expect(arrive(next, "m") == ["send 1 message-ack"])
        #expect(next.receive(.syncDone) == ["sync-finished"])
        // Another user of the device has their own messages, whose ids may be equal.
        next.logout()
        next.receive(.logoutAck(.ok))
        next.goOnline("bob", epoch: 1)
        #expect(
            next.receive(.message(ChatMessage(id: "m", from: "carol", to: "bob", text: "m", number: 109))).last
                == "message carol: m"
        )
    }

    @Test("CHAT-12 C-4: a pull that a logout or a kick ends has no Finish")
    func endedPull() {
        for end in [
            { _ = $0.command(.logout(keepsPush: true)) },
            { _ = $0.receive(.kicked(KickNotice(reason: .server, epoch: 1))) },
        ] as [(ClientTranscript) -> Void] {
            let phone = ClientPhase.online.transcript(chat)
            _ = announce(phone, 1)
            end(phone)
            #expect(phone.receive(.syncDone) == [])
            phone.receive(.logoutAck(.ok))
            phone.goOnline(epoch: 2)
            #expect(phone.receive(.syncDone) == [])
            // Messages that arrive after the pull do not belong to it.
            #expect(announce(phone, 1) == [])
        }
    }

    @Test(
        "CHAT-8: every operation of another device is reported once and always acknowledged",
        arguments: OperationKind.allCases)
    func operated(_ kind: OperationKind) {
        let phone = ClientPhase.online.transcript(chat)
        let operation = DeviceOperation(id: "pad-op-1", kind: kind, target: "x", device: "pad", number: 1)
        #expect(
            phone.receive(.operated(operation)) == [
                "keep alice ok autologin", "send 1 operated-ack", "operated \(kind.name) x",
            ])
        #expect(phone.receive(.operated(operation)) == ["send 1 operated-ack"])
        breakLink(phone)
        phone.accept()
        #expect(phone.receive(.operated(operation)) == ["send 2 operated-ack"])
    }

    @Test("CHAT-8: an operation has its own id and completes with the answer; it needs the network")
    func operate() {
        let phone = ClientPhase.online.transcript(chat)
        var ids: Set<String> = []
        for kind in OperationKind.allCases {
            var machine = phone.machine
            let command = ClientCommand.operate(kind, target: "x", ext: "e")
            if case .send(_, let frame)? = machine.handle(.command(CommandID(99), command), at: phone.now).first,
                case .operation(let operation) = frame.body
            {
                #expect(operation.kind == kind && operation.target == "x" && operation.ext == "e")
                ids.insert(operation.id)
            }
            #expect(phone.command(command) == ["send 1 operation"])
            #expect(phone.receive(.operationAck(.ok), request: phone.request) == ["done \(phone.commands) ok"])
        }
        #expect(ids.count == OperationKind.allCases.count)
        func joinGroup(_ target: String = "x", ext: String = "") -> [String] {
            phone.command(.operate(.groupJoin, target: target, ext: ext))
        }
        #expect(joinGroup("") == ["done \(phone.commands) invalid-argument"])
        #expect(joinGroup(ext: String(repeating: "e", count: 1025)) == ["done \(phone.commands) invalid-argument"])
        phone.drop()
        #expect(joinGroup() == ["done \(phone.commands) network-unavailable"])
        phone.command(.logout(keepsPush: true))
        #expect(joinGroup() == ["done \(phone.commands) not-logged-in"])
        #expect(
            ClientPhase.online.transcript(nim).command(.operate(.groupJoin, target: "x", ext: "")) == [
                "done 2 unsupported"
            ])
    }

    @Test("CHAT-7: the login ids of the other devices follow their logins and logouts")
    func selfIDs() {
        let phone = ClientTranscript(chat)
        #expect(phone.list(.selfIDs) == ["not-logged-in"])
        phone.login()
        phone.open()
        phone.accept(others: [pad])
        #expect(phone.list(.selfIDs) == ["alice/pad"])
        phone.receive(.devicesChanged(.login, [Device(id: "mac", platform: .macos)]))
        #expect(phone.list(.selfIDs) == ["alice/pad", "alice/mac"])
        phone.receive(.devicesChanged(.logout, [pad]))
        #expect(phone.list(.selfIDs) == ["alice/mac"])
        #expect(phone.command(.send(to: "alice/mac", text: "hi")) == ["send 1 send alice/mac: hi"])
        phone.command(.logout(keepsPush: true))
        phone.receive(.logoutAck(.ok))
        #expect(phone.list(.selfIDs) == ["not-logged-in"])
        #expect(ClientPhase.online.transcript(nim).list(.selfIDs) == ["unsupported"])
    }
}
