import IMClient
import IMProtocol
import SansIO
import Testing

@Suite struct LocalItemTests {
    private func items(_ prefix: String, _ count: Int) -> [SyncItem] {
        (1...count).map { SyncItem(id: "\(prefix)-\($0)", text: "\(prefix) \($0)") }
    }

    @Test("NIM-14: an interrupted sync is repeated; items that arrived are stored and reported once")
    func repeatedSync() {
        let phone = ClientPhase.syncing.transcript(nim)
        #expect(
            phone.receive(.syncPhase(.groups, count: 2, items: items("g", 2))) == [
                "keep group g-1 of alice", "keep group g-2 of alice", "synced groups 2",
            ])
        #expect(
            phone.receive(.syncPhase(.offlineMessages, count: 2, items: items("m", 1)))
                == ["keep message m-1 of alice", "synced offline-messages 1"])
        phone.drop()
        phone.wait(2)
        phone.open()
        phone.accept()
        #expect(phone.receive(.syncPhase(.groups, count: 2, items: items("g", 2))) == [])
        #expect(
            phone.receive(.syncPhase(.offlineMessages, count: 2, items: items("m", 2)))
                == ["keep message m-2 of alice", "synced offline-messages 1"])
        // An item that arrives in two phases of the sync is stored once. A message and a notification with the same id
        // are two items.
        #expect(phone.receive(.syncPhase(.roamingMessages, count: 2, items: items("m", 2))) == [])
        #expect(
            phone.receive(.syncPhase(.systemNotifications, count: 1, items: items("m", 1)))
                == ["keep notification m-1 of alice", "synced system-notifications 1"])
        phone.receive(.syncDone)
        #expect(
            phone.list(.items) == [
                "group g-1 g 1", "group g-2 g 2", "message m-1 m 1", "message m-2 m 2", "notification m-1 m 1",
            ])
    }

    @Test("C-13: each user sees only their own items, and none without a login")
    func itemsPerUser() {
        let phone = ClientPhase.syncing.transcript(nim)
        phone.receive(.syncPhase(.groups, count: 1, items: items("g", 1)))
        phone.receive(.syncDone)
        phone.logout()
        phone.receive(.logoutAck(.ok))
        #expect(phone.list(.items) == ["not-logged-in"])
        phone.login("bob")
        // The items of a user are not readable before the login has succeeded (NIM-2).
        #expect(phone.list(.items) == ["not-logged-in"])
        phone.open()
        #expect(phone.list(.items) == ["not-logged-in"])
        phone.accept(epoch: 2)
        #expect(phone.list(.items) == [])
        // An item with the same id for another user is another item.
        #expect(phone.receive(.syncPhase(.groups, count: 1, items: items("g", 1))).count == 2)
        #expect(phone.list(.items) == ["group g-1 g 1"])
        phone.receive(.syncDone)
        phone.logout()
        phone.receive(.logoutAck(.ok))
        phone.goOnline("alice", epoch: 3)
        #expect(phone.list(.items) == ["group g-1 g 1"])
    }

    @Test("C-13: after a kick, an expired token and a failed login nothing is readable")
    func itemsAreClosed() {
        for phase in [ClientPhase.loggedOut, .linking, .authenticating, .kicked, .tokenExpired] {
            #expect(phase.transcript(zim).list(.items) == ["not-logged-in"])
        }
        for phase in [ClientPhase.online, .waiting, .relinking, .reauthenticating, .leaving] {
            #expect(phase.transcript(zim).list(.items) == [])
        }
        #expect(ClientPhase.online.transcript(rtm).list(.items) == ["unsupported"])
    }

    @Test("NIM-2 C-13: the next process opens the items with an autologin, at once, for their user only")
    func nextProcess() {
        let phone = ClientPhase.syncing.transcript(nim)
        phone.receive(.syncPhase(.groups, count: 1, items: items("g", 1)))
        var local = phone.machine.local
        local.items.append(LocalItem(user: "bob", kind: .group, id: "b", text: "secret"))
        let next = ClientTranscript(nim, local: local)
        #expect(next.list(.items) == ["not-logged-in"])
        next.login("alice", .automatic)
        #expect(next.list(.items) == ["group g-1 g 1"])
        next.fail()
        #expect(next.list(.items) == ["group g-1 g 1"])
    }

    @Test(
        "C-13 C-14: messages are stored once when they arrive or when the server has accepted them; other users' are not"
    )
    func messages() {
        let phone = ClientPhase.online.transcript(nim)
        func arrive(_ id: String, isToChannel: Bool = false) -> [String] {
            phone.receive(
                .message(
                    ChatMessage(id: id, from: "bob", to: "alice", text: "hi", isToChannel: isToChannel, number: 1)))
        }
        #expect(
            arrive("m") == [
                "keep alice ok autologin", "send 1 message-ack", "keep message bob/m of alice", "message bob: hi",
            ])
        #expect(arrive("m") == ["send 1 message-ack"])
        // A message of a channel that the user has not joined is neither reported nor stored.
        #expect(arrive("c", isToChannel: true) == [])
        for status in [Status.ok, .stored, .notFound, .limitExceeded] {
            phone.command(.send(to: "bob", text: status.name))
            let kept = phone.receive(.sendAck(status, id: phone.message?.id ?? "")).filter { $0.hasPrefix("keep") }
            #expect(kept.isEmpty == (status == .notFound || status == .limitExceeded))
        }
        #expect(phone.list(.items).map { $0.split(separator: " ").last } == ["hi", "ok", "stored"])
        // An earlier process reported the message, so the next process does not report it again (S-20).
        let next = ClientTranscript(nim, local: phone.machine.local)
        next.goOnline(epoch: 2)
        #expect(
            next.receive(.message(ChatMessage(id: "m", from: "bob", to: "alice", text: "hi", number: 1))) == [
                "send 1 message-ack"
            ])
    }

    @Test(
        "NIM-14: of more items than the limit, each is new once, also in the next process; each part is confirmed")
    func newOnce() {
        func part(_ start: UInt64) -> FrameBody {
            let items = (start..<start + 100).map { SyncItem(id: "g-\($0)", text: "", number: $0) }
            return .syncPhase(.groups, count: 700, items: items)
        }
        let phone = ClientPhase.syncing.transcript(nim)
        for start in stride(from: UInt64(1), to: 700, by: 100) {
            let lines = phone.receive(part(start))
            #expect(lines.suffix(2) == ["send 1 sync-ack", "synced groups 100"])
        }
        #expect(phone.list(.items).count == 500)
        #expect(!phone.receive(part(1)).contains { $0.hasPrefix("synced") })
        let next = ClientTranscript(nim, local: phone.machine.local)
        next.login("alice")
        next.open()
        next.accept(epoch: 2)
        #expect(!next.receive(part(1)).contains { $0.hasPrefix("synced") })
        #expect(next.receive(part(701)).contains("synced groups 100"))
        // Each phase of a sync has its own count.
        let other = FrameBody.syncPhase(.systemNotifications, count: 1, items: [SyncItem(id: "n", text: "", number: 5)])
        #expect(next.receive(other).contains("synced system-notifications 1"))
    }

    @Test("design 2: 500 items are stored on a device; the oldest is dropped first")
    func bounded() {
        let phone = ClientPhase.syncing.transcript(nim)
        phone.receive(.syncPhase(.groups, count: 500, items: items("g", 500)))
        #expect(phone.list(.items).count == ClientMachine.itemCountMax && ClientMachine.itemCountMax == 500)
        #expect(phone.receive(.syncPhase(.offlineMessages, count: 1, items: items("m", 1))).count == 2)
        #expect(phone.list(.items).count == 500)
        #expect(phone.list(.items).first == "group g-2 g 2" && phone.list(.items).last == "message m-1 m 1")
    }

    @Test("design 2: an unsupported or early sync closes the link and stores nothing")
    func unexpectedSync() {
        let part = FrameBody.syncPhase(.groups, count: 1, items: items("g", 1))
        for (phase, policy) in [
            (ClientPhase.authenticating, nim), (.reauthenticating, nim), (.online, zim), (.linking, chat),
            (.authenticating, chat),
        ] {
            let phone = phase.transcript(policy)
            let lines = phone.receive(part)
            #expect(lines.contains("close \(phone.link.rawValue)") || phone.links.isEmpty || lines.contains("close 1"))
            #expect(!lines.contains { $0.hasPrefix("keep group") || $0.hasPrefix("synced") })
            #expect(phone.machine.local.items == [])
        }
        // A lost part of a sync can arrive after the sync has ended (C-15).
        #expect(ClientPhase.online.transcript(nim).receive(part).contains("synced groups 1"))
        // Frames that the server sent before it received the logout are no protocol violation.
        #expect(ClientPhase.leaving.transcript(nim).receive(part) == [])
    }

    @Test("design 2: a frame that a server must not send before its login answer closes the link, unreported")
    func beforeTheLogin() {
        let bodies: [FrameBody] = [
            .message(ChatMessage(id: "m", from: "bob", to: "alice", text: "hi")), .presence(user: "bob", .online),
            .operated(DeviceOperation(id: "o", kind: .contactBan, target: "bob")), .devicesChanged(.login, [pad]),
            .tokenNotice(expired: true, remainingMilliseconds: 0), .sendAck(.ok, id: "m"), .syncDone,
        ]
        for body in bodies {
            let phone = ClientPhase.reauthenticating.transcript(zim)
            #expect(phone.receive(body).prefix(2) == ["send 2 goodbye protocol-violation", "close 2"])
            #expect(phone.state == .reconnecting && phone.machine.local.items == [])
        }
    }
}
