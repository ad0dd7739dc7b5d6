import IMSimulation
import LibraryScripts
import NIMSDK
import SimulatedApp
import Testing

/// A device without a script, and the app on it, are a client that the shell creates. The library's scripts all start
/// with an existing client.
@Suite struct ShellSessionTests {
    @Test func aDevicesFirstLaunchCreatesTheShellsClient() async throws {
        var reported: SimulationReport?
        try await withSimulation("nim", seed: 5, report: { reported = $0 }) { simulation in
            let phone = simulation.device("phone")
            let token = simulation.token(for: "alice")
            try phone.launch {
                NIMSDK.shared().register(with: NIMSDKOption(appKey: "key"))
                NIMSDK.shared().loginManager.login("alice", token: token) { _ in }
            }
            await simulation.run(for: .seconds(2))
            try phone.kill()
            await simulation.run(for: .seconds(2))
        }
        let app = try ShellSession.words(of: #require(reported).session)

        let shell = try ShellSession.words(
            of: "client new phone --platform ios\n@phone login alice\nwait 2s\n@phone app kill\nwait 2s",
            profile: "nim", seed: 5)
        #expect(app.count > 20)
        #expect(app == shell)
    }
}
