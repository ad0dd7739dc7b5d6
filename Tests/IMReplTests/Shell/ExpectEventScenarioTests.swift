import IMProfiles
import Recorder
import SansIO
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMSession
@testable import IMShell

/// Tests of `expect event` in scripts that run in a world.
@Suite struct ExpectEventScenarioTests {
    private static let head = """
        #! imrepl script 1
        client new phone --device phone-1 --platform ios
        client new pad --device pad-1 --platform ios
        @phone login alice

        """

    /// - Returns: the world's time at the end.
    @discardableResult
    private func play(_ text: String, in kind: WorldKind = .simulated) throws -> Instant {
        let script = try ScriptFile.parse(
            Array((Self.head + text).utf8), named: "a.imr", origin: .file, variables: [])
        var settings = WorldSettings.forTests
        settings.kind = kind
        settings.profile = "nim"
        let plan = try WorldPlan(
            settings, head: script.metadata, defaultKind: kind, isScripted: true, title: "a.imr")
        let shell = try Shell(
            plan, recording: .memory(MemorySink()), output: LineOutput.silent, isInteractive: false, host: ProgramHost()
        )
        defer { try? shell.close() }
        try ScriptRunner(shell: shell, script: script).run()
        return try shell.world.perform { $0.now }
    }

    @Test(arguments: [WorldKind.simulated, .live])
    func `events of every node are found in order, in both worlds`(kind: WorldKind) async throws {
        // A live world blocks its calling thread, which must not be a thread that tasks share.
        _ = try await onOwnThread {
            try play(
                """
                @phone expect event kind == transition and to == online within 5s as $on
                @pad login alice
                @phone expect event type == kicked and dir == in and n > ${on.n} within 5s as $kick
                @phone expect event kind == transition and to == kicked and from == online and t >= ${kick.t} within 5s
                @phone expect event callback == onKick and in-state == online within 5s
                @server expect event kind == presence and user == alice and device == phone-1
                @pad expect event kind == result and result == login and status == ok within 5s
                @phone expect-none event kind == transition for 50ms
                """, in: kind)
        }
    }

    @Test func `time passes until the match and no further`() throws {
        #expect(try play("@phone expect event to == online within 1h") < Instant(nanoseconds: 1_000_000_000))
        #expect(
            try play("@phone expect state online within 1h\n@phone expect-none event to == kicked for 1m")
                > Instant(nanoseconds: 60_000_000_000))
    }

    @Test func `without a time limit only past events count`() throws {
        try play("@phone expect event kind == command and command == login")
        let failure = try #require(throws: ScriptFailure.self) { try play("@phone expect event to == online") }
        #expect("\(failure)".contains("to is connecting"))
    }

    @Test func `a forbidden event fails at once, and is shown`() throws {
        let failure = try #require(throws: ScriptFailure.self) {
            try play("@phone expect-none event kind == transition and to == online for 1h")
        }
        #expect("\(failure)".contains("but found:"))
        #expect("\(failure)".contains("state syncing → online"))
    }

    @Test func `an event is matched only once`() throws {
        let failure = try #require(throws: ScriptFailure.self) {
            try play(
                """
                @phone expect event kind == transition and to == online within 5s
                @phone expect event kind == transition and to == online within 5s
                """)
        }
        #expect("\(failure)".contains("a.imr:6"))
    }
}
