import AgoraChat
import SimulatedApp
import Testing

@MainActor
@Suite struct DeviceTests {
    @Test func isKickedByAnotherDevice() async throws {
        try await withSimulation("agora-chat") { simulation in
            try simulation.script("server policy device-count-max=1")
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            phone.shown = { app.client.isLoggedIn }
            try simulation.script(
                """
                client new pad --platform ios --device-name 'A pad' --ext 'no hard feelings'
                @pad login alice
                @pad expect state online within 2s
                """)
            await simulation.run(for: .seconds(60))
            #expect(app.heard == ["disconnected", "other device 'A pad' 'no hard feelings'"])
            #expect(try phone.perform { !app.client.isLoggedIn && !app.client.isAutoLogin })
        }
    }

    @Test func kicksAndIsNamed() async throws {
        try await withSimulation("agora-chat") { simulation in
            try simulation.script("server policy device-count-max=1")
            let (_, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let pad = simulation.device("pad")
            let token = simulation.token(for: "alice")
            let other = try pad.launch { Phone(name: "A pad", ext: "hello") }
            try await pad.run {
                #expect(await other.client.login(withUsername: "alice", token: token).1 == nil)
                #expect(other.client.getDeviceConfig(nil).deviceName == "A pad")
            }
            await simulation.run(for: .seconds(2))
            #expect(app.heard == ["disconnected", "other device 'A pad' 'hello'"])
            // The next process is the same device, and passes its name again.
            try pad.kill()
            let again = try pad.launch { Phone(name: "A pad", ext: "hello again") }
            await simulation.run(for: .seconds(2))
            #expect(again.heard == ["connected", "autologin ok"])
            let (devices, error) = try await pad.run {
                await again.client.loggedInDevicesFromServer(withUserId: "alice", token: token)
            }
            #expect(error == nil)
            #expect(devices?.map(\.deviceName) == ["A pad"])
            #expect(devices?.first?.resource == again.client.getDeviceConfig(nil).resource)
        }
    }

    @Test func aCustomPlatform() async throws {
        var rules: [String] = []
        try await withSimulation("agora-chat", report: { rules = $0.violations.map(\.rule) }) { simulation in
            try simulation.script("server policy device-count-max=1")
            let (_, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let token = simulation.token(for: "alice")
            let pad = simulation.device("pad")
            let other = try pad.launch { Phone(type: 60) }
            try await pad.run { #expect(await other.client.login(withUsername: "alice", token: token).1 == nil) }
            await simulation.run(for: .seconds(2))
            #expect(app.heard == [])
            // 101 is not a known type, so this is an iOS device like the phone.
            let tab = simulation.device("tab")
            let third = try tab.launch { Phone(type: 101) }
            try await tab.run { #expect(await third.client.login(withUsername: "alice", token: token).1 == nil) }
            await simulation.run(for: .seconds(2))
            #expect(app.heard == ["disconnected", "other device '' ''"])
            #expect(other.heard == ["connected"])
        }
        #expect(rules == ["CHAT-5"])
    }

    @Test func listsAndKicksWithoutALogin() async throws {
        try await withSimulation("agora-chat") { simulation in
            try simulation.script("server account add alice s3cret")
            let token = simulation.token(for: "alice")
            let (_, first) = try await loggedIn("alice", on: "phone", in: simulation)
            let (_, second) = try await loggedIn("alice", on: "pad", in: simulation)
            let outside = simulation.device("outside")
            let app = try outside.launch { Phone() }
            try await outside.run {
                let client = app.client
                let (devices, error) = await client.loggedInDevicesFromServer(
                    withUsername: "alice", password: "s3cret")
                #expect(error == nil)
                #expect(devices?.count == 2)
                #expect(
                    await client.loggedInDevicesFromServer(withUsername: "alice", password: "wrong").1?.code
                        == .userAuthenticationFailed)
                var code: AgoraChatError?
                let again = client.getLoggedInDevicesFromServer(
                    withUsername: "alice", password: "s3cret", error: &code)
                #expect(again?.map(\.resource) == devices?.map(\.resource))
                #expect(code == nil)
                let resource = devices?.first?.resource ?? ""
                #expect(await client.kickDevice(withUserId: "alice", token: token, resource: resource) == nil)
                #expect(
                    await client.kickDevice(withUsername: "alice", password: "s3cret", resource: resource)?.code
                        == .userNotFound)
            }
            await simulation.run(for: .seconds(1))
            #expect(first.heard == ["disconnected", "forced userKickedByOtherDevice"])
            #expect(second.heard == [])
            try await outside.run {
                #expect(await app.client.kickAllDevices(withUsername: "alice", password: "s3cret") == nil)
            }
            await simulation.run(for: .seconds(1))
            #expect(second.heard == ["disconnected", "forced userKickedByOtherDevice"])
            #expect(app.heard == [])
        }
    }

    /// As with the vendor: the calls run independently.
    @Test func severalAdminCallsAllComplete() async throws {
        try await withSimulation("agora-chat") { simulation in
            let token = simulation.token(for: "alice")
            let (_, first) = try await loggedIn("alice", on: "phone", in: simulation)
            let (_, second) = try await loggedIn("alice", on: "pad", in: simulation)
            let outside = simulation.device("outside")
            let app = try outside.launch { Phone() }
            try outside.perform {
                app.client.getLoggedInDevicesFromServer(withUserId: "alice", token: token) { devices, _ in
                    for device in devices ?? [] {
                        app.client.kickDevice(withUserId: "alice", token: token, resource: device.resource ?? "") {
                            app.note("kick \(words($0))")
                        }
                    }
                }
                app.client.kickDevice(withUserId: "alice", token: token, resource: "nobody's") {
                    app.note("nobody's \(words($0))")
                }
            }
            await simulation.run(for: .seconds(2))
            #expect(app.heard == ["nobody's userNotFound", "kick ok", "kick ok"])
            #expect(first.heard == ["disconnected", "forced userKickedByOtherDevice"])
            #expect(second.heard == first.heard)
        }
    }

    @Test func operationsAreReportedToTheOtherDevice() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let (_, other) = try await loggedIn("alice", on: "pad", in: simulation)
            let (_, bob) = try await loggedIn("bob", on: "tab", in: simulation)
            try await phone.run { #expect(await app.say("hello", to: "bob") == nil) }
            await simulation.run(for: .seconds(1))
            #expect(bob.heard == ["chat alice>bob: hello"])
            #expect(other.heard == ["chat alice>bob: hello"])
            #expect(other.messages.first?.direction == .send)
            #expect(other.messages.first?.conversationId == "bob")
            other.forget()
            try await phone.run {
                let chats = app.client.chatManager
                let contacts = app.client.contactManager
                #expect(await contacts?.addUser(toBlackList: "bob").1 == nil)
                #expect(await chats?.pinConversation("bob", isPinned: true) == nil)
                #expect(await chats?.ackConversationRead("bob") == nil)
                #expect(
                    await chats?.deleteServerConversation(
                        "bob", conversationType: .chat, isDeleteServerMessages: true
                    ).1 == nil)
                #expect(contacts?.getBlackList() == ["bob"])
                #expect(await contacts?.selfIdsOnOtherPlatform().0?.count == 1)
            }
            try simulation.script("@phone act group-create tea --ext 'Tea time'\n@phone act thread-create t1 --ext tea")
            await simulation.run(for: .seconds(1))
            #expect(
                other.heard == [
                    "contactBan bob -", "conversationPinned bob chat", "alice read bob",
                    "conversationDelete bob chat", "groupCreate tea Tea time", "chatThreadCreate t1 tea",
                ])
        }
    }

    @Test func aMessageToAnotherDeviceOfTheUser() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let (_, pad) = try await loggedIn("alice", on: "pad", in: simulation)
            let (_, tab) = try await loggedIn("alice", on: "tab", in: simulation)
            let ids = try await phone.run { await app.client.contactManager?.selfIdsOnOtherPlatform().0 ?? [] }
            let id = try #require(ids.first { $0.hasPrefix("alice/pad") })
            try await phone.run { #expect(await app.say("psst", to: id) == nil) }
            await simulation.run(for: .seconds(1))
            #expect(pad.heard == ["chat alice>\(id): psst"])
            #expect(tab.heard == [])
        }
    }
}
