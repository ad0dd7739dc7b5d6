import AgoraRtmKit
import Foundation
import SimulatedApp
import Testing

@MainActor
@Suite struct MessageTests {
    @Test func aMessageArrives() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (_, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            try await phone.run {
                #expect(await alice.kit.send(AgoraRtmMessage(text: "hi"), toPeer: "bob") == .ok)
                let options = AgoraRtmSendMessageOptions()
                options.enableOfflineMessaging = true
                let again = AgoraRtmMessage(text: "again")
                #expect(await alice.kit.send(again, toPeer: "bob", sendMessageOptions: options) == .ok)
            }
            await simulation.run(for: .seconds(1))
            #expect(bob.heard == ["alice: hi", "alice: again"])
        }
    }

    @Test func anAbsentReceiverGetsItLater() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            try await pad.run { await bob.kit.logout() }
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let code = try await phone.run { await alice.kit.send(AgoraRtmMessage(text: "hi"), toPeer: "bob") }
            #expect(code == .cachedByServer)
            try await pad.run { await bob.kit.login(byToken: nil, user: "bob") }
            await simulation.run(for: .seconds(1))
            #expect(bob.heard.last == "alice: hi")
        }
    }

    @Test func withoutANetworkItTimesOutAfterTenSeconds() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try phone.networkDown()
            try phone.perform {
                app.kit.send(AgoraRtmMessage(text: "hi"), toPeer: "bob") { app.note("send \($0)") }
            }
            await simulation.run(for: .milliseconds(9_900))
            #expect(app.heard == ["reconnecting interrupted"])
            await simulation.run(for: .milliseconds(200))
            #expect(app.heard == ["reconnecting interrupted", "send timeout"])
        }
    }

    @Test func anInvalidMessageIsRefused() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try await phone.run {
                let long = AgoraRtmMessage(text: String(repeating: "x", count: 32 * 1024 + 1))
                let raw = AgoraRtmRawMessage(rawData: Data([1]), description: "one")
                #expect(await app.kit.send(long, toPeer: "bob") == .invalidMessage)
                #expect(await app.kit.send(raw, toPeer: "bob") == .invalidMessage)
                #expect(await app.kit.send(AgoraRtmMessage(text: "hi"), toPeer: "") == .invalidUserId)
                let lobby = try app.channel("lobby")
                await lobby.join()
                #expect(await lobby.send(long) == .invalidMessage)
                #expect(await lobby.send(raw) == .invalidMessage)
            }
        }
    }

    @Test func moreThan180InThreeSecondsAreTooMany() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try phone.perform {
                for number in 1...181 {
                    app.kit.send(AgoraRtmMessage(text: "\(number)"), toPeer: "bob") { app.note("\($0)") }
                }
            }
            await simulation.run(for: .seconds(2))
            #expect(app.heard.count == 181)
            #expect(app.heard.count { $0 == "tooOften" } == 1)
        }
    }

    @Test func anAnswerWithinACallbackArrives() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (_, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            bob.onWord = { [kit = bob.kit] word in
                if word == "alice: ping" { kit.send(AgoraRtmMessage(text: "pong"), toPeer: "alice") }
            }
            try phone.perform { alice.kit.send(AgoraRtmMessage(text: "ping"), toPeer: "bob") }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["bob: pong"])
        }
    }

    @Test func filesAndImagesAreRefused() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try phone.perform {
                var request: Int64 = 0
                app.kit.createFileMessage(byUploading: "/a.txt", withRequest: &request) { id, message, code in
                    app.note("upload \(id) \(message == nil) \(code)")
                }
                app.kit.downloadMedia(toMemory: "id", withRequest: &request) { id, data, code in
                    app.note("download \(id) \(data == nil) \(code)")
                }
                #expect(request == 2)
                let image = app.kit.createImageMessage(byMediaId: "id")
                #expect(image?.type == .image && image?.mediaId == "id")
                if let image { app.kit.send(image, toPeer: "bob") { app.note("send \($0)") } }
            }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["upload 1 true failure", "download 2 true failure", "send invalidMessage"])
        }
    }
}
