import Foundation
import IMSession
import IMSimulation
import Recorder
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMShell
@testable import IMText

/// Tests of `use` if the new session cannot begin.
@Suite struct NewSessionTests {
    /// A host that opens a world only for one profile.
    private struct OneProfileHost: ShellHost {
        var profile = "nim"

        func open(
            _ plan: WorldPlan, recording: Recording?, summarize: @escaping @Sendable (SessionEvent) -> String,
            warn: @escaping @Sendable (String) -> Void
        ) throws -> any World {
            guard plan.dialect.profile == profile else {
                throw ShellError(message: "the world cannot be opened", reason: .environment)
            }
            return try SimulationHost().open(plan, recording: recording, summarize: summarize, warn: warn)
        }

        func sessions(_ action: SessionsAction, in shell: Shell) throws {}
    }

    private func shell(in sandbox: Sandbox, host: any ShellHost = SimulationHost()) throws -> Shell {
        var settings = WorldSettings.forTests
        settings.profile = "nim"
        settings.dataFolder = sandbox.path
        let plan = try WorldPlan(
            settings, head: ScriptMetadata(), defaultKind: .simulated, isScripted: true, title: "test")
        return try Shell(plan, recording: .automatic, output: LineOutput.silent, isInteractive: false, host: host)
    }

    private func run(_ line: String, in shell: Shell) throws {
        try ScriptRunner.execute(try #require(try Statement.parse(line)), in: shell)
    }

    @Test func `the old session continues if the new recording cannot be created`() throws {
        let sandbox = try Sandbox()
        let shell = try shell(in: sandbox)
        defer { try? shell.close() }
        try run("client new phone", in: shell)
        let path = try #require(shell.recordingPath)
        // A file prevents the folder of the recordings. Root ignores the permissions of a folder.
        let moved = sandbox.file("moved")
        try FileManager.default.moveItem(atPath: shell.files.folder, toPath: moved)
        try sandbox.write("", "sessions")
        let error = #expect(throws: CommandFailure.self) { try run("use zim", in: shell) }
        #expect(error?.message.contains("the folder '\(shell.files.folder)' cannot be created") == true)
        #expect(shell.plan.dialect.profile == "nim" && shell.recordingPath == path)
        try run("client new tablet", in: shell)
        try run("login alice", in: shell)
        #expect(try shell.clientNames == ["phone", "tablet"])
        try FileManager.default.removeItem(atPath: shell.files.folder)
        try run("use zim", in: shell)
        #expect(try shell.plan.dialect.profile == "zim" && shell.clientNames.isEmpty)
        #expect(shell.recordingPath?.hasPrefix("\(shell.files.folder)/zim-") == true)
        let recording = "\(moved)/\((path as NSString).lastPathComponent)"
        #expect(try SessionReader(path: recording).completeness == .closed)
        let bytes = try #require(FileManager.default.contents(atPath: recording))
        #expect(bytes.range(of: Data("tablet".utf8)) != nil)
    }

    @Test func `a session with the old profile begins if the new world cannot be opened`() throws {
        let sandbox = try Sandbox()
        let shell = try shell(in: sandbox, host: OneProfileHost())
        defer { try? shell.close() }
        try run("login alice", in: shell)
        let error = #expect(throws: CommandFailure.self) { try run("use zim", in: shell) }
        #expect(
            error?.message
                == "the world cannot be opened; the old session has ended, and a new session with nim begins")
        #expect(try shell.plan.dialect.profile == "nim" && shell.clientNames.isEmpty)
        let path = try #require(shell.recordingPath)
        try run("login alice", in: shell)
        try shell.close()
        #expect(try SessionReader(path: path).completeness == .closed)
        #expect(try !sandbox.files(below: "sessions").contains { $0.contains("zim-") })
    }
}
