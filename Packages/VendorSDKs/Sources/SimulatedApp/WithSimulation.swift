import Foundation
import IMSession
import IMSimulation
import Testing
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

/// Runs a test of an app against a vendor's rules, in virtual time. Each thing that the app did and must not do is an
/// issue of the test that runs, also when the body throws; a test that expects one takes the form with a `report:`.
///
/// - Parameters:
///   - profile: the vendor: `nim`, `zim`, `agora-chat`, `agora-rtm`, `wilddog`.
///   - seed: decides all chance; nil for 1, with what is due together in the app in the order in which it came.
///   - order: in which order things happen that are due at the same moment in the world around the app: packets of
///     several devices, timers of SDKs and server. `.drawn` as the seed says, as neither a network nor a clock promises one.
///   - title: what the session is about.
///   - path: the file that the session is written to; nil for none.
///   - fileID: where an issue is, with the three that follow.
@MainActor
public func withSimulation<T: Sendable>(
    _ profile: String, seed: UInt64? = nil, order: DueOrder = .fixed, title: String = "a test of an app",
    recordedTo path: String? = nil,
    // Swift Testing has a macro for all four, which stands only in files that import it.
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
    body: @escaping @MainActor @Sendable (Simulation) async throws -> T
) async throws -> T {
    let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let session = path.map { "\nsession: \($0)" } ?? ""
    return try await withSimulation(
        profile, seed: seed, order: order, title: title, recordedTo: path,
        report: { for found in $0.violations { Issue.record("\(found)\(session)", sourceLocation: place) } }, body: body
    )
}

/// The same, and leaves to the test what becomes of what was found.
///
/// - Parameter report: gets the session and what was found, also when the body throws.
@MainActor
public func withSimulation<T: Sendable>(
    _ profile: String, seed: UInt64? = nil, order: DueOrder = .fixed, title: String = "a test of an app",
    recordedTo path: String? = nil,
    report: (SimulationReport) -> Void, body: @escaping @MainActor @Sendable (Simulation) async throws -> T
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
            let simulation = try Simulation(
                profile: profile, seed: seed ?? 1, order: order, title: title, time: time)
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
