import HyphenateChat
import SimulatedApp
import Testing

/// Tests of an app that uses the SDK with Easemob's names.
@MainActor
@Suite struct ChatServiceTests {
    @Test func aDayOfAPhone() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("agora-chat", report: { violations = $0.violations }) { simulation in
            try simulation.script("server account add anna s3cret\nserver account add bob hunter2")
            let phone = simulation.device("phone")
            let tab = simulation.device("tab")
            let app = try phone.launch { ChatService(user: "anna") }
            let bob = try tab.launch { ChatService(user: "bob") }
            phone.shown = { [.connected, .disconnected].contains(app.status) }
            try phone.perform { app.login(password: "wrong") }
            await simulation.run(for: .seconds(1))
            #expect(app.status == .out && app.reason.hasPrefix("202 "))
            try phone.perform { app.login(password: "s3cret") }
            try tab.perform { bob.login(password: "hunter2") }
            await simulation.run(for: .seconds(3))
            #expect(app.status == .connected && app.events == ["welcome anna"])
            try phone.networkDown()
            await simulation.run(for: .seconds(10))
            #expect(app.status == .disconnected)
            try tab.perform { bob.say("hello", to: "anna") }
            try phone.networkUp()
            await simulation.run(for: .seconds(10))
            #expect(app.status == .connected && app.unread == 1)
            #expect(app.events == ["welcome anna", "hello"])
            #expect(bob.events == ["welcome bob", "true sent"])
            try phone.perform { app.read("bob") }
            #expect(app.unread == 0)
            var isOut = false
            try phone.networkDown()
            await simulation.run(for: .seconds(1))
            try phone.perform { app.logout { isOut = $0 } }
            await simulation.run(for: .seconds(1))
            #expect(isOut)
            phone.shown = nil
        }
        #expect(violations == [])
    }

    @Test func startsAgainAndIsKicked() async throws {
        try await withSimulation("agora-chat") { simulation in
            try simulation.script("server account add anna s3cret")
            let phone = simulation.device("phone")
            let first = try phone.launch { ChatService(user: "anna") }
            try phone.perform { first.login(password: "s3cret") }
            await simulation.run(for: .seconds(2))
            try phone.kill()
            let app = try phone.launch { ChatService(user: "anna") }
            #expect(app.status == .disconnected)
            await simulation.run(for: .seconds(2))
            #expect(app.status == .connected)
            try simulation.script(
                """
                client new pad --platform android --device-name 'A pad'
                @pad login anna
                wait 1s
                @pad act conversation-pinned bob
                wait 1s
                """)
            #expect(app.events == ["pinned bob true"])
            try phone.perform { app.kickOthers(password: "s3cret") }
            await simulation.run(for: .seconds(1))
            #expect(app.events.last == "kicked A pad ")
            try simulation.script("@pad expect state kicked\nserver policy exclusion=single\n@pad login anna\nwait 2s")
            #expect(app.status == .kicked && app.reason == "A pad")
        }
    }
}
