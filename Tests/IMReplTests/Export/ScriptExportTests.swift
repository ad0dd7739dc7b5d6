import Foundation
import IMWorld
import Recorder
import Testing

@testable import IMRepl

/// A recording told as a script: its run makes the same session.
@Suite struct ScriptExportTests {
    @Test(arguments: SessionLibrary.scripts) func theScriptOfARecordingMakesItAnew(_ name: String) throws {
        let path = "\(SessionLibrary.folder)/\(name.dropLast(4)).pcapng"
        var export = try ScriptExport(try ExportedSession(path: path))
        let text = export.script().joined(separator: "\n")
        let script = try ScriptFile.parse(Array(text.utf8), named: name, origin: .file, variables: [])
        var settings = WorldSettings.forTests
        settings.epochNanoseconds = nil
        let plan = try WorldPlan(
            settings, head: script.metadata, defaultKind: .simulated, isScripted: true,
            title: script.metadata.title ?? name)
        let sink = MemorySink()
        let shell = try Shell(plan, recording: .memory(sink), output: .silent, isInteractive: false)
        try ScriptRunner(shell: shell, script: script).run()
        try shell.close()
        let again = try ForkTape(try SessionReader(bytes: sink.bytes))
        let before = try ForkTape(try SessionReader(path: path))
        let (one, two) = (before.events.filter(\.isOutcome), again.events.filter(\.isOutcome))
        #expect(one.map(words) == two.map(words))
    }

    private func words(_ event: SessionEvent) -> String {
        let facts = event.facts.map { "\($0.name)=\($0.value)" }
        return "\(event.time.nanoseconds) \(event.node) \(event.kind) \(facts.joined(separator: " "))"
    }
}
