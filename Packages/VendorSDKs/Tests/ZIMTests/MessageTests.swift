import SimulatedApp
import Testing
import ZIM

@MainActor
@Suite struct MessageTests {
    @Test func bothSeeAMessageAndItsConversation() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            let (sent, code) = try await phone.run { await alice.send("hello", to: "bob") }
            #expect(code == .success)
            #expect(sent.sentStatus == .sendSuccess)
            #expect(sent.direction == .send)
            #expect(sent.messageID > 0)
            #expect(sent.messageSeq > 0)
            #expect(sent.localMessageID > 0)
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["bob added, 0 unread", "hello sendSuccess"])
            #expect(bob.heard == ["alice: hello", "alice added, 1 unread", "unread 1"])
            let received = try #require(bob.messages.first)
            #expect(received.messageID == sent.messageID)
            #expect(received.conversationID == "alice")
            #expect(received.direction == .receive)
            #expect(bob.conversations.first?.lastMessage?.words == "hello")
            // The reply belongs to the same conversation.
            bob.forget()
            alice.forget()
            _ = try await pad.run { await bob.send("and you?", to: "alice") }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["bob: and you?", "bob updated, 1 unread", "unread 1"])
            #expect(bob.heard == ["alice updated, 1 unread", "and you? sendSuccess"])
            let messages = try await phone.run { await alice.history("bob").messages }
            #expect(messages.map(\.words) == ["hello", "and you?"])
            #expect(messages.map(\.messageID) == [sent.messageID, alice.messages.first?.messageID])
        }
    }

    @Test func equalTextsAreSeparateMessages() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            _ = try await loggedIn("bob", on: "pad", in: simulation)
            var ids: [Int64] = []
            for _ in 1...3 { ids.append(try await phone.run { await alice.send("hello", to: "bob").0.messageID }) }
            #expect(Set(ids).count == 3)
            #expect(try await phone.run { await alice.history("bob").messages.map(\.messageID) } == ids)
        }
    }

    @Test func messagesFromAnAbsenceAreMarked() async throws {
        try await withSimulation("zim") { simulation in
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            try pad.networkDown()
            await simulation.run(for: .seconds(5))
            for text in ["one", "two"] { _ = try await phone.run { await alice.send(text, to: "bob") } }
            bob.forget()
            try pad.networkUp()
            await simulation.run(for: .seconds(20))
            #expect(
                bob.heard == [
                    "state connected success", "sync started", "alice: one (while away)", "alice: two (while away)",
                    "sync finished", "unread 2",
                ])
            #expect(try await pad.run { await bob.history("alice").messages.map(\.words) } == ["one", "two"])
        }
    }

    /// ZIM-10.
    @Test func aMessageWaitsThirtySecondsForTheLink() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (_, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            try phone.networkDown()
            await simulation.run(for: .seconds(2))
            alice.forget()
            let message = ZIMTextMessage(message: "waiting")
            try phone.perform { Self.send(message, alice) }
            await simulation.run(for: .seconds(20))
            #expect(alice.heard == ["attached"])
            try phone.networkUp()
            await simulation.run(for: .seconds(9))
            #expect(message.sentStatus == .sendSuccess)
            #expect(bob.heard.first == "alice: waiting")

            // Too long: it fails. It is then sent again as the same message.
            try phone.networkDown()
            await simulation.run(for: .seconds(2))
            let other = ZIMTextMessage(message: "too late")
            try phone.perform { Self.send(other, alice) }
            await simulation.run(for: .seconds(31))
            #expect(alice.heard.suffix(2) == ["too late sendFailed", "sent networkModuleNetworkError"])
            #expect(other.sentStatus == .sendFailed)
            try phone.networkUp()
            await simulation.run(for: .seconds(20))
            bob.forget()
            try phone.perform { Self.send(other, alice) }
            await simulation.run(for: .seconds(1))
            #expect(other.sentStatus == .sendSuccess)
            #expect(bob.heard.first == "alice: too late")
            try simulation.script("@phone expect result send code=0")
        }
    }

    private static func send(_ message: ZIMMessage, _ app: Phone) {
        let notification = ZIMMessageSendNotification()
        notification.onMessageAttached = { _ in app.note("attached") }
        app.zim.sendMessage(
            message, toConversationID: "bob", conversationType: .peer, config: ZIMMessageSendConfig(),
            notification: notification
        ) { _, error in app.note("sent \(error.code)") }
    }

    @Test func aResendIsStoredOnce() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            // It arrives, but the sender gets no confirmation.
            try simulation.script("@phone net drop send-ack --dir in --count 1")
            let message = ZIMTextMessage(message: "apple")
            #expect(try await phone.run { await alice.send(message, to: "bob").1 } == .networkModuleNetworkError)
            #expect(try await phone.run { await alice.send(message, to: "bob").1 } == .success)
            await simulation.run(for: .seconds(2))
            #expect(bob.heard.filter { $0 == "alice: apple" }.count == 1)
            #expect(try await pad.run { await bob.history("alice").messages.count } == 1)
            #expect(try await phone.run { await alice.history("bob").messages.map(\.messageID) } == [message.messageID])
        }
    }

    @Test func aLaterFailureIsSentAsAnother() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (_, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            try phone.networkDown()
            await simulation.run(for: .seconds(2))
            let messages = ["one", "two"].map(ZIMTextMessage.init(message:))
            try phone.perform { for message in messages { Self.send(message, alice) } }
            await simulation.run(for: .seconds(31))
            #expect(messages.map(\.sentStatus) == [.sendFailed, .sendFailed])
            try phone.networkUp()
            await simulation.run(for: .seconds(20))
            // This is not the oldest one: the machine would send the other one again.
            #expect(try await phone.run { await alice.send(messages[1], to: "bob").1 } == .success)
            #expect(try await phone.run { await alice.send(messages[0], to: "bob").1 } == .success)
            await simulation.run(for: .seconds(1))
            #expect(bob.heard.filter { $0.hasPrefix("alice:") } == ["alice: two", "alice: one"])
        }
    }

    @Test func anyKindOfMessageGoesToAGroup() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (_, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            try simulation.script(
                """
                @phone change group groupID=tea groupName='Tea time'
                wait 1s
                @phone change member groupID=tea userID=bob
                wait 1s
                """)
            alice.forget()
            bob.forget()
            let card = ZIMCustomMessage(message: "{}", subType: 3)
            card.extendedData = "more"
            for message in [ZIMTextMessage(message: "hi"), card, ZIMImageMessage(fileLocalPath: "/a/b.png")] {
                #expect(try await phone.run { await alice.send(message, to: "tea", .group).1 } == .success)
            }
            await simulation.run(for: .seconds(1))
            #expect(
                bob.heard.filter { $0.contains("@") } == ["alice@tea: hi", "alice@tea: custom", "alice@tea: image"])
            #expect((bob.messages[1] as? ZIMCustomMessage)?.message == "{}")
            #expect(bob.messages[1].extendedData == "more")
            #expect((bob.messages[2] as? ZIMImageMessage)?.fileName == "b.png")
            #expect(card.messageID == bob.messages[1].messageID)
        }
    }

    @Test func receiptsReactionsAndRevokesAreReported() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            let (message, code) = try await phone.run {
                await alice.send(ZIMTextMessage(message: "read this"), to: "bob", hasReceipt: true)
            }
            #expect(code == .success)
            await simulation.run(for: .seconds(1))
            let received = try #require(bob.messages.first)
            alice.forget()
            try pad.perform {
                bob.zim.sendMessageReceiptsRead(for: [received], conversationID: "alice", conversationType: .peer) {
                    bob.note("read \($0) \($3.code)")
                }
                bob.zim.addMessageReaction("thumbs", message: received) { bob.note("reacted \($1.code)") }
            }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["receipt in bob: done 1", "thumbs of [\"bob\"] in bob"])
            #expect(bob.heard.contains("read alice success"))
            #expect(bob.heard.contains("reacted success"))
            try phone.perform {
                alice.zim.revokeMessage(message, config: ZIMMessageRevokeConfig()) { alice.note("revoked \($1.code)") }
            }
            await simulation.run(for: .seconds(1))
            #expect(bob.heard.last == "alice took a message back")
            #expect(alice.heard.contains("revoked success"))
            #expect(try await pad.run { await bob.history("alice").messages.map(\.type) } == [.revoke])
        }
    }

    @Test func otherDevicesOfTheUserGetItToo() async throws {
        try await withSimulation("zim") { simulation in
            try simulation.script("server policy exclusion=unlimited")
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (_, other) = try await loggedIn("alice", on: "tablet", in: simulation)
            _ = try await loggedIn("bob", on: "pad", in: simulation)
            let (sent, _) = try await phone.run { await alice.send("hello", to: "bob") }
            await simulation.run(for: .seconds(1))
            #expect(other.heard == ["alice: hello", "bob added, 0 unread"])
            let copy = try #require(other.messages.first)
            #expect(copy.direction == .send)
            #expect(copy.conversationID == "bob")
            #expect(copy.messageID == sent.messageID)
        }
    }
}
