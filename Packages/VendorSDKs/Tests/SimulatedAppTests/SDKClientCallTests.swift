import IMClient
import IMLocalData
import IMSession
import Recorder
import SimulatedApp
import Testing

/// The interface that vendors' modules are built on, without a module.
@MainActor
@Suite struct SDKClientCallTests {
    private func loggedIn(
        _ simulation: Simulation, _ name: String = "phone"
    ) async throws -> (SimulatedDevice, SDKClient) {
        let device = simulation.device(name)
        let client = try device.launch { SDKClient.current(for: "a test") }
        let credential = client.keep(token: simulation.token(for: "alice"))
        let outcome = try device.perform {
            client.wait(for: .login(user: "alice", credential: credential, mode: .manual), "the login")
        }
        #expect(outcome.status == .ok)
        return (device, client)
    }

    @Test func aBlockingCallEndsOnce() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (device, client) = try await loggedIn(simulation)
            #expect(client.state == .online && client.openCalls == 0)
            #expect(simulation.time.now > 0)
            // A call that ends immediately takes no time.
            let now = simulation.time.now
            #expect(try device.perform { client.wait(for: .resend, "a call") }.status == .unsupported)
            #expect(simulation.time.now == now)
            try device.kill()
            #expect(client.wait(for: .resend, "a call").status == .cancelled)
        }
    }

    @Test func aDeviceIsDescribedWithoutALogin() async throws {
        var session: [UInt8] = []
        try await withSimulation("agora-chat", report: { session = $0.session }) { simulation in
            let device = simulation.device("phone")
            let client = try device.launch { SDKClient.current(for: "a test") }
            let id = client.described?.id
            #expect(client.describe(deviceName: "", osType: 0, ext: ""))
            #expect(client.describe(deviceName: "A phone", osType: 7, ext: "hello"))
            #expect(client.described?.name == "A phone" && client.described?.id == id)
            #expect(!client.describe(deviceName: String(repeating: "a", count: 300), osType: 7, ext: ""))
            #expect(client.described?.name == "A phone")
            let credential = client.keep(token: simulation.token(for: "alice"))
            client.perform(.login(user: "alice", credential: credential, mode: .manual))
            #expect(!client.describe(deviceName: "Another", osType: 7, ext: "hello"))
            #expect(client.describe(deviceName: "A phone", osType: 7, ext: "hello"))
            await simulation.run(for: .seconds(2))
            #expect(client.state == .online)
        }
        let reader = try SessionReader(bytes: session)
        let verdict = try Verifier.verify(reader, schema: IMSessionSchema())
        #expect(verdict == .verified(events: reader.eventCount))
    }

    @Test func readingLocalDataIsNoCall() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (device, client) = try await loggedIn(simulation)
            try simulation.script(
                "client new tab --platform ios\n@tab login bob\nwait 1s\n@tab send alice hello\nwait 1s")
            let events = simulation.world.core.eventsSeen
            let found = client.look(LocalRequest(.queryConversation, [("conversationID", "bob")]))
            #expect(found?.status == .ok && found?.rows.count == 1)
            // A request that changes data needs a call; here it does nothing.
            #expect(client.look(LocalRequest(.deleteConversation, [("conversationID", "bob")])) == nil)
            #expect(simulation.world.core.eventsSeen == events)
            try device.perform { _ = client.wait(for: .logout(keepsPush: true), "the logout") }
            #expect(client.look(LocalRequest(.queryConversation, [("conversationID", "bob")])) == nil)
        }
    }

    @Test func anAccountIsCreatedOnce() async throws {
        try await withSimulation("agora-chat") { simulation in
            #expect(try simulation.makeAccount("alice", password: "s3cret"))
            #expect(try !simulation.makeAccount("alice", password: "another"))
            #expect(throws: (any Error).self) { try simulation.makeAccount("bob", password: "") }
            let device = simulation.device("phone")
            let client = try device.launch { SDKClient.current(for: "a test") }
            let credential = try client.keep(password: "s3cret")
            let outcome = try device.perform {
                client.wait(for: .login(user: "alice", credential: credential, mode: .manual), "the login")
            }
            #expect(outcome.status == .ok)
        }
    }
}
