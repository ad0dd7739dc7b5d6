import Foundation
import TestSupport
import Testing

/// Tests of the output that subcommands write for other programs: JSON, and files for CI.
@Suite struct ForProgramsTests {
    @Test func `help starts no server and records nothing`() throws {
        let result = try Sandbox().imrepl("-c", "help net")
        #expect(result.status == 0)
        #expect(result.errors == "")
        #expect(result.output.contains("net down"))
    }

    @Test func `help --json lists all explanations and names a session`() throws {
        let sandbox = try Sandbox()
        let script = """
            #! imrepl script 1
            # title: an old device is refused with 417
            # profile: nim
            # rules: NIM-4
            client new phone
            ! autologin alice
            expect-none result autologin code=403 for 5s
            expect result autologin code=417
            """
        try sandbox.write(script, "sessions/nim/old.imr")
        let shown = "shown by sessions/nim/old.imr: an old device is refused with 417"
        for word in ["417", "NIM-4"] {
            #expect(try sandbox.imrepl("help", word).output.contains(shown), "\(word)")
            #expect(try sandbox.imrepl("-c", "help \(word)").output.contains(shown), "\(word)")
        }
        #expect(try !sandbox.imrepl("help", "403").output.contains("shown by"))
        func object(_ arguments: [String]) throws -> [String: Any] {
            let line = try sandbox.imrepl(arguments).lines.first ?? ""
            return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let entries = try #require(try object(["help", "417", "--json"])["entries"] as? [[String: Any]])
        #expect(entries.first?["rules"] as? [String] == ["NIM-4", "NIM-7"])
        #expect((entries.first?["sessions"] as? [[String: Any]])?.first?["file"] as? String == "sessions/nim/old.imr")
        let all = try object(["help", "--json"])
        for list in ["commands", "program", "codes", "callbacks", "rules", "policies", "settings", "fields"] {
            #expect((all[list] as? [Any])?.isEmpty == false, "\(list)")
        }
    }

    @Test func `a failed test stores its session and a page beside the report`() throws {
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
            #expect(result.errors.contains("'\(line[0])' does not take '\(line[2])'"), "\(result.errors)")
        }
        #expect(try Sandbox().imrepl("test", "--help").output.contains("--record") == false)
    }
}
