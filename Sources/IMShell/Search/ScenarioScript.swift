import IMDebugger
import IMExport
import Recorder

/// A scenario as a script that repeats it, with its recording.
package struct ScenarioScript {
    package let lines: [String]
    /// A session file.
    package let recording: [UInt8]

    /// - Parameters:
    ///   - title: a description of the scenario.
    ///   - check: the script's last line; nil for none.
    ///   - recording: the name of the session file in errors.
    package init(_ scenario: Scenario, title: String, check: String?, recording name: String) throws {
        recording = try ScenarioRecording.bytes(
            playing: scenario, title: title, summarize: EventLines(scenario.profile).line)
        let session = try ExportedSession(reader: SessionReader(bytes: recording), path: name)
        var export = try ScriptExport(session)
        lines = export.commands() + (check.map { [$0] } ?? [])
    }
}
