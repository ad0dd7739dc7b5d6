import AgoraRtmKit
import Foundation
import SimulatedApp
import Testing

/// RTM 2, in the profile of its second generation.
@MainActor
@Suite struct SignalingTests {
    @Test func logsInAndOut() async throws {
        try await withSimulation("agora-rtm@2") { simulation in
            let device = simulation.device("phone")
            let app = try device.launch { try SignalingPhone("alice") }
            let token = simulation.token(for: "alice")
            try device.perform { app.kit.login(token) { app.note("login \($0 != nil) \($1 == nil)") } }
            await simulation.run(for: .seconds(1))
            #expect(
                app.events == [
                    "idle→connecting login login", "(connecting changedConnecting)",
                    "connecting→connected login loginSuccess", "(connected changedLoginSuccess)", "login true true",
                ])
            app.clear()
            try await device.run { await app.kit.logout() }
            #expect(app.events == ["connected→idle logout logout", "(disconnected changedLogout)"])
            let error = try await device.run { await app.kit.logout() }.1
            #expect(error?.errorCode == .notLogin && error?.reason == "AgoraRtmErrorNotLogin" && error?.code == -10_002)
        }
    }

    @Test func aConfigurationIsChecked() async throws {
        try await withSimulation("agora-rtm@2") { simulation in
            try simulation.device("phone").launch {
                let codes = [("short", "alice"), (appID, "null")].map { appId, user in
                    do {
                        _ = try AgoraRtmClientKit(AgoraRtmClientConfig(appId: appId, userId: user), delegate: nil)
                        return AgoraRtmErrorCode.ok
                    } catch {
                        return (error as? AgoraRtmErrorInfo)?.errorCode ?? .ok
                    }
                }
                #expect(codes == [.invalidAppId, .invalidUserId])
                #expect(AgoraRtmClientKit(config: AgoraRtmClientConfig(), delegate: nil) == nil)
            }
        }
    }

    @Test func refusalsHaveTheVendorsCodes() async throws {
        try await withSimulation("agora-rtm@2") { simulation in
            let device = simulation.device("phone")
            let app = try device.launch { try SignalingPhone("alice") }
            let wrong = try await device.run { await app.logIn("no token") }
            #expect(wrong == .invalidToken)
            #expect(app.events.suffix(2) == ["connecting→failed login invalidToken", "(failed changedInvalidToken)"])
            #expect(try await device.run { await app.subscribe("lobby") } == .notLogin)
            #expect(try await device.run { await app.subscribe("") } == .invalidChannelName)
            #expect(try await device.run { await app.publish("hi", to: "lobby", .stream) } == .invalidChannelType)
            await simulation.run(for: .seconds(5))
            #expect(try await device.run { await app.logIn(nil) } == .ok)
            #expect(try await device.run { await app.logIn(appID) } == .duplicateOperation)
            #expect(try await device.run { await app.publish("hi", to: "lobby") } == .channelNotSubscribed)
        }
    }

    @Test func subscribersReceiveTheirChannels() async throws {
        try await withSimulation("agora-rtm@2") { simulation in
            let (phone, alice) = try await signalingPhone("alice", on: "phone", in: simulation)
            let (pad, bob) = try await signalingPhone("bob", on: "pad", in: simulation)
            #expect(try await phone.run { await alice.subscribe("lobby") } == .ok)
            #expect(alice.events == ["lobby snapshot alice"])
            #expect(try await pad.run { await bob.subscribe("lobby", .message) } == .ok)
            alice.clear()
            #expect(try await phone.run { await alice.publish("hi", to: "lobby") } == .ok)
            #expect(try await phone.run { await alice.publish("psst", to: "bob", .user) } == .ok)
            let bytes = try await phone.run {
                await alice.kit.publish(channelName: "lobby", data: Data([0xff, 0]), option: nil)
            }
            #expect(bytes.1 == nil)
            await simulation.run(for: .seconds(1))
            #expect(
                bob.events == ["message lobby alice: hi", "user alice alice: psst", "message lobby alice: 2 bytes"])
            let users = try await phone.run {
                await alice.kit.getPresence()?.getOnlineUser(
                    channelName: "lobby", channelType: .message, options: nil)
            }
            #expect(users?.0?.userStateList.map(\.userId) == ["alice", "bob"])
            try await pad.run { await bob.kit.unsubscribe("lobby") }
            await simulation.run(for: .seconds(1))
            #expect(alice.events == ["lobby remoteLeaveChannel bob"])
        }
    }

    @Test func aSubscriptionSurvivesABreak() async throws {
        try await withSimulation("agora-rtm@2") { simulation in
            let (phone, alice) = try await signalingPhone("alice", on: "phone", in: simulation)
            let (pad, bob) = try await signalingPhone("bob", on: "pad", in: simulation)
            for (device, app) in [(phone, alice), (pad, bob)] {
                #expect(try await device.run { await app.subscribe("lobby") } == .ok)
            }
            await simulation.run(for: .seconds(1))
            alice.clear()
            try phone.networkDown()
            await simulation.run(for: .seconds(10))
            #expect(alice.events.first == "connected→disconnected heartbeatTimeout keepAliveTimeout [lobby]")
            #expect(try await pad.run { await bob.publish("missed", to: "lobby") } == .ok)
            try phone.networkUp()
            await simulation.run(for: .seconds(15))
            #expect(
                alice.events.suffix(3) == [
                    "connecting→connected reconnected reconnectSuccess [lobby]", "(connected changedRejoinSuccess)",
                    "message lobby bob: missed",
                ])
        }
    }

    /// RTM-5: the token expires while the user is connected.
    @Test func anExpiredTokenEndsTheLogin() async throws {
        try await withSimulation("agora-rtm@2") { simulation in
            let (phone, app) = try await signalingPhone(
                "alice", on: "phone", in: simulation, lifetime: .seconds(60))
            await simulation.run(for: .seconds(40))
            #expect(app.events == ["token will expire"])
            app.clear()
            await simulation.run(for: .seconds(40))
            #expect(app.events == ["connected→failed serverReject tokenExpired", "(failed changedTokenExpired)"])
            let token = simulation.token(for: "alice")
            #expect(try await phone.run { await app.logIn(token) } == .ok)
        }
    }

    /// RTM-6.
    @Test func anotherInstanceEndsTheLogin() async throws {
        try await withSimulation("agora-rtm@2") { simulation in
            let (_, app) = try await signalingPhone("alice", on: "phone", in: simulation)
            try simulation.script("client new pad --platform ios\n@pad login alice\nwait 2s")
            #expect(app.events == ["connected→failed serverReject sameUidLogin", "(failed changedSameUidLogin)"])
        }
    }

    @Test func aDestroyedInstanceIsReleased() async throws {
        try await withSimulation("agora-rtm@2") { simulation in
            let (phone, app) = try await signalingPhone("alice", on: "phone", in: simulation)
            try phone.perform {
                #expect(app.kit.destroy() == .ok)
                #expect(app.kit.destroy() == .instanceAlreadyReleased)
                #expect(app.kit.getPresence() == nil)
            }
            await simulation.run(for: .seconds(1))
            #expect(app.events == [])
            #expect(try await phone.run { await app.logIn(nil) } == .instanceAlreadyReleased)
            try phone.kill()
            let next = try phone.launch { try SignalingPhone("alice") }
            #expect(try await phone.run { await next.logIn(nil) } == .ok)
        }
    }

    @Test func theProfileOfTheFirstGenerationIsAViolation() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("agora-rtm", report: { violations = $0.violations }) { simulation in
            try simulation.device("phone").launch { _ = try SignalingPhone("alice") }
        }
        #expect(violations.map(\.rule) == ["RTM-1"])
    }
}
