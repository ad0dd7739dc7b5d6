import Foundation
import TestSupport
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Tests of the shell in combination with other programs: scripts in pipes, exit codes, plain text, reports.
@Suite(.onOwnThreads) struct PipeTests {
    private let start = ["--world", "simulated", "-c", "client new phone --platform ios", "-c", "login alice"]

    @Test func `a script is read from a pipe`() throws {
        let sandbox = try Sandbox()
        let script = "client new phone --platform ios\nlogin alice\nexpect state online within 5s\necho done\n"
        let result = try sandbox.imrepl("--world", "simulated", input: Data(script.utf8))
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.lines.last == "done")
        #expect(result.errors.hasPrefix("recorded \(sandbox.home)/data/imrepl/sessions/nim-"))
        let named = try sandbox.imrepl("run", "-", "--world", "simulated", "--no-record", input: Data(script.utf8))
        #expect(named.status == 0)
        // Event numbers are only printed with a recording.
        #expect(named.lines.count == result.lines.count)
        #expect(named.lines.last == "done")
        #expect(named.errors == "")
        #expect(try sandbox.recordings().count == 1)
    }

    @Test func `a recording that starts late contains the earlier events, and verifies`() throws {
        let sandbox = try Sandbox()
        let script = """
            client new phone --platform ios
            login alice
            expect state online within 5s
            client new pad
            client close pad
            @phone net delay 50ms
            rec start late.pcapng
            @phone logout
            wait 1s
            rec stop
            rec start later.pcapng
            @phone login bob
            @phone expect state online within 5s
            """
        for world in ["simulated", "live"] {
            let result = try sandbox.imrepl("--world", world, "--no-record", input: Data(script.utf8))
            #expect(result.status == 0, "\(result.errors)")
            let verified = try sandbox.imrepl("verify", "late.pcapng", "later.pcapng")
            #expect(verified.status == 0, "\(verified.errors)")
            let shown = try sandbox.imrepl("show", "later.pcapng").output
            #expect(shown.contains("user=alice") && shown.contains("net delay 50ms") && shown.contains("user=bob"))
            for file in ["late", "later"] { try FileManager.default.removeItem(atPath: sandbox.file("\(file).pcapng")) }
        }
        // If the first events are no longer stored, no recording starts and no file is written.
        let long = "use agora-rtm\nclient new a\nlogin x\nwait 3h\nrec start late.pcapng\n"
        let refused = try sandbox.imrepl("--world", "simulated", "--no-record", input: Data(long.utf8))
        #expect(refused.status == 1)
        #expect(refused.errors.contains("too late to start a recording"))
        #expect(!FileManager.default.fileExists(atPath: sandbox.file("late.pcapng")))
    }

    @Test func `colour is used only on request`() throws {
        let sandbox = try Sandbox()
        let lines = start + ["-c", "expect state online within 5s"]
        for options in [[], ["--color", "never"], ["--color", "auto"]] {
            let plain = try sandbox.imrepl(options + lines)
            #expect(plain.status == 0)
            #expect(!plain.outputBytes.contains(0x1B))
            #expect(!plain.errorBytes.contains(0x1B))
        }
        let coloured = try sandbox.imrepl(["--color", "always"] + lines)
        #expect(coloured.status == 0)
        #expect(coloured.outputBytes.contains(0x1B))
    }

    @Test func `colour is never the only sign: without it the words are the same`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("a.pcapng")
        let plain = try sandbox.imrepl("show", "a.pcapng").output
        let coloured = try sandbox.imrepl("show", "a.pcapng", "--color", "always").output
        #expect(coloured != plain)
        #expect(coloured.replacing(/\u{1B}\[[0-9;]*m/, with: "") == plain)
    }

    @Test(
        arguments: [
            (["-c", "expect state online within 5s"], 0), (["-c", "expect state kicked"], 1), (["-c", "quit"], 0),
            (["-c", "quit 1", "-c", "echo never"], 1), (["-c", "! expect state kicked"], 0), (["-c", "! echo hi"], 1),
            (["-c", "! login"], 2), (["-c", "nonsense"], 2),
        ] as [([String], Int32)])
    func `the exit code shows the outcome`(lines: [String], status: Int32) throws {
        let sandbox = try Sandbox()
        let result = try sandbox.imrepl(start + lines)
        #expect(result.status == status, "\(result.output)\(result.errors)")
        #expect(!result.output.contains("never"))
    }

    @Test func `a failed line is reported with its file, the expectation and a hint`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Scenario.login + "\n# the end of the scenario\nexpect callback onKick\necho never\n", "a.imr")
        let result = try sandbox.imrepl("run", "a.imr", "--world", "simulated", "--record", "a.pcapng")
        #expect(result.status == 1)
        #expect(
            result.errorLines.prefix(2) == ["a.imr:8:1: expect callback onKick", "expected: expect callback onKick"])
        #expect(result.errors.contains("in the phase: the end of the scenario"))
        #expect(result.errorLines.suffix(2) == ["session: a.pcapng", "show it: imrepl show a.pcapng"])
        #expect(!result.lines.contains("never"))
        // The session of a failed script is recorded completely.
        #expect(try sandbox.imrepl("verify", "a.pcapng").status == 0)
        #expect(result.errors.contains("  #"))
        let unrecorded = try sandbox.imrepl("run", "a.imr", "--world", "simulated", "--no-record")
        #expect(unrecorded.errors.contains("nearest:\n  +"))
        #expect(!unrecorded.errors.contains("#"))
    }

    @Test func `the watchdog ends a shell that waits too long`() throws {
        let sandbox = try Sandbox()
        let result = try sandbox.imrepl("--world", "live", "--watchdog", "200ms", "-c", "wait 1h")
        #expect(result.status == 124)
        #expect(result.errorLines.last?.contains("watchdog") == true)
    }

    @Test func `a closed output ends the shell without an error`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("a.pcapng")
        let binary = try Program.imrepl()
        let result = try sandbox.run("/bin/sh", ["-c", "'\(binary)' show a.pcapng | head -n 1"])
        #expect(result.status == 0)
        #expect(result.lines.count == 1)
        #expect(result.errors == "")
    }

    // MARK: test

    @Test func `tests are counted, one line each, and reported`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Scenario.kick, "all/a-kick.imr")
        try sandbox.write(Scenario.login + "expect callback onKick\n", "all/b <&> \"fails\".imr")
        try sandbox.write(Scenario.login, "all/deeper/c.imr")
        try sandbox.write(Scenario.head + "nonsense\n", "all/d-nonsense.imr")
        let result = try sandbox.imrepl("test", "all", "--junit", "report.xml")
        #expect(result.status == 1)
        #expect(
            result.lines.filter { !$0.hasPrefix("  ") } == [
                "ok   all/a-kick.imr", "FAIL all/b <&> \"fails\".imr", "FAIL all/d-nonsense.imr",
                "ok   all/deeper/c.imr",
                "2 passed, 2 failed",
            ])
        #expect(result.errors == "")
        let report = try ReportReader(try sandbox.data("report.xml"))
        #expect(
            report.cases == ["all/a-kick.imr", "all/b <&> \"fails\".imr", "all/d-nonsense.imr", "all/deeper/c.imr"])
        #expect(report.failures == 2)
        #expect(report.suite["tests"] == "4")
        #expect(report.suite["failures"] == "2")
        let good = try sandbox.imrepl("test", "all/a-kick.imr", "all/deeper")
        #expect(good.status == 0)
        #expect(good.lines.last == "2 passed, 0 failed")
        // If all tests pass, the output has one line for each.
        #expect(good.lines == ["ok   all/a-kick.imr", "ok   all/deeper/c.imr", "2 passed, 0 failed"])
    }

    @Test func `the recording beside a script must match the script's run`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Scenario.kick, "kick.imr")
        #expect(try sandbox.imrepl("test", "kick.imr", "--update").status == 0)
        #expect(try sandbox.imrepl("test", "kick.imr").status == 0)
        #expect(try sandbox.imrepl("verify", "kick.pcapng").status == 0)
        try sandbox.write(Scenario.login, "kick.imr")
        let result = try sandbox.imrepl("test", "kick.imr")
        #expect(result.status == 1)
        #expect(result.output.contains("differs from the recording 'kick.pcapng'"))
    }

    /// Reads a JUnit report, which must be well-formed XML.
    private final class ReportReader: NSObject, XMLParserDelegate {
        private(set) var suite: [String: String] = [:]
        private(set) var cases: [String] = []
        private(set) var failures = 0

        init(_ data: Data) throws {
            super.init()
            let parser = XMLParser(data: data)
            parser.delegate = self
            try #require(parser.parse(), "\(String(decoding: data, as: UTF8.self))")
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            switch name {
            case "testsuite": suite = attributes
            case "testcase": cases.append(attributes["name"] ?? "")
            case "failure": failures += 1
            default: break
            }
        }
    }
}
