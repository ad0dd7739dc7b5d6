import IMDialects
import IMSession
import IMSimulation
import Recorder
import SansIO

/// What has to hold for whatever was recorded: it replays to the same, the state at any place is that of a replay from
/// the beginning, searching backwards finds what a look at every event finds, and a change of it is noticed.
///
/// What only a program with scripts and exports can try is given by it.
public struct RecorderLaws: Sendable {
    /// Something that must hold for a recording: what is wrong, in words that are the same for all of its kind; nil where
    /// it holds.
    public typealias Law = @Sendable (_ scenario: Scenario, _ bytes: [UInt8]) throws -> String?

    private let further: [Law]
    private let summarize: @Sendable (SessionEvent, Scenario) -> String

    /// - Parameters:
    ///   - further: what else has to hold.
    ///   - summarize: the line of each event in the recording.
    public init(
        further: [Law] = [], summarize: @escaping @Sendable (SessionEvent, Scenario) -> String = { _, _ in "" }
    ) {
        self.further = further
        self.summarize = summarize
    }

    /// Records the scenario and looks.
    func violation(of scenario: Scenario) throws -> Violation? {
        let bytes = try ScenarioRecording.bytes(of: scenario) { summarize($0, scenario) }
        func broken(_ kind: String) -> Violation { Violation(.recorder, "C-16", kind) }
        let reader = try SessionReader(bytes: bytes)
        let verdict = try Verifier.verify(reader, schema: IMSessionSchema())
        guard verdict == .verified(events: reader.eventCount) else {
            return broken("a recording does not replay to itself")
        }
        for law in further {
            if let kind = try law(scenario, bytes) { return broken(kind) }
        }
        return nil
    }
}

/// A scenario as a session file.
public enum ScenarioRecording {
    /// Plays a scenario and gives its recording.
    ///
    /// - Parameters:
    ///   - heals: whether the network heals and everybody logs out behind it.
    ///   - summarize: composes the line of each event.
    public static func bytes(
        of scenario: Scenario, heals: Bool = true, title: String = "",
        summarize: @escaping (SessionEvent) -> String = { _ in "" }
    ) throws -> [UInt8] {
        let sink = MemorySink()
        guard let dialect = Dialects.named(scenario.profile) else {
            throw WorldError("there is no system '\(scenario.profile)'")
        }
        let configuration = WorldConfiguration(dialect, seed: scenario.seed)
        let header = SessionHeader(
            title: title.isEmpty ? "scenario \(scenario.seed)" : title, profile: scenario.profile,
            application: Version.application, os: "virtual",
            parameters: [
                ("world", WorldKind.simulated.rawValue), ("seed", String(scenario.seed)), ("time-scale", "1.0"),
                ("strict", "false"),
            ])
        let recording = Recording(
            sink: sink, path: nil, header: header, epochNanoseconds: configuration.epochNanoseconds)
        var options = ScenarioPlayer.Options()
        options.heals = heals
        options.hasOracles = false
        _ = try ScenarioPlayer(scenario, options).play(recording: recording, summarize: summarize)
        return sink.bytes
    }
}
