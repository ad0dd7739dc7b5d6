import AgoraChat
import SimulatedApp
import Testing

@MainActor
@Suite struct MessageTests {
    @Test func isSentAndReceived() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let (tab, bob) = try await loggedIn("bob", on: "tab", in: simulation)
            try await phone.run {
                let message = AgoraChatMessage(
                    conversationID: "bob", body: AgoraChatTextMessageBody(text: "hello"), ext: ["key": "value"])
                #expect(message.from == "alice" && message.to == "bob" && message.status == .pending)
                let local = message.messageId
                let chats = try #require(app.client.chatManager)
                let (sent, error) = await chats.send(message, progress: nil)
                #expect(sent === message && error == nil)
                #expect(message.status == .succeed && message.messageId != local)
            }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["hello succeed"])
            #expect(bob.heard == ["chat alice>bob: hello"])
            let received = try #require(bob.messages.first)
            #expect(received.conversationId == "alice" && received.direction == .receive)
            // Both sides have the same message id.
            let kept = try phone.perform {
                app.client.chatManager?.getConversationWithConvId("bob")?.latestMessage
            }
            #expect(kept?.messageId == received.messageId)
            #expect(kept?.direction == .send)
            #expect(try tab.perform { bob.client.chatManager?.getMessageWithMessageId(received.messageId) } != nil)
        }
    }

    @Test func waitingMessagesArePulledOnce() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, _) = try await loggedIn("alice", on: "phone", in: simulation)
            let (tab, bob) = try await loggedIn("bob", on: "tab", in: simulation)
            try phone.kill()
            await simulation.run(for: .seconds(1))
            try await tab.run {
                for text in ["one", "two"] { #expect(await bob.say(text, to: "alice") == nil) }
            }
            let again = try phone.launch { Phone() }
            await simulation.run(for: .seconds(5))
            #expect(
                again.heard == [
                    "connected", "autologin ok", "pull", "chat bob>alice: one", "chat bob>alice: two", "pulled",
                ])
            again.forget()
            try phone.networkDown()
            await simulation.run(for: .seconds(5))
            try phone.networkUp()
            await simulation.run(for: .seconds(5))
            #expect(again.heard == ["disconnected", "connected"])
            #expect(try phone.perform { again.texts(with: "bob") } == ["one", "two"])
        }
    }

    @Test func conversations() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let (tab, bob) = try await loggedIn("bob", on: "tab", in: simulation)
            let (_, other) = try await loggedIn("alice", on: "pad", in: simulation)
            try await tab.run {
                for number in 1...3 { #expect(await bob.say("\(number)", to: "alice") == nil) }
            }
            await simulation.run(for: .seconds(1))
            try await phone.run {
                let chats = try #require(app.client.chatManager)
                #expect(await app.say("first", to: "carol")?.code == .userNotFound)
                #expect(chats.getAllConversations()?.map(\.conversationId) == ["bob"])
                let conversation = try #require(chats.getAllConversations(true)?.first)
                #expect(conversation.unreadMessagesCount == 3 && conversation.messagesCount == 3)
                #expect(conversation.latestMessage.text == "3" && conversation.type == .chat)
                #expect(conversation.lastReceivedMessage()?.text == "3")
                let last = conversation.latestMessage.messageId
                #expect(
                    conversation.loadMessagesStart(fromId: last, count: 1, searchDirection: .up)?.map(\.text)
                        == ["2"])
                let (down, error) = await conversation.loadMessagesStart(
                    fromId: nil, count: 2, searchDirection: .down)
                #expect(down?.map(\.text) == ["1", "2"] && error == nil)
                var code: AgoraChatError? = AgoraChatError(description: "none", code: .general)
                conversation.markAllMessages(asRead: &code)
                #expect(code == nil && conversation.unreadMessagesCount == 0)
                #expect(!conversation.isPinned)
                #expect(await chats.pinConversation("bob", isPinned: true) == nil)
                await simulation.run(for: .seconds(1))
                #expect(conversation.isPinned)
                conversation.deleteMessage(withId: last, error: nil)
                #expect(conversation.messagesCount == 2)
                let (first, _) = await conversation.loadMessagesStart(fromId: nil, count: 1, searchDirection: .down)
                #expect(
                    await chats.removeMessagesFromServer(with: conversation, messageIds: first?.map(\.messageId) ?? [])
                        == nil)
            }
            await simulation.run(for: .seconds(1))
            #expect(other.heard.contains("alice read bob"))
            #expect(other.heard.contains { $0.hasPrefix("removed ") })
            try await phone.run {
                let chats = try #require(app.client.chatManager)
                #expect(app.texts(with: "bob") == ["2"])
                #expect(chats.getConversation("nobody", type: .chat, createIfNotExist: false) == nil)
                #expect(chats.getConversation("nobody", type: .chat, createIfNotExist: true)?.messagesCount == 0)
                let (id, error) = await chats.deleteConversation("bob", isDeleteMessages: true)
                #expect(id == "bob" && error == nil)
                #expect(chats.getAllConversations()?.isEmpty == true)
                #expect(await app.client.logout(false) == nil)
                #expect(chats.getAllConversations() == nil)
            }
        }
    }

    @Test func receipts() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let (tab, bob) = try await loggedIn("bob", on: "tab", in: simulation)
            let (_, other) = try await loggedIn("bob", on: "tab2", in: simulation)
            try await phone.run { #expect(await app.say("hello", to: "bob") == nil) }
            await simulation.run(for: .seconds(1))
            let id = try #require(bob.messages.first?.messageId)
            try await tab.run {
                #expect(await bob.client.chatManager?.sendMessageReadAck(id, toUser: "alice") == nil)
            }
            await simulation.run(for: .seconds(1))
            // The sender gets the reader's receipt, and the reader's other device gets the read state.
            #expect(app.heard == ["hello succeed", "read [\"hello\"]"])
            #expect(other.heard == ["chat alice>bob: hello", "read [\"hello\"]"])
            try await tab.run { #expect(await bob.client.chatManager?.ackConversationRead("alice") == nil) }
            await simulation.run(for: .seconds(1))
            #expect(other.heard.last == "bob read alice")
            #expect(app.heard.count == 3)
            #expect(app.heard.last == "bob read alice")
        }
    }

    @Test func messagesWithoutATextAreRefused() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try await phone.run {
                let message = AgoraChatMessage(
                    conversationID: "bob", body: AgoraChatCmdMessageBody(action: "act"), ext: nil)
                #expect(await app.client.chatManager?.send(message, progress: nil).1?.code == .messageInvalid)
                #expect(message.status == .failed)
                let long = String(repeating: "a", count: 40_000)
                #expect(await app.say(long, to: "bob")?.code == .invalidParam)
            }
        }
    }

    @Test func groupsAndRooms() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let (tab, bob) = try await loggedIn("bob", on: "tab", in: simulation)
            try simulation.script(
                """
                @phone act group-create tea --ext 'Tea time'
                @phone act group-invite tea --ext bob
                @tab expect frame in changes within 2s
                @tab act group-invite-accept tea
                wait 2s
                """)
            app.forget()
            bob.forget()
            try await phone.run {
                #expect(await app.say("who comes?", to: "tea", .groupChat) == nil)
                #expect(await app.client.roomManager?.joinChatroom("lobby").0?.chatroomId == "lobby")
            }
            try await tab.run {
                let rooms = try #require(bob.client.roomManager)
                #expect(await rooms.joinChatroom("lobby").1 == nil)
                #expect(await bob.say("anybody?", to: "lobby", .chatRoom) == nil)
                #expect(await rooms.leaveChatroom("lobby") == nil)
                #expect(await rooms.leaveChatroom("lobby") != nil)
            }
            await simulation.run(for: .seconds(1))
            #expect(
                app.heard == [
                    "who comes? succeed", "lobby +bob", "chatRoom bob>lobby: anybody?", "lobby -bob",
                ])
            #expect(bob.heard == ["groupChat alice>tea: who comes?", "anybody? succeed"])
            let group = try phone.perform { app.client.chatManager?.getConversationWithConvId("tea") }
            #expect(group?.type == .groupChat)
            #expect(try phone.perform { group?.latestMessage.text } == "who comes?")
        }
    }
}
