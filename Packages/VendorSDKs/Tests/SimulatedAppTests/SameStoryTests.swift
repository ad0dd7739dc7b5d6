import IMSimulation
import LibraryStories
import NIMSDK
import SimulatedApp
import Testing

/// What happens to an app through the vendor's module is what happens to the same words at the shell.
@Suite struct SameStoryTests {
    @Test func framesCallbacksAndCodesAreTheShells() async throws {
        var reported: SimulationReport?
        try await withSimulation("nim", seed: 5, report: { reported = $0 }) { simulation in
            let phone = simulation.device("phone")
            let token = simulation.token(for: "alice")
            try phone.launch {
                NIMSDK.shared().register(with: NIMSDKOption(appKey: "key"))
                NIMSDK.shared().loginManager.login("alice", token: token) { _ in }
            }
            try simulation.script(Self.other)
            try phone.perform { NIMSDK.shared().loginManager.logout(nil) }
            await simulation.run(for: .seconds(5))
        }
        let app = try ShellSession.words(of: #require(reported).session)

        let shell = try ShellSession.words(
            of: "client new phone --platform ios\n@phone login alice",
            Self.other,
            "@phone logout\nwait 5s",
            profile: "nim", seed: 5)
        #expect(app.count > 60)
        #expect(app == shell)
    }

    private static let other = """
        wait 2s
        client new pad --platform ios
        @pad login alice
        wait 2s
        server kick alice
        wait 2s
        """
}
