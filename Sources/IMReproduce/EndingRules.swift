import IMDebugger
import IMProfiles
import IMSession
import IMSimulation
import Recorder
import SansIO

extension CandidateRun {
    /// Returns the rules that `why` reports for lines of the log, in a recording of the candidate.
    ///
    /// - Parameter lines: the indices of the lines.
    /// - Returns: the rule for each of the lines; nil for a line without a known rule.
    func rules(of lines: [Int], _ app: ObservedApp) throws -> [DecidingRule?] {
        guard !lines.isEmpty, let recorded = try recorded(app) else { return lines.map { _ in nil } }
        let session = try DebugSession(SessionReader(bytes: recorded.bytes))
        return lines.map { line in
            guard line < match.partners.count, match.partners[line] < recorded.numbers.count else { return nil }
            // If `why` fails, only this line has no rule.
            return try? session.why(recorded.numbers[match.partners[line]]).verdict.rule
        }
    }

    /// Runs the candidate again and records it.
    ///
    /// - Returns: the recording, and the number of the event of each simulated line.
    private func recorded(_ app: ObservedApp) throws -> (bytes: [UInt8], numbers: [UInt64])? {
        guard let dialect = Dialects.named(app.profile) else { return nil }
        let configuration = WorldConfiguration(dialect, seed: 1)
        let bytes = MemorySink()
        let header = SessionHeader(
            title: "", profile: app.profile, application: Version.application, os: "virtual",
            parameters: SessionHeader.worldParameters(.simulated, seed: 1, order: .fixed))
        let recording = Recording(
            sink: bytes, path: nil, header: header, epochNanoseconds: configuration.epochNanoseconds,
            recordsComments: false)
        let world = try SimulatedWorld(configuration, recording: recording)
        let sink = LineSink(AppLineRecorder(dialect))
        world.core.onEvent = { sink.take($0) }
        defer { world.core.onEvent = nil }
        let end = (match.observed.last?.time ?? 0) + app.tolerance
        _ = run(world, to: end, from: 0, sink)
        try world.shutDown()
        return (bytes.bytes, sink.numbers)
    }
}
