import Foundation
import IMSession
import IMSimulation
import Testing
import VirtualTime

/// The result of a simulation.
public struct SimulationReport: Sendable {
    /// The session in the file format, for `imrepl show`, `why` and `replay`.
    public let session: [UInt8]
    /// The app's violations.
    public let violations: [AppViolation]
    /// A hash of the run; equal runs of app and world have the same hash.
    public let chain: UInt64
}

/// Runs a test of an app against a vendor's rules, in virtual time. Each violation is an issue of the running test,
/// also if the body throws. A test that expects one uses the form with a `report:`.
///
/// - Parameters:
///   - profile: the vendor: `nim`, `zim`, `agora-chat`, `agora-rtm`, `wilddog`.
///   - seed: decides everything random. Nil for 1, with entries of the app that are due together in the order of
///   enqueuing.
///   - order: the order of events that are due at the same time in the world around the app: packets of several
///     devices, timers of SDKs and server. `.drawn`: the seed decides, as neither a network nor a clock promises one.
///   - title: the title of the session.
///   - path: the file for the session; nil for none.
///   - fileID: the source location of issues, with the three that follow.
@MainActor
public func withSimulation<T: Sendable>(
    _ profile: String, seed: UInt64? = nil, order: DueOrder = .fixed, title: String = "a test of an app",
    recordedTo path: String? = nil,
    // Swift Testing has a macro for all four, which works only in files that import it.
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
    body: @escaping @MainActor @Sendable (Simulation) async throws -> T
) async throws -> T {
    let issueLocation = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let session = path.map { "\nsession: \($0)" } ?? ""
    return try await withSimulation(
        profile, seed: seed, order: order, title: title, recordedTo: path,
        report: { for found in $0.violations { Issue.record("\(found)\(session)", sourceLocation: issueLocation) } },
        body: body
    )
}

/// Like `withSimulation`, without issues: the test gets the violations.
///
/// - Parameter report: gets the session and the violations, also if the body throws.
@MainActor
public func withSimulation<T: Sendable>(
    _ profile: String, seed: UInt64? = nil, order: DueOrder = .fixed, title: String = "a test of an app",
    recordedTo path: String? = nil,
    report: (SimulationReport) -> Void, body: @escaping @MainActor @Sendable (Simulation) async throws -> T
) async throws -> T {
    let box = SimulationBox()
    defer {
        if let outcome = box.outcome {
            // If the file cannot be written, the session is still in the report.
            if let path { try? write(outcome.session, to: URL(fileURLWithPath: path)) }
            report(outcome)
        }
    }
    return try await withVirtualTime(
        // The same start time as a world of the shell with this seed.
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
            simulation.checkAtQuiescence()
            return value
        })
}

private func write(_ session: [UInt8], to file: URL) throws {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(session).write(to: file)
}

/// Used on the job thread alone.
private final class SimulationBox: @unchecked Sendable {
    var simulation: Simulation?
    var outcome: SimulationReport?
}
