import Foundation
import IMProfiles
import IMSession
import IMSimulation
import Recorder
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMShell
@testable import IMText

/// Tests of `use`: the rule checker of the new session, and the shell if the new session cannot begin.
@Suite struct NewSessionTests {
    /// Stores the names of the nodes that started. `@unchecked Sendable`: only the test's thread uses the object,
    /// because the world is simulated.
    private final class NodeRecorder: RuleChecker, @unchecked Sendable {
        let profile: String
        private(set) var nodes: [String] = []

        init(_ profile: String) { self.profile = profile }

        func observe(_ event: SessionEvent, in core: WorldCore) {
            if case .start = event.content { nodes.append(event.node) }
        }

        func checkAtQuiescence(_ world: SimulatedWorld) -> String? { nil }
    }

    /// A host that stores its rule checkers. `@unchecked Sendable` as ``NodeRecorder``.
    private final class CheckingHost: ShellHost, @unchecked Sendable {
        private(set) var checkers: [NodeRecorder] = []

        func open(
            _ plan: WorldPlan, recording: Recording?, summarize: @escaping @Sendable (SessionEvent) -> String,
            warn: @escaping @Sendable (String) -> Void
        ) throws -> any World {
            try SimulationHost().open(plan, recording: recording, summarize: summarize, warn: warn)
        }

        func sessions(_ action: SessionsAction, in shell: Shell) throws {}

        func ruleChecker(_ dialect: any Dialect) -> (any RuleChecker)? {
            let checker = NodeRecorder(dialect.profile)
            checkers.append(checker)
            return checker
        }
    }

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

    @Test func `'use' in a script with 'check rules' passes the new session's events to a new checker`() throws {
        let source = """
            #! imrepl script 1
            # profile: nim
            client new phone
            use zim
            client new pad
            check rules
            """
        let script = try ScriptFile.parse(Array(source.utf8), named: "a.imr", origin: .file, variables: [])
        let plan = try WorldPlan(
            .forTests, head: script.metadata, defaultKind: .simulated, isScripted: true, title: "test")
        let host = CheckingHost()
        let shell = try Shell(plan, recording: .off, output: LineOutput.silent, isInteractive: false, host: host)
        defer { try? shell.close() }
        try ScriptRunner(shell: shell, script: script).run()
        #expect(host.checkers.map(\.profile) == ["nim", "zim"])
        #expect(host.checkers.map(\.nodes) == [["server", "phone"], ["server", "pad"]])
        #expect(shell.plan.rules === host.checkers.last)
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
