import Foundation
import Recorder
import TestSupport

@testable import IMDebugger
@testable import IMRepl
@testable import IMShell

/// The lines that a shell prints. `@unchecked Sendable`: the lock guards them.
final class Played: @unchecked Sendable {
    private let lock = NSLock()
    private var kept: [String] = []
    var lines: [String] { lock.withLock { kept } }

    @Sendable func add(_ line: String) { lock.withLock { kept.append(line) } }

    /// Runs a script in the simulated world, and returns the printed lines.
    static func lines(of script: CheckedScript) throws -> [String] {
        let printed = Played()
        try play(script, .forTests, into: MemorySink(), LineOutput(to: printed.add))
        return printed.lines
    }

    /// Runs a script, in the simulated world by default, and returns the recording.
    static func recording(of script: CheckedScript, _ settings: WorldSettings = .forTests) throws -> [UInt8] {
        let sink = MemorySink()
        try play(script, settings, into: sink, LineOutput.silent)
        return sink.bytes
    }

    static func recording(_ source: String) throws -> [UInt8] {
        try recording(
            of: try ScriptFile.parse(Array(source.utf8), named: "a.imr", origin: .file, variables: []))
    }

    /// Runs a script in the simulated world, and opens its recording for a replay.
    static func replay(_ source: String, interruption: Interruption? = nil) throws -> ReplaySession {
        // The reader has the file open, so it can read the file after its removal.
        let sandbox = try Sandbox()
        return try withExtendedLifetime(sandbox) {
            let path = try sandbox.write(Data(try recording(source)), "played.pcapng")
            return try ReplaySession(path: path, output: LineOutput.silent, interruption: interruption)
        }
    }

    private static func play(
        _ script: CheckedScript, _ settings: WorldSettings, into sink: MemorySink, _ output: any ShellOutput
    ) throws {
        let plan = try WorldPlan(
            settings, head: script.metadata, defaultKind: .simulated, isScripted: true,
            title: script.title)
        let shell = try Shell(plan, recording: .memory(sink), output: output, isInteractive: false, host: ProgramHost())
        defer { try? shell.close() }
        try ScriptRunner(shell: shell, script: script).run()
        try shell.close()
    }

    static func lines(_ source: String, origin: Script.Origin = .pipe) throws -> [String] {
        try lines(of: try ScriptFile.parse(Array(source.utf8), named: "played", origin: origin, variables: []))
    }
}
