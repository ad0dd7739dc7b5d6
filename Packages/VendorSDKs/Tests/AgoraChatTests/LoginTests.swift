import AgoraChat
import SimulatedApp
import Testing

@MainActor
@Suite struct LoginTests {
    @Test func logsInAndOut() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("agora-chat", report: { violations = $0.violations }) { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Phone() }
            let token = simulation.token(for: "alice")
            try await phone.run {
                #expect(!app.client.isLoggedIn)
                #expect(app.client.currentUsername == nil)
                let (user, error) = await app.client.login(withUsername: "Alice", token: token)
                #expect(user == "alice")
                #expect(error == nil)
                #expect(app.client.isLoggedIn && app.client.isConnected && app.client.isAutoLogin)
                #expect(app.client.currentUsername == "alice")
                #expect(app.client.accessUserToken == token)
                #expect(await app.client.logout(true) == nil)
                #expect(!app.client.isLoggedIn && !app.client.isConnected && !app.client.isAutoLogin)
                #expect(app.client.accessUserToken == nil)
            }
            await simulation.runDueEntries()
            #expect(app.heard == ["connected", "disconnected"])
        }
        #expect(violations == [])
    }

    @Test func logsInWithAPassword() async throws {
        try await withSimulation("agora-chat") { simulation in
            try simulation.script("server account add alice s3cret")
            let phone = simulation.device("phone")
            let app = try phone.launch { Phone() }
            try await phone.run {
                #expect(
                    await app.client.login(withUsername: "alice", password: "wrong").1?.code
                        == .userAuthenticationFailed)
                #expect(!app.client.isAutoLogin)
                #expect(await app.client.login(withUsername: "alice", password: "s3cret").1 == nil)
                #expect(app.client.accessUserToken?.isEmpty == false)
            }
            try phone.perform { app.client.logout(false, completion: nil) }
            await simulation.run(for: .seconds(1))
            try phone.perform {
                app.client.login(withUsername: "alice", password: "s3cret") { app.note("\($0) \(words($1))") }
            }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["connected", "disconnected", "connected", "alice ok"])
        }
    }

    @Test func makesAnAccount() async throws {
        try await withSimulation("agora-chat") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Phone() }
            try await phone.run {
                let client = app.client
                #expect(await client.register(withUsername: "", password: "s3cret").1?.code == .invalidUsername)
                #expect(await client.register(withUsername: "alice", password: "").1?.code == .invalidPassword)
                let (user, error) = await client.register(withUsername: "Alice", password: "s3cret")
                #expect(user == "alice" && error == nil)
                #expect(await client.register(withUsername: "alice", password: "x").1?.code == .userAlreadyExist)
                #expect(
                    await client.fetchToken(withUsername: "alice", password: "x").1?.code
                        == .userAuthenticationFailed)
                let (token, failure) = await client.fetchToken(withUsername: "alice", password: "s3cret")
                #expect(failure == nil)
                #expect(await client.login(withUsername: "alice", token: token ?? "").1 == nil)
                #expect(await client.logout(true) == nil)
            }
            try await phone.run {
                #expect(await app.client.login(withUsername: "alice", password: "s3cret").1 == nil)
            }
            try phone.networkDown()
            try await phone.run {
                #expect(
                    await app.client.register(withUsername: "bob", password: "x").1?.code == .networkUnavailable)
            }
        }
    }

    @Test func anInvalidLoginIsRefused() async throws {
        try await withSimulation("agora-chat") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Phone() }
            let long = String(repeating: "a", count: 65)
            try await phone.run {
                #expect(await app.client.login(withUsername: "", token: "x").1?.code == .invalidUsername)
                #expect(await app.client.login(withUsername: "a/b", token: "x").1?.code == .invalidUsername)
                #expect(await app.client.login(withUsername: long, token: "x").1?.code == .usernameTooLong)
                #expect(await app.client.login(withUsername: "alice", token: "").1?.code == .invalidToken)
                #expect(await app.client.login(withUsername: "alice", password: "").1?.code == .invalidPassword)
                #expect(
                    await app.client.login(withUsername: "alice", token: "x").1?.code == .userAuthenticationFailed)
                #expect(await app.client.renewToken("").map(\.code) == .invalidToken)
                #expect(await app.client.renewToken("x").map(\.code) == .userNotLogin)
            }
        }
    }

    @Test func withoutANetworkItIsTriedOnce() async throws {
        try await withSimulation("agora-chat") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Phone() }
            try phone.networkDown()
            let token = simulation.token(for: "alice")
            try phone.perform { app.client.login(withUsername: "alice", token: token) { app.note(words($1)) } }
            await simulation.run(for: .seconds(20))
            #expect(app.heard.count == 1)
            #expect(["networkUnavailable", "serverTimeout"].contains(app.heard.first))
            try phone.networkUp()
            await simulation.run(for: .seconds(60))
            #expect(app.heard.count == 1)
        }
    }

    @Test func aSecondLoginIsRefusedAndReported() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("agora-chat", report: { violations = $0.violations }) { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let token = simulation.token(for: "alice")
            let other = simulation.token(for: "bob")
            try await phone.run {
                #expect(await app.client.login(withUsername: "alice", token: token).1?.code == .userAlreadyLoginSame)
                #expect(await app.client.login(withUsername: "bob", token: other).1?.code == .userAlreadyLoginAnother)
            }
            try phone.networkDown()
            await simulation.run(for: .seconds(1))
            try await phone.run {
                #expect(await app.client.login(withUsername: "alice", token: token).1?.code == .userAlreadyLoginSame)
            }
            try phone.networkUp()
            await simulation.run(for: .seconds(5))
            // S-19: the app does not wait for the completion of the logout.
            try phone.perform {
                app.client.logout(false) { app.note("logout \(words($0))") }
                app.client.login(withUsername: "alice", token: token) { app.note("login \(words($1))") }
            }
            await simulation.run(for: .seconds(2))
            #expect(app.heard.suffix(3).contains("login userAlreadyLoginSame"))
            #expect(app.heard.suffix(3).contains("logout ok"))
        }
        #expect(violations.map(\.rule) == ["C-2", "C-2", "C-2"])
        #expect(
            violations.map(\.text) == [
                "a login of another user without a logout",
                "a login while the SDK is reconnecting: it goes on by itself",
                "a login before the logout has ended",
            ])
    }

    @Test func callsBeforeTheInitializationAreRefused() async throws {
        var rules: [String] = []
        try await withSimulation("agora-chat", report: { rules = $0.violations.map(\.rule) }) { simulation in
            let phone = simulation.device("phone")
            try phone.launch {}
            try await phone.run {
                let client = AgoraChatClient.shared()
                #expect(client.initializeSDK(with: AgoraChatOptions(appkey: ""))?.code == .invalidAppkey)
                #expect(await client.login(withUsername: "alice", token: "x").1?.code == .general)
                #expect(client.initializeSDK(with: AgoraChatOptions(appkey: "org#app")) == nil)
                #expect(client.options.appkey == "org#app")
                #expect(client.changeAppkey("org#other") == nil)
                #expect(client.options.appkey == "org#other")
                #expect(client.initializeSDK(with: AgoraChatOptions(appId: "0123")) == nil)
                #expect(client.options.appkey == "org#other")
            }
        }
        #expect(rules == ["CHAT-5"])
    }

    @Test func aLogoutThatUnbindsPushNeedsTheServer() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try phone.networkDown()
            await simulation.run(for: .seconds(1))
            try await phone.run {
                #expect(await app.client.logout(true).map(\.code) == .networkUnavailable)
                #expect(app.client.isLoggedIn)
                #expect(app.client.isAutoLogin)
                #expect(await app.client.logout(false) == nil)
                #expect(!app.client.isLoggedIn)
            }
            try phone.networkUp()
            await simulation.run(for: .seconds(60))
            #expect(app.heard == ["disconnected"])
        }
    }

    @Test func reconnectsByItself() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            phone.shown = { app.client.isLoggedIn }
            for _ in 0..<3 {
                try phone.networkDown()
                await simulation.run(for: .seconds(30))
                #expect(try phone.perform { app.client.isLoggedIn && !app.client.isConnected })
                try phone.networkUp()
                await simulation.run(for: .seconds(30))
            }
            #expect(app.heard == Array(repeating: ["disconnected", "connected"], count: 3).flatMap { $0 })
            // The first check in the foreground detects a link that has died unnoticed.
            app.forget()
            try simulation.script("@phone net half-open")
            try phone.perform {
                app.client.applicationDidEnterBackground(app)
                app.client.applicationWillEnterForeground(app)
            }
            await simulation.run(for: .seconds(15))
            #expect(app.heard.first == "disconnected")
        }
    }

    @Test func endsOfALogin() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let ends = [
                ("server account add alice first\nserver account password alice second", "userKickedByChangePassword"),
                ("server kick alice", "userKickedByOtherDevice"),
            ]
            for (line, word) in ends {
                try simulation.script(line)
                await simulation.run(for: .seconds(2))
                #expect(app.heard == ["disconnected", "forced \(word)"])
                let token = simulation.token(for: "alice")
                try await phone.run {
                    #expect(!app.client.isLoggedIn && !app.client.isAutoLogin)
                    #expect(await app.client.login(withUsername: "alice", token: token).1 == nil)
                }
                await simulation.run(for: .seconds(1))
                app.forget()
            }
            try simulation.script("server account ban alice")
            await simulation.run(for: .seconds(2))
            #expect(app.heard == ["disconnected", "forbidden"])
            let token = simulation.token(for: "bob")
            try await phone.run {
                #expect(await app.client.login(withUsername: "bob", token: token).1 == nil)
            }
            await simulation.run(for: .seconds(1))
            app.forget()
            try simulation.script("server account delete bob")
            await simulation.run(for: .seconds(60))
            #expect(app.heard == ["disconnected", "removed"])
        }
    }
}
