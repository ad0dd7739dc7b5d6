import Foundation
import IMSimulation
import Recorder
import Testing

@testable import IMExport
@testable import IMRepl
@testable import IMSession
@testable import IMShell

/// Tests of a recording that is exported as a unit test. One such test is among the examples, where it runs.
@Suite struct SwiftTestExportTests {
    private func script(_ name: String) throws -> [String] {
        let path = SessionLibrary.recordingPath(name.dropLast(4))
        var export = try ScriptExport(try ExportedSession.open(path), expectsCallbacks: true)
        return export.script()
    }

    @Test(arguments: SessionLibrary.scripts) func everyScenarioHoldsAndExpectsEveryCallback(_ name: String) throws {
        let script = try script(name)
        #expect(try ScriptTest(script.joined(separator: "\n"), named: name).failure() == nil)
        let session = try ExportedSession.open(SessionLibrary.recordingPath(name.dropLast(4)))
        let formatter = EventFormatter(dialect: session.dialect)
        var callbacks: [String] = []
        var states = 0
        try session.forEach { _, event, _, _ in
            guard case .effect(let effect) = event.content, event.node != WorldCore.serverName else { return }
            if case .transition = effect { states += 1 }
            if let callback = formatter.callback(for: effect) {
                callbacks.append("@\(event.node) expect callback \(callback.name)")
            }
        }
        let expected = script.filter { $0.contains(" expect callback ") }
        #expect(expected.count == callbacks.count)
        for (line, callback) in zip(expected, callbacks) { #expect("\(line) ".hasPrefix("\(callback) ")) }
        #expect(script.count { $0.contains(" expect state ") } >= states)
    }

    @Test func theSameRecordingGivesTheSameFile() throws {
        let name = "c-07-kick-while-the-app-was-dead"
        let path = "\(SourceTree.root)/Examples/Tests/ExportedTests/\(SwiftTestExport.typeName(name)).swift"
        let session = try ExportedSession.open(SessionLibrary.recordingPath(name))
        let lines = try SwiftTestExport(session).lines
        #expect(try SwiftTestExport(session).lines == lines)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == lines.joined(separator: "\n") + "\n")
    }

    @Test func aScenarioThatNoLongerHoldsNamesItsLine() throws {
        let lines = [
            "#! imrepl script 1", "# profile: nim", "", "client new phone", "@phone login alice",
            "@phone expect callback onLogin step=NIMLoginStepLinking(9)", "@phone logout",
        ]
        let failure = try #require(try ScriptTest(lines.joined(separator: "\n"), named: "scenario").failure())
        #expect(failure.line == 6)
        #expect(failure.statement == lines[5])
        #expect(failure.reason.contains("expected: expect callback onLogin step=NIMLoginStepLinking(9)"))
        #expect(failure.reason.contains("step is NIMLoginStepLinking(1)"))
        #expect(throws: ShellError.self) { try ScriptTest("frobnicate", named: "scenario") }
    }

    @Test func aLiteralEndsWhereTheScriptDoes() {
        let lines = SwiftTestExport(
            script: ["@phone send bob \"\"\"\"##\"", "", "# title: a\u{1B}b \\#(c)"], stem: "5 \"ways\"\\x"
        ).lines
        #expect(lines.contains("@Suite struct Session5WaysXTests {"))
        #expect(lines.contains("        let scenario = try ScriptTest(Self.script, named: \"5 \\\"ways\\\"\\\\x\")"))
        #expect(lines.contains("    private static let script = ###\"\"\""))
        #expect(
            lines.suffix(5) == [
                "        @phone send bob \"\"\"\"##\"", "", "        # title: a\\u{1b}b \\#(c)", "        \"\"\"###",
                "}",
            ])
    }
}
