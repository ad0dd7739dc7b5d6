import Foundation
import NIMSDK
import SimulatedApp
import Testing

/// An app that uses the tap.
@MainActor
private final class TappedAccount: NIMLoginManagerDelegate {
    let tap: NIMTap

    init(path: String) {
        NIMSDK.shared().register(with: NIMSDKOption(appKey: "key"))
        tap = NIMTap(Tap(path: path, salt: 7, pid: 4711))
    }

    func login(_ user: String, token: String) { tap.login(user, token: token) { _ in } }
}

/// The tap's lines of a run in virtual time. `ReproduceTests` gives the same file to `imrepl reproduce`.
@Suite struct NIMTapTests {
    private static let example = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("../../../Tap/Example/nim-other-login.ndjson")

    @Test func anotherLoginIsLoggedAsAKick() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("tap-\(UUID()).ndjson").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await withSimulation("nim", seed: 7) { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { TappedAccount(path: path) }
            let token = simulation.token(for: "alice")
            await simulation.run(for: .milliseconds(100))
            try phone.perform { app.login("alice", token: token) }
            await simulation.run(for: .seconds(5))
            try simulation.script(
                """
                client new pad --platform ios
                @pad login alice
                @pad expect state online within 2s
                """)
            await simulation.run(for: .seconds(1))
        }
        let written = try String(contentsOfFile: path, encoding: .utf8)
        if ProcessInfo.processInfo.environment["UPDATE_TAP_EXAMPLE"] != nil {
            try written.write(to: Self.example, atomically: true, encoding: .utf8)
        }
        #expect(written.contains(#""name":"onKick","args":{"reason":"1","clientType":"2"}"#))
        for secret in ["alice", "token"] { #expect(!written.contains(secret)) }
        #expect(try written == String(contentsOf: Self.example, encoding: .utf8))
    }
}
