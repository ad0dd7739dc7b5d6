import Foundation
import TestSupport
import Testing

/// Tests of `imrepl vary` as a user runs it, with a race that does not occur without a change of the script.
@Suite(.onOwnThreads) struct VaryProgramTests {
    /// The phone logs out before the pad logs in, unless the phone's frames are delayed.
    private static let commands =
        Scenario.head + """
            client new phone --platform ios
            @phone login alice
            wait 5s
            client new pad --platform ios
            wait 2s
            @phone logout
            wait 100ms
            @pad login alice
            wait 5s

            """
    private static let kicked = "node == server and text =~ kicked"

    @Test func `the shortest change that breaks an expectation becomes a script that fails`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Self.commands + "check \"count(\(Self.kicked)) == 0\"\n", "race.imr")
        #expect(try sandbox.imrepl("run", "race.imr", "--no-record").status == 0)
        let result = try sandbox.imrepl("vary", "race.imr", "--kinds", "delay", "--runs", "40")
        #expect(result.status == 1, "\(result.errors)")
        #expect(result.output.contains("@phone net delay 200ms; @phone logout"), "\(result.output)")
        #expect(result.output.contains("of the lengths tried, with: 200ms, 500ms, 1s"), "\(result.output)")
        let varied = try sandbox.imrepl("run", "race-varied.imr", "--no-record")
        #expect(varied.status == 1 && varied.errors.contains("condition does not hold"), "\(varied.errors)")
        #expect(try sandbox.imrepl("verify", "race-varied.pcapng").status == 0)
        // A second search replaces the output file only with `--force`.
        let again = try sandbox.imrepl("vary", "race.imr", "--kinds", "delay", "--runs", "40")
        #expect(again.status == 3 && again.errors.contains("--force"), "\(again.errors)")
    }

    @Test func `a recording breaks when a condition occurs`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Self.commands, "race.imr")
        #expect(try sandbox.imrepl("run", "race.imr", "--record", "race.pcapng").status == 0)
        let found = try sandbox.imrepl(
            "vary", "race.pcapng", "--until", Self.kicked, "--kinds", "delay", "--runs", "40", "--json")
        #expect(found.status == 1, "\(found.errors)")
        #expect(found.output.contains("\"changes\":\"line "), "\(found.output)")
        #expect(found.output.hasSuffix("{\"schema\":1,\"type\":\"end\",\"status\":1}\n"), "\(found.output)")
        let none = try sandbox.imrepl("vary", "race.imr", "--until", "kind == mark", "--kinds", "wait", "--runs", "10")
        #expect(none.status == 0 && none.output.hasPrefix("0 of "), "\(none.output)")
        let already = try sandbox.imrepl("vary", "race.imr", "--until", "to == online")
        #expect(already.status == 1 && already.errors.contains("it occurs even without a change"))
        for (arguments, words) in [
            (["race.imr"], "'race.imr' has no expectation"), (["race.pcapng"], "a recording has no expectation"),
            (["race.imr", "--until", "knd == a"], "there is no field 'knd'"),
            (["race.imr", "--kinds", "luck"], "unknown kind of change 'luck'"),
            (["race.imr", "--until", "kick", "--expect"], "cannot both be given"),
        ] {
            let result = try sandbox.imrepl(["vary"] + arguments)
            #expect(result.status == 2 && result.errors.contains(words), "\(arguments): \(result.errors)")
        }
    }
}
