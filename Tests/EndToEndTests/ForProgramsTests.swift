import Foundation
import TestSupport
import Testing

/// What other programs get of the subcommands: JSON, files for CI, and no more than they ask for.
@Suite struct ForProgramsTests {
    @Test func `help starts no server and records nothing`() throws {
        let result = try Sandbox().imrepl("-c", "help net")
        #expect(result.status == 0)
        #expect(result.errors == "")
        #expect(result.output.contains("net down"))
    }

    @Test func `a failed test leaves its session and a page beside the report`() throws {
        let sandbox = try Sandbox()
        let script = "#! imrepl script 1\n# profile: nim\nclient new phone\nlogin alice\nexpect state kicked\n"
        try sandbox.write(script, "all/deep/a.imr")
        let second = try sandbox.imrepl("test", "all", "--junit", "out/report.xml", "--json")
        #expect(second.status == 1)
        #expect(
            second.lines.first?.contains(#""script":"all/deep/a.imr","result":"failed""#) == true, "\(second.output)")
        #expect(second.lines.last == #"{"schema":1,"type":"end","status":1}"#)
        let kept = "out/imrepl-failed-all-deep-a"
        #expect(try sandbox.files(below: "out") == ["\(kept).html", "\(kept).pcapng", "out/report.xml"])
        #expect(try sandbox.imrepl("verify", "\(kept).pcapng", "--json").lines.first?.contains(#""verified""#) == true)
        let found = try sandbox.imrepl("sessions", "search", "kind == mark or kind == transition", ".", "--json")
        #expect(found.lines.first?.contains(#""events":"#) == true, "\(found.output)")
    }

    @Test func `an option that a subcommand does not have is an error`() throws {
        for line in [["test", "a.imr", "--record", "b.pcapng"], ["verify", "a.pcapng", "--seed", "4"]] {
            let result = try Sandbox().imrepl(line)
            #expect(result.status == 2)
            #expect(result.errors.contains("'\(line[2])' means nothing to '\(line[0])'"), "\(result.errors)")
        }
        #expect(try Sandbox().imrepl("test", "--help").output.contains("--record") == false)
    }
}
