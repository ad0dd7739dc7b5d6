import IMDebugger
import IMExport
import Recorder

/// A scenario in the words of a script that does it again, with the recording that they come from.
package struct ScenarioScript {
    package let lines: [String]
    /// A session file.
    package let recording: [UInt8]

    /// - Parameters:
    ///   - title: what the scenario shows.
    ///   - check: the script's last line; nil for none.
    ///   - recording: what the session file is called where something is wrong with it.
    package init(_ scenario: Scenario, title: String, check: String?, recording name: String) throws {
        recording = try ScenarioRecording.bytes(
            playing: scenario, title: title, summarize: EventLines(scenario.profile).line)
        let session = try ExportedSession(reader: SessionReader(bytes: recording), path: name)
        var export = try ScriptExport(session)
        lines = export.commands() + (check.map { [$0] } ?? [])
    }
}
