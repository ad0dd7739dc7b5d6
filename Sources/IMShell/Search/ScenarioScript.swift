import IMDebugger
import IMExport
import Recorder

/// A script that repeats a scenario, and the recording of the scenario.
package struct ScenarioScript {
    package let lines: [String]
    /// The bytes of the session file.
    package let recording: [UInt8]

    /// - Parameters:
    ///   - title: a description of the scenario.
    ///   - check: the last line of the script, such as `check rules`; nil for none.
    ///   - recording: the name of the recording in error messages.
    package init(_ scenario: Scenario, title: String, check: String?, recording name: String) throws {
        recording = try ScenarioRecording.bytes(
            playing: scenario, title: title, summarize: EventLineFormatter(scenario.profile).line)
        let session = try ExportedSession(reader: SessionReader(bytes: recording), path: name)
        var export = try ScriptExport(session)
        lines = export.commands() + (check.map { [$0] } ?? [])
    }
}
