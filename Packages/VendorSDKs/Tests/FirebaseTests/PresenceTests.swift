import Firebase
import SimulatedApp
import Testing

/// An app that uses Firebase, in the simulation of Wilddog Sync.
@MainActor
@Suite struct PresenceTests {
    private static let uid = "alice_40example_2ecom"

    private func online(_ simulation: Simulation) async throws -> (SimulatedDevice, PresenceService) {
        let phone = simulation.device("phone")
        let app = try phone.launch { PresenceService.shared }
        await simulation.run(for: .seconds(1))
        try phone.perform { app.signUp(email: "alice@example.com", password: "one") }
        await simulation.run(for: .seconds(2))
        return (phone, app)
    }

    @Test func aKilledAppIsOfflineAfterTheServersSilenceLimit() async throws {
        try await withSimulation("wilddog") { simulation in
            let (phone, app) = try await online(simulation)
            #expect(app.isConnected)
            #expect(app.log == ["sign-up \(Self.uid)"])
            try simulation.script("client new web --platform web\n@web sync on status/\(Self.uid)\nwait 2s")
            try phone.kill()
            try simulation.script("@web expect callback valueChanged path=status/\(Self.uid) value=null within 70s")
            try simulation.script("@web sync get lastSeen/\(Self.uid)\n@web expect result sync ok within 5s")
            let again = try phone.launch { PresenceService.shared }
            await simulation.run(for: .seconds(5))
            #expect(again.onlineUsers == [Self.uid])
            let lastSeen = try await phone.run { try await again.lastSeen(Self.uid) }
            #expect(lastSeen != nil)
        }
    }

    @Test func anotherDeviceSignsInAndOut() async throws {
        try await withSimulation("wilddog") { simulation in
            let (_, app) = try await online(simulation)
            let pad = simulation.device("pad")
            let other = try pad.launch { PresenceService.shared }
            await simulation.run(for: .seconds(1))
            try await pad.run { await other.signIn(email: "alice@example.com", password: "two") }
            try await pad.run { await other.signIn(email: "alice@example.com", password: "one") }
            await simulation.run(for: .seconds(2))
            #expect(other.log == ["wrong password", "sign-in \(Self.uid)"])
            #expect(other.onlineUsers == [Self.uid])
            try pad.perform { other.signOut() }
            await simulation.run(for: .seconds(2))
            #expect(other.log.last == "removed \(Self.uid) true")
            #expect(other.onlineUsers == [])
            #expect(app.onlineUsers == [])
        }
    }

    @Test func anOutageIsReportedAndEnds() async throws {
        try await withSimulation("wilddog") { simulation in
            let (phone, app) = try await online(simulation)
            try phone.networkDown()
            await simulation.run(for: .seconds(5))
            #expect(!app.isConnected)
            try phone.networkUp()
            await simulation.run(for: .seconds(40))
            #expect(app.isConnected)
            #expect(app.onlineUsers == [Self.uid])
        }
    }

    @Test func valuesAreDecodedAndAPersistentReadNeedsNoNetwork() async throws {
        struct Profile: Codable, Equatable { var name: String }
        try await withSimulation("wilddog") { simulation in
            let phone = simulation.device("phone")
            let ref = try phone.launch {
                FirebaseApp.configure()
                return Database.database().reference(fromURL: "https://chat.firebaseio.com/profiles")
            }
            #expect(ref.key == "profiles")
            try await phone.run {
                let profile = ref.child("alice")
                try await profile.setValue(["name": "Alice"])
                let read = try await profile.getData()
                #expect(try read.data(as: Profile.self) == Profile(name: "Alice"))
                try profile.child("friend").setValue(from: Profile(name: "Bob"))
                let friends = try await ref.queryOrdered(byChild: "name").getData()
                #expect(friends.childrenCount == 1)
            }
            try phone.networkDown()
            await simulation.run(for: .seconds(5))
            await #expect(throws: (any Error).self) {
                try await phone.run { _ = try await ref.child("bob").getData() }
            }
        }
    }
}
