import IMSession
import IMSimulation
import Recorder
import SansIO

/// Makes a session file from a scenario.
package enum ScenarioRecording {
    /// Plays a scenario and returns its recording.
    ///
    /// - Parameters:
    ///   - title: the session's title. If it is empty, the title contains the seed.
    ///   - keyframeInterval: the number of events between two keyframes; nil for the default.
    ///   - mark: the text of a mark at the beginning of the recording; nil for no mark.
    ///   - summarize: returns the line of text that is stored with an event.
    ///   - watch: called with each event.
    package static func bytes(
        playing scenario: Scenario, title: String = "", keyframeInterval: UInt64? = nil, mark: String? = nil,
        summarize: @escaping (SessionEvent) -> String = { _ in "" }, watching watch: ((SessionEvent) -> Void)? = nil
    ) throws -> [UInt8] {
        let sink = MemorySink()
        let configuration = try scenario.configuration()
        let header = SessionHeader(
            title: title.isEmpty ? "scenario \(scenario.seed)" : title, profile: scenario.profile,
            application: Version.application, os: "virtual",
            parameters: SessionHeader.worldParameters(.simulated, seed: scenario.seed, order: scenario.order))
        let recording = Recording(
            sink: sink, path: nil, header: header, epochNanoseconds: configuration.epochNanoseconds)
        if let keyframeInterval { recording.keyframeInterval = keyframeInterval }
        var run = try ScenarioRun(scenario, recording: recording, summarize: summarize)
        _ = try run.play(mark: mark, watching: watch)
        return sink.bytes
    }
}
