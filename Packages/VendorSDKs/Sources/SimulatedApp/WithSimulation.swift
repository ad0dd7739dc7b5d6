import Foundation
import IMSimulation
import VirtualTime

/// What a simulation leaves behind.
public struct SimulationReport: Sendable {
    /// The session, as it is in a file: `imrepl show`, `why`, `replay` read it.
    public let session: [UInt8]
    /// What the app did that it must not do.
    public let violations: [AppViolation]
    /// A number that is the same for the same run, of app and world.
    public let chain: UInt64
}

/// Runs a test of an app against a vendor's rules, in virtual time.
///
/// - Parameters:
///   - profile: the vendor: `nim`, `zim`, `agora-chat`, `agora-rtm`, `wilddog`.
///   - seed: decides all chance; nil for 1, with what is due together in the order in which it came.
///   - title: what the session is about.
///   - path: the file that the session is written to; nil for none.
///   - report: gets the session and what was found, also when the body throws.
@MainActor
public func withSimulation<T: Sendable>(
    _ profile: String, seed: UInt64? = nil, title: String = "a test of an app", recordedTo path: String? = nil,
    report: (SimulationReport) -> Void = { _ in },
    body: @escaping @MainActor @Sendable (Simulation) async throws -> T
) async throws -> T {
    let box = SimulationBox()
    defer {
        if let outcome = box.outcome {
            // A test that cannot keep its session has one in the report all the same.
            if let path { try? Data(outcome.session).write(to: URL(fileURLWithPath: path)) }
            report(outcome)
        }
    }
    return try await withVirtualTime(
        // The shell's clock of the same seed.
        seed: seed, start: UInt64(clamping: WorldConfiguration.simulatedEpoch(seed: seed ?? 1)),
        report: { time in
            guard let simulation = box.simulation else { return }
            let violations = simulation.violations + time.findings.compactMap(AppViolation.init)
            let session = (try? simulation.endRecording()) ?? []
            box.outcome = SimulationReport(session: session, violations: violations, chain: time.chain)
        },
        body: { time in
            let simulation = try Simulation(profile: profile, seed: seed ?? 1, title: title, time: time)
            box.simulation = simulation
            let value = try await body(simulation)
            simulation.checkAtRest()
            return value
        })
}

/// Used on the job thread alone.
private final class SimulationBox: @unchecked Sendable {
    var simulation: Simulation?
    var outcome: SimulationReport?
}
