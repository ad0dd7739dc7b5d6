import Foundation
import NIMSDK
import SimulatedApp

/// Measures how many tests of an app one core runs in a second. A test is half an hour of virtual time, in which the
/// app's device loses its network three times while two other users are logged in. Also checks that one seed gives the
/// same session each time.
///
///     swift run -c release --package-path SelfTests/Benchmarks Apps
@main struct AppsBenchmark {
    static func main() async throws {
        let rounds = 5, runs = 200
        let first = try await halfAnHour(seed: 7)
        var best = 0.0
        for _ in 0..<rounds {
            let start = ContinuousClock.now
            for _ in 0..<runs {
                let again = try await halfAnHour(seed: 7)
                guard again.session == first.session else { fatalError("one seed, and another session") }
            }
            let taken = (ContinuousClock.now - start).components
            best = max(best, Double(runs) / (Double(taken.seconds) + Double(taken.attoseconds) / 1e18))
        }
        print("| test of an app | runs a second, the best of \(rounds) times \(runs) | bytes of its session |")
        print("|---|---|---|")
        print("| half an hour, three reconnects, three devices | \(Int(best)) | \(first.session.count) |")
    }

    @MainActor private static func halfAnHour(seed: UInt64) async throws -> SimulationReport {
        var reported: SimulationReport?
        try await withSimulation("nim", seed: seed, report: { reported = $0 }) { simulation in
            let phone = simulation.device("phone")
            try phone.launch { NIMSDK.shared().register(with: NIMSDKOption(appKey: "key")) }
            let token = simulation.token(for: "alice")
            try await phone.run { try await NIMSDK.shared().loginManager.login("alice", token: token) }
            try simulation.script(
                """
                client new pc --platform windows
                client new tab --platform web
                @pc login alice
                @tab login alice
                """)
            for _ in 0..<3 {
                await simulation.run(for: .seconds(300))
                try phone.networkDown()
                await simulation.run(for: .seconds(60))
                try phone.networkUp()
                await simulation.run(for: .seconds(240))
            }
        }
        guard let reported, reported.violations.isEmpty else { fatalError("the app does what it must not") }
        return reported
    }
}
