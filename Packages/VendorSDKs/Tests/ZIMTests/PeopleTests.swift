import SimulatedApp
import Testing
import ZIM

/// Actions of users on each other, which are reported on the devices of both.
@MainActor
@Suite struct PeopleTests {
    @Test func friendsAreAddedAndRemoved() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            let application = ZIMFriendApplicationSendConfig()
            application.wording = "we met at the lift"
            try phone.perform {
                alice.zim.sendFriendApplication(by: "bob", config: application) { alice.note("asked \($1.code)") }
            }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["application sent bob", "asked success"])
            #expect(bob.heard == ["application received alice"])
            alice.forget()
            bob.forget()
            try pad.perform {
                bob.zim.acceptFriendApplication(by: "alice", config: ZIMFriendApplicationAcceptConfig()) {
                    bob.note("accepted \($0.userID) \($1.code)")
                }
            }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["application sent accepted", "friends [\"bob\"] added"])
            #expect(
                bob.heard == ["application received accepted", "friends [\"alice\"] added", "accepted alice success"])
            alice.forget()
            bob.forget()
            try pad.perform {
                bob.zim.updateUserName("Bob") { bob.note("\($0) \($1.code)") }
            }
            await simulation.run(for: .seconds(1))
            #expect(bob.heard == ["I am Bob", "Bob success"])
            #expect(alice.heard == ["friend is [\"Bob\"]"])
            alice.forget()
            bob.forget()
            try phone.perform {
                alice.zim.deleteFriends(by: ["bob", "nobody"], config: ZIMFriendDeleteConfig()) { errors, error in
                    alice.note("deleted but \(errors.map(\.userID)) \(error.code)")
                }
            }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["friends [\"bob\"] deleted", "deleted but [\"nobody\"] success"])
            #expect(bob.heard == ["friends [\"alice\"] deleted"])
        }
    }

    @Test func aBlockedUsersMessagesDoNotArrive() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            try phone.perform {
                alice.zim.addUsersToBlacklist(by: ["bob"]) { alice.note("shut out \($0.count) \($1.code)") }
            }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["blacklist [\"bob\"] added", "shut out 0 success"])
            alice.forget()
            #expect(try await pad.run { await bob.send("hello?", to: "alice").1 } == .success)
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == [])
            try phone.perform { alice.zim.removeUsersFromBlacklist(by: ["bob"]) { _, _ in } }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["blacklist [\"bob\"] removed"])
        }
    }

    @Test func groupsAreCreatedAndLeft() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            let tea = ZIMGroupInfo()
            tea.groupID = "tea"
            tea.groupName = "Tea time"
            let zim = alice.zim
            try phone.perform {
                zim.createGroup(with: tea, userIDs: ["bob", "nobody"]) { group, members, errors, error in
                    alice.note("made \(group.baseInfo.groupName) with \(members.map(\.userID)) \(error.code)")
                    alice.note("without \(errors.map(\.userID))")
                }
            }
            await simulation.run(for: .seconds(1))
            #expect(
                alice.heard == [
                    "group tea enter created", "tea: [\"alice\"] enter", "tea: [\"bob\"] enter",
                    "made Tea time with [\"bob\"] success", "without [\"nobody\"]",
                ])
            #expect(bob.heard == ["group tea enter invited", "tea: [\"alice\"] enter", "tea: [\"bob\"] enter"])
            alice.forget()
            bob.forget()
            try phone.perform {
                zim.createGroup(with: tea, userIDs: []) { alice.note("again \($3.code)") }
                zim.updateGroupName("Coffee", groupID: "tea") { alice.note("\($0) \($1) \($2.code)") }
                zim.setGroupAttributes(["room": "7"], groupID: "tea") { alice.note("\($1) \($2.code)") }
            }
            await simulation.run(for: .seconds(1))
            #expect(bob.heard == ["tea is named Coffee", "tea set [\"room\": \"7\"]"])
            #expect(alice.heard.contains("again groupModuleGroupAlreadyExists"))
            #expect(alice.heard.contains("tea Coffee success"))
            #expect(alice.heard.contains("[] success"))
            alice.forget()
            bob.forget()
            // Only the owner of a group can dismiss it.
            try pad.perform {
                bob.zim.dismissGroup(by: "tea") { bob.note("dismissed \($1.code)") }
                bob.zim.leaveGroup(by: "tea") { bob.note("left \($0) \($1.code)") }
            }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["tea: [\"bob\"] quit"])
            #expect(bob.heard == ["dismissed networkModuleCommonError", "group tea quit left", "left tea success"])
            try pad.perform { bob.zim.joinGroup(by: "tea") { bob.note("joined \($0.baseInfo.groupID) \($1.code)") } }
            await simulation.run(for: .seconds(1))
            #expect(bob.heard.last == "joined tea success")
            try phone.perform {
                zim.kickGroupMembers(by: ["bob"], groupID: "tea") { alice.note("kicked \($1) \($3.code)") }
            }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard.last == "kicked [\"bob\"] success")
            #expect(bob.heard.last == "group tea quit left")
            try phone.perform { zim.dismissGroup(by: "tea") { alice.note("dismissed \($0) \($1.code)") } }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard.last == "dismissed tea success")
        }
    }

    @Test func callsAreReported() async throws {
        try await withSimulation("zim") { simulation in
            _ = try await loggedIn("alice", on: "phone", in: simulation)
            let (_, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            try simulation.script("@phone change call userID=bob callID=c1\nwait 1s")
            #expect(bob.heard == ["call c1 of alice"])
        }
    }

    @Test func doNotDisturbConversationsAreNotCounted() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            _ = try await pad.run { await bob.send("hello", to: "alice") }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard.last == "unread 1")
            try phone.perform {
                alice.zim.setConversationNotificationStatus(
                    .doNotDisturb, conversationID: "bob", conversationType: .peer
                ) { alice.note("quiet \($2.code)") }
            }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard.suffix(3) == ["bob updated, 1 unread", "unread 0", "quiet success"])
            #expect(alice.conversations.last?.notificationStatus == .doNotDisturb)
            for isPinned in [true, false] {
                try phone.perform {
                    alice.zim.updateConversationPinnedState(
                        isPinned, conversationID: "bob", conversationType: .peer
                    ) { alice.note("pinned \($2.code)") }
                }
                await simulation.run(for: .seconds(1))
                #expect(alice.conversations.last?.isPinned == isPinned)
                #expect(alice.conversations.last?.notificationStatus == .doNotDisturb)
            }
        }
    }

    @Test func aReadOnAnotherDeviceIsAReadHere() async throws {
        try await withSimulation("zim") { simulation in
            try simulation.script("server policy exclusion=unlimited")
            let (_, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (tablet, other) = try await loggedIn("alice", on: "tablet", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            _ = try await pad.run { await bob.send("hello", to: "alice") }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["bob: hello", "bob added, 1 unread", "unread 1"])
            alice.forget()
            other.forget()
            try tablet.perform {
                other.zim.clearConversationUnreadMessageCount(for: "bob", conversationType: .peer) { _, _, _ in }
            }
            await simulation.run(for: .seconds(1))
            // Reported once on the device that made the change, although the server sends it again.
            #expect(other.heard == ["bob updated, 0 unread", "unread 0"])
            #expect(alice.heard == ["bob updated, 0 unread", "unread 0"])
            // A conversation deleted on the server disappears from both devices.
            alice.forget()
            let everywhere = ZIMConversationDeleteConfig()
            everywhere.isAlsoDeleteServerConversation = true
            try tablet.perform {
                other.zim.deleteConversation(by: "bob", conversationType: .peer, config: everywhere) { _, _, _ in }
            }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["bob deleted, 0 unread"])
            // Messages as well.
            _ = try await pad.run { await bob.send("again", to: "alice") }
            await simulation.run(for: .seconds(1))
            alice.forget()
            let messages = ZIMMessageDeleteConfig()
            messages.isAlsoDeleteServerMessage = true
            let history = try await tablet.run { await other.history("bob").messages }
            try tablet.perform {
                other.zim.deleteMessages(
                    history, conversationID: "bob", conversationType: .peer, config: messages
                ) { _, _, _ in }
            }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard.contains("deleted messageListDeleted 1"))
        }
    }
}
