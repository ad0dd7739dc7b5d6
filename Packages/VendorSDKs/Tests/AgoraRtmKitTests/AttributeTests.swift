import AgoraRtmKit
import SimulatedApp
import Testing

@MainActor
private func attribute(_ key: String, _ value: String) -> AgoraRtmAttribute {
    let attribute = AgoraRtmAttribute()
    attribute.key = key
    attribute.value = value
    return attribute
}

@MainActor
private func channelAttribute(_ key: String, _ value: String) -> AgoraRtmChannelAttribute {
    let attribute = AgoraRtmChannelAttribute()
    attribute.key = key
    attribute.value = value
    return attribute
}

@MainActor
@Suite struct AttributeTests {
    @Test func ownAttributesAreSetChangedAndRead() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            let seen = { () -> [String]? in
                try await pad.run { await bob.kit.userAllAttributes("alice").0?.map { "\($0.key)=\($0.value)" } }
            }
            let kit = alice.kit
            try await phone.run {
                let code = await kit.setLocalUserAttributes([attribute("a", "1"), attribute("b", "2")])
                #expect(code == .attributeOperationErrorOk)
            }
            #expect(try await seen() == ["a=1", "b=2"])
            try phone.perform {
                // They do not wait for each other.
                kit.addOrUpdateLocalUserAttributes([attribute("b", "3"), attribute("c", "4")])
                kit.deleteLocalUserAttributes(byKeys: ["a"]) { code in
                    alice.note("\(code)")
                    kit.addOrUpdateLocalUserAttributes([attribute("d", "5")])
                }
            }
            await simulation.run(for: .seconds(1))
            #expect(try await seen() == ["b=3", "c=4", "d=5"])
            #expect(alice.heard == ["attributeOperationErrorOk"])
            let (some, user, code) = try await pad.run { await bob.kit.userAttributes("alice", byKeys: ["c", "x"]) }
            #expect(some?.map(\.key) == ["c"])
            #expect(user == "alice")
            #expect(code == .attributeOperationErrorOk)
            try await phone.run { await kit.clearLocalUserAttributes() }
            #expect(try await seen() == [])
            let absent = try await pad.run { await bob.kit.userAllAttributes("carol") }
            #expect(absent.0 == nil)
            #expect(absent.2 == .attributeOperationErrorUserNotFound)
        }
    }

    @Test func aLogoutRemovesThem() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try await phone.run {
                await app.kit.setLocalUserAttributes([attribute("a", "1")])
                await app.kit.logout()
                await app.kit.login(byToken: nil, user: "alice")
                await app.kit.addOrUpdateLocalUserAttributes([attribute("b", "2")])
                #expect(await app.kit.userAllAttributes("alice").0?.map(\.key) == ["b"])
            }
        }
    }

    @Test func theirLimitsAreThoseOfTheMachine() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try await phone.run {
                let many = (1...33).map { attribute("k\($0)", "v") }
                #expect(await app.kit.setLocalUserAttributes(many) == .attributeOperationErrorSizeOverflow)
                let nameless = [attribute("", "v")]
                #expect(await app.kit.setLocalUserAttributes(nameless) == .attributeOperationErrorInvalidArgument)
                for _ in 1...10 { await app.kit.setLocalUserAttributes([attribute("a", "1")]) }
                #expect(await app.kit.clearLocalUserAttributes() == .attributeOperationErrorTooOften)
            }
        }
    }

    @Test func onlyMembersChangeChannelAttributes() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            let options = AgoraRtmChannelAttributeOptions()
            let kit = alice.kit
            try await phone.run {
                let topic = [channelAttribute("topic", "tea")]
                #expect(
                    await kit.setChannel("lobby", attributes: topic, options: options)
                        == .attributeOperationErrorUserNotFound)
                try await alice.channel("lobby").join()
                #expect(
                    await kit.setChannel("lobby", attributes: topic, options: options) == .attributeOperationErrorOk)
                #expect(
                    await kit.addOrUpdateChannel(
                        "lobby", attributes: [channelAttribute("host", "alice")], options: options)
                        == .attributeOperationErrorOk)
                #expect(
                    await kit.deleteChannel("lobby", attributesByKeys: ["topic"], options: options)
                        == .attributeOperationErrorOk)
            }
            let (all, code) = try await pad.run { await bob.kit.channelAllAttributes("lobby") }
            #expect(code == .attributeOperationErrorOk)
            #expect(all?.map { "\($0.key)=\($0.value)" } == ["host=alice"])
            #expect(try await pad.run { await bob.kit.channelAttributes("lobby", byKeys: ["topic"]).0 } == [])
            try phone.perform { kit.clearChannel("lobby", options: options) { alice.note("\($0)") } }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard.last == "attributeOperationErrorOk")
            #expect(try await pad.run { await bob.kit.channelAllAttributes("lobby").0 } == [])
        }
    }
}
