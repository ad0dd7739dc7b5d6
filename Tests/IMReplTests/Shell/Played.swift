import Foundation
import Recorder

@testable import IMRepl

/// The lines that a shell prints. `@unchecked Sendable`: the lock guards them.
final class Played: @unchecked Sendable {
    private let lock = NSLock()
    private var kept: [String] = []
    var lines: [String] { lock.withLock { kept } }

    @Sendable func add(_ line: String) { lock.withLock { kept.append(line) } }

    /// Plays a script, in the simulated world unless it says otherwise.
    static func lines(of script: Script) throws -> [String] {
        let plan = try WorldPlan(
            WorldSettings.forTests, head: script.metadata, defaultKind: .simulated, isScripted: true,
            title: script.name)
        let printed = Played()
        let output = Output(colour: false, to: printed.add)
        let shell = try Shell(plan, recording: .memory(.init()), output: output, isInteractive: false)
        defer { try? shell.close() }
        try ScriptRunner(shell: shell, script: script).run()
        return printed.lines
    }

    /// Plays a script in the simulated world and gives what was recorded.
    static func recording(_ source: String) throws -> [UInt8] {
        let script = try ScriptFile.parse(Array(source.utf8), named: "a.imr", origin: .file, variables: [])
        let plan = try WorldPlan(
            WorldSettings.forTests, head: script.metadata, defaultKind: .simulated, isScripted: true,
            title: script.metadata.title ?? "a")
        let sink = MemorySink()
        let shell = try Shell(plan, recording: .memory(sink), output: .silent, isInteractive: false)
        try ScriptRunner(shell: shell, script: script).run()
        try shell.close()
        return sink.bytes
    }

    static func lines(_ source: String, origin: Script.Origin = .pipe) throws -> [String] {
        try lines(of: try ScriptFile.parse(Array(source.utf8), named: "played", origin: origin, variables: []))
    }
}
