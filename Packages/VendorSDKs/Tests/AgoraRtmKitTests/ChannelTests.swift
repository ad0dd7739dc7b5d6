import AgoraRtmKit
import Foundation
import SimulatedApp
import Testing

@MainActor
@Suite struct ChannelTests {
    @Test func membersJoinSendAndLeave() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            let lobby = try await phone.run {
                let lobby = try alice.channel("lobby")
                #expect(await lobby.join() == .channelErrorOk)
                return lobby
            }
            let other = try await pad.run {
                let lobby = try bob.channel("lobby")
                #expect(await lobby.join() == .channelErrorOk)
                #expect(await lobby.send(AgoraRtmMessage(text: "hello")) == .errorOk)
                #expect(await lobby.join() == .channelErrorAlreadyJoined)
                return lobby
            }
            let (members, code) = try await phone.run { await lobby.members() }
            #expect(code == .ok)
            #expect(members?.map(\.userId) == ["alice", "bob"])
            #expect(members?.map(\.channelId) == ["lobby", "lobby"])
            try await pad.run { #expect(await other.leave() == .ok) }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["count 1", "lobby +bob", "count 2", "lobby bob: hello", "lobby -bob", "count 1"])
            #expect(bob.heard == ["count 2"])
            try await pad.run {
                #expect(await other.leave() == .notInChannel)
                #expect(await other.members().1 == .notInChannel)
                #expect(await other.send(AgoraRtmMessage(text: "x")) == .errorFailure)
            }
        }
    }

    /// As imported from Objective-C, each call may leave out its completion.
    @Test func completionsCanBeLeftOut() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let lobby = try phone.perform { try alice.channel("lobby") }
            try phone.perform { lobby.join() }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["count 1"])
            try phone.perform { lobby.leave() }
            await simulation.run(for: .seconds(1))
            try await phone.run { #expect(await lobby.leave() == .notInChannel) }
        }
    }

    @Test func twentyChannelsAreThere() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try await phone.run {
                var codes: [AgoraRtmJoinChannelErrorCode] = []
                for number in 1...21 { codes.append(await (try app.channel("c\(number)")).join()) }
                #expect(codes == Array(repeating: .channelErrorOk, count: 20) + [.channelErrorExceedLimit])
            }
        }
    }

    @Test func aChannelIsCreatedOnceAndNeedsAValidName() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try await phone.run {
                let lobby = try app.channel("lobby")
                #expect(lobby.kit === app.kit)
                for name in ["lobby", "", "null", "a/b", String(repeating: "x", count: 65)] {
                    #expect(app.kit.createChannel(withId: name, delegate: nil) == nil)
                }
                #expect(!app.kit.destroyChannel(withId: "other"))
                await lobby.join()
                #expect(app.kit.destroyChannel(withId: "lobby"))
                #expect(await lobby.join() == .channelErrorNotInitialized)
                #expect(await lobby.leave() == .notInitialized)
                #expect(await lobby.send(AgoraRtmMessage(text: "x")) == .errorNotInitialized)
                #expect(await lobby.members().1 == .notInitialized)
                // The channel was left when its object was released, so another one with its name can join.
                let another = try app.channel("lobby")
                #expect(await another.join() == .channelErrorOk)
            }
        }
    }

    @Test func aChannelIsNotDestroyedWithinACallback() async throws {
        var rules: [String] = []
        try await withSimulation("agora-rtm", report: { rules = $0.violations.map(\.rule) }) { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try phone.perform {
                let lobby = try app.channel("lobby")
                lobby.join { [kit = app.kit] _ in app.note("destroyed \(kit.destroyChannel(withId: "lobby"))") }
            }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["destroyed false", "count 1"])
            #expect(try phone.perform { app.kit.destroyChannel(withId: "lobby") })
        }
        #expect(rules == ["RTM-9"])
    }

    @Test func onlyMembersGetMemberCounts() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            try await phone.run { try await alice.channel("lobby").join() }
            try await pad.run { try await bob.channel("other").join() }
            let (counts, code) = try await phone.run { await alice.kit.channelMemberCount(["lobby", "nobody's"]) }
            #expect(code == .invalidArgument)
            #expect(counts == nil)
            let (known, ok) = try await phone.run { await alice.kit.channelMemberCount(["lobby", "empty"]) }
            #expect(ok == .ok)
            #expect(known?.map(\.count) == [1, 0])
            let (unknown, failure) = try await phone.run { await alice.kit.channelMemberCount(["lobby", "other"]) }
            #expect(failure == .failure)
            #expect(unknown == nil)
        }
    }

    @Test func aLogoutLeavesAllChannels() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try await phone.run {
                let lobby = try app.channel("lobby")
                await lobby.join()
                await app.kit.logout()
                await app.kit.login(byToken: nil, user: "alice")
                #expect(await lobby.leave() == .notInChannel)
                #expect(await lobby.join() == .channelErrorOk)
            }
        }
    }
}
