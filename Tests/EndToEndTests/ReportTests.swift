import Foundation
import Recorder
import TestSupport
import Testing

/// Tests of `imrepl report`: its file, how the receiver uses it, and its errors.
@Suite(.onOwnThreads) struct ReportTests {
    private func makeReport(_ sandbox: Sandbox, _ options: String...) throws -> Program.Result {
        try sandbox.recordKick()
        return try sandbox.imrepl(["report", "kick.pcapng"] + options)
    }

    @Test func `a report is the recording, and verifies`() throws {
        let sandbox = try Sandbox()
        let made = try makeReport(sandbox, "--note", "phone was kicked\nI expected both to stay")
        #expect(made.status == 0, "\(made.errors)")
        let events = try SessionReader(path: sandbox.file("kick.pcapng")).eventCount
        let size = (try sandbox.data("imbug-kick.pcapng").count + 512) / 1024
        #expect(
            made.lines == [
                "wrote imbug-kick.pcapng (\(size) kB): note, \(events) events, summary; "
                    + "the receiver runs: imrepl replay imbug-kick.pcapng"
            ])
        #expect(
            made.errorLines == [
                "it contains the original names and message texts; --redact replaces them by pseudonyms"
            ])
        #expect(try sandbox.data("imbug-kick.pcapng").starts(with: try sandbox.data("kick.pcapng")))
        let verified = try sandbox.imrepl("verify", "imbug-kick.pcapng")
        #expect(verified.status == 0)
        #expect(verified.lines == ["imbug-kick.pcapng: verified \(events) events"])
        #expect(verified.errors == "")
        #expect(try sandbox.imrepl("diff", "kick.pcapng", "imbug-kick.pcapng").status == 0)
    }

    @Test func `the receiver reads the note and then steps through the recording`() throws {
        let sandbox = try Sandbox()
        _ = try makeReport(sandbox, "--note", "phone was kicked\nI expected both to stay")
        let walk = ["-c", "goto end", "-c", "rcontinue kick", "-c", "why"]
        let (one, two) = (
            try sandbox.imrepl(["replay", "kick.pcapng"] + walk),
            try sandbox.imrepl(["replay", "imbug-kick.pcapng"] + walk)
        )
        #expect(two.status == 0, "\(two.errors)")
        #expect(two.output == one.output)
        #expect(two.errorLines.count <= 5)
        #expect(two.errorLines.prefix(2) == ["note: phone was kicked", "      I expected both to stay"])
        #expect(two.errorLines.contains { $0.hasPrefix("first kick: #") })
        let number = try #require(two.errorLines.last?.split(separator: " ").last { $0.hasSuffix(",") }?.dropLast())
        let atKick = try sandbox.imrepl("replay", "kick.pcapng", "-c", "goto \(number)")
        #expect(atKick.output.contains("kicked"), "\(atKick.output)")
    }

    @Test func `a folder for an issue tracker has the text and the recording`() throws {
        let sandbox = try Sandbox()
        let made = try makeReport(sandbox, "--as", "markdown", "-o", "bug", "--redact", "--note", "alice was kicked")
        #expect(made.status == 0, "\(made.errors)")
        let text = String(decoding: try sandbox.data("bug/README.md"), as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.first == "# Bug report")
        #expect(text.contains("imrepl replay imbug-redacted.pcapng -c 'goto "))
        #expect(text.contains("\ncause: #") && text.contains("\nrule:  "))
        #expect(text.contains("```mermaid\nsequenceDiagram\n"))
        #expect(!text.contains("alice"))
        // The command in the text works if it runs in the folder of the text.
        #expect(try sandbox.imrepl("verify", "bug/imbug-redacted.pcapng").status == 0)
        let again = try sandbox.imrepl("report", "kick.pcapng", "--as", "markdown", "-o", "bug", "--redact")
        #expect(again.status != 0)
    }

    @Test func `show prints the note first, except in JSON`() throws {
        let sandbox = try Sandbox()
        _ = try makeReport(sandbox, "--note", "phone was kicked")
        let (plain, shown) = (
            try sandbox.imrepl("show", "kick.pcapng"), try sandbox.imrepl("show", "imbug-kick.pcapng")
        )
        #expect(shown.lines.first == "# note: phone was kicked")
        #expect(shown.lines.filter { !$0.hasPrefix("# ") } == plain.lines)
        #expect(shown.lines.contains { $0.hasPrefix("# imrepl replay imbug-kick.pcapng -c 'goto ") })
        #expect(try sandbox.imrepl("sessions", "show", "imbug-kick.pcapng").lines.contains("note: phone was kicked"))
        for option in [["--json"], ["--filter", "kind == transition"]] {
            #expect(
                try sandbox.imrepl(["show", "imbug-kick.pcapng"] + option).output
                    == (try sandbox.imrepl(["show", "kick.pcapng"] + option).output))
        }
    }

    @Test func `the parts are exported as markdown`() throws {
        let sandbox = try Sandbox()
        try sandbox.write("phone was <b>kicked</b>\u{1B}[31m\n\n", "note.txt")
        _ = try makeReport(sandbox, "--note-file", "note.txt", "-o", "bug.pcapng")
        let printed = try sandbox.imrepl("report", "--print", "bug.pcapng")
        #expect(printed.status == 0, "\(printed.errors)")
        #expect(printed.lines.prefix(2) == ["# Bug report", "> phone was <b>kicked</b>\u{FFFD}[31m"])
        #expect(!printed.output.contains("\u{1B}"))
        let document = try sandbox.imrepl("export", "kick.pcapng", "--as", "md").output
        #expect(printed.output.hasSuffix(document))
        for name in ["imrepl", "behaviour", "session format", "protocol", "swift", "os", "architecture"] {
            #expect(printed.lines.contains { $0.hasPrefix("| \(name) | ") }, "\(name)")
        }
        let secrets = [ProcessInfo.processInfo.hostName, NSUserName(), sandbox.path, NSHomeDirectory()]
        for secret in secrets where secret.count > 4 && secret != "localhost" {
            #expect(!printed.output.contains(secret), "\(secret)")
        }
    }

    @Test func `a note is read from a pipe, and is kept when the report is made again`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let made = try sandbox.imrepl("report", "kick.pcapng", "--note-file", "-", input: Data("from a pipe\r\n".utf8))
        #expect(made.status == 0, "\(made.errors)")
        let again = try sandbox.imrepl("report", "imbug-kick.pcapng", "-o", "again.pcapng")
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.errors.contains("no note") == false)
        #expect(try sandbox.imrepl("verify", "again.pcapng").status == 0)
        #expect(try sandbox.imrepl("show", "again.pcapng").lines.first == "# note: from a pipe")
        let secondReport = try sandbox.imrepl("report", "again.pcapng", "--note", "another", "-o", "other.pcapng")
        #expect(secondReport.status == 0, "\(secondReport.errors)")
        #expect(try sandbox.imrepl("show", "other.pcapng").lines.first == "# note: another")
    }

    @Test func `a redacted report contains no names, also not in its note`() throws {
        let sandbox = try Sandbox()
        let made = try makeReport(sandbox, "--redact", "--note", "alice was kicked from her phone")
        #expect(made.status == 0, "\(made.errors)")
        #expect(!made.errors.contains("as they were"))
        let verified = try sandbox.imrepl("verify", "imbug-redacted.pcapng")
        #expect(verified.status == 0, "\(verified.errors)")
        let printed = try sandbox.imrepl("report", "--print", "imbug-redacted.pcapng")
        #expect(printed.lines.contains("- names and texts are pseudonyms"))
        #expect(printed.output.contains(" was kicked from her phone"))
        #expect(!printed.output.contains("alice"))
        #expect(try sandbox.data("imbug-redacted.pcapng").range(of: Data("alice".utf8)) == nil)
        #expect(!printed.output.contains("kick.pcapng"))
        _ = try sandbox.imrepl("report", "kick.pcapng", "--note", "Mr Smith called me")
        #expect(try sandbox.imrepl("report", "imbug-kick.pcapng", "--redact", "--force").status == 0)
        let older = try sandbox.imrepl("report", "--print", "imbug-redacted.pcapng")
        #expect(!older.output.contains("Smith"))
        #expect(try sandbox.data("kick.pcapng").range(of: Data("alice".utf8)) != nil)
    }

    @Test func `without a note the command shows how to give one`() throws {
        let sandbox = try Sandbox()
        let made = try makeReport(sandbox)
        #expect(made.status == 0)
        #expect(made.errors.contains("it has no note; add one with --note"))
        #expect(!made.output.contains("note,"))
        let empty = try sandbox.imrepl("report", "kick.pcapng", "--note", "\n", "--force")
        #expect(empty.errors.contains("it has no note"))
        #expect(try sandbox.imrepl("show", "imbug-kick.pcapng").lines.first == "# a report without a note")
        let withToken = try sandbox.imrepl("report", "kick.pcapng", "--note", "login alice --token abc", "--force")
        #expect(withToken.errors.contains("may contain a token"))
    }

    @Test func `a truncated recording is reported up to its last complete event`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let bytes = try sandbox.data("kick.pcapng")
        try sandbox.write(bytes.prefix(bytes.count * 3 / 4 + 1), "cut.pcapng")
        let made = try sandbox.imrepl("report", "cut.pcapng", "--note", "it crashed")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.errors.contains("closing record missing"))
        let verified = try sandbox.imrepl("verify", "imbug-cut.pcapng")
        #expect(verified.status == 0, "\(verified.errors)")
        #expect(verified.output.hasPrefix("imbug-cut.pcapng: verified"))
        #expect(
            try sandbox.imrepl("show", "imbug-cut.pcapng").lines.filter { !$0.hasPrefix("# ") }
                == (try sandbox.imrepl("show", "cut.pcapng").lines))
        let printed = try sandbox.imrepl("report", "--print", "imbug-cut.pcapng")
        #expect(printed.output.contains("- complete: no: closing record missing, "))
    }

    @Test func `a truncated or changed report is reported as such`() throws {
        let sandbox = try Sandbox()
        _ = try makeReport(sandbox, "--note", "phone was kicked")
        let (plain, report) = (try sandbox.data("kick.pcapng"), try sandbox.data("imbug-kick.pcapng"))
        try sandbox.write(report.dropLast(50), "cut.pcapng")
        let cut = try sandbox.imrepl("verify", "cut.pcapng")
        #expect(cut.status == 0)
        #expect(cut.errors.contains("attachment truncated"))
        for offset in [plain.count + 40, report.count - 2000, report.count - 1] {
            var changed = report
            changed[offset] ^= 0x20
            try sandbox.write(changed, "changed.pcapng")
            for command in [["verify"], ["show"], ["replay", "-c", "goto end"], ["report", "--print"], ["report"]] {
                let result = try sandbox.imrepl([command[0], "changed.pcapng"] + command.dropFirst())
                #expect(result.status == 5, "\(command) \(offset)")
                #expect(result.errors.contains("in an attachment: "), "\(result.errors)")
            }
        }
        #expect(try !sandbox.files().contains("imbug-changed.pcapng"))
    }

    @Test func `a file that is not a recording gives no report`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        try sandbox.write("no recording", "junk.pcapng")
        var damaged = try sandbox.data("kick.pcapng")
        damaged[damaged.count / 2] ^= 0x55
        try sandbox.write(damaged, "damaged.pcapng")
        for file in ["junk.pcapng", "nothing.pcapng", "damaged.pcapng"] {
            let result = try sandbox.imrepl("report", file, "-o", "out.pcapng")
            #expect(result.status == 5, "\(file)")
            #expect(result.errorLines.count == 1, "\(result.errors)")
            #expect(result.errors.contains(file))
            #expect(try !sandbox.files().contains("out.pcapng"))
        }
        let printed = try sandbox.imrepl("report", "--print", "kick.pcapng")
        #expect(printed.status == 1)
        #expect(
            printed.errorLines == [
                "imrepl: 'kick.pcapng' is a recording, not a report; 'imrepl report kick.pcapng' creates a report"
            ])
    }

    @Test func `a file is replaced only on request, and the recording never`() throws {
        let sandbox = try Sandbox()
        _ = try makeReport(sandbox)
        let before = try sandbox.data("kick.pcapng")
        let again = try sandbox.imrepl("report", "kick.pcapng")
        #expect(again.status == 3)
        #expect(again.errors.contains("--force replaces it"))
        let overwriting = try sandbox.imrepl("report", "kick.pcapng", "-o", "./kick.pcapng", "--force")
        #expect(overwriting.status == 2)
        #expect(try sandbox.data("kick.pcapng") == before)
        #expect(try sandbox.imrepl("report", "kick.pcapng", "-o", "no/such/folder.pcapng").status == 3)
        for (options, says) in [
            (["--note-file", "nothing.txt"], "there is no note 'nothing.txt'"),
            (["--note", String(repeating: "n", count: 70_000)], "longer than 64 KiB"),
            (["--note", "a", "--note-file", "b"], "cannot both be given"),
            (["--print", "--force"], "takes no other options"),
            (["-o", ""], "-o needs a file"),
        ] {
            let result = try sandbox.imrepl(["report", "kick.pcapng", "--force"] + options)
            #expect(result.status == 2, "\(options.map { $0.prefix(20) })")
            #expect(result.errors.contains(says), "\(result.errors)")
        }
        try sandbox.write(Data([0x66, 0xFF, 0xFE]), "binary.txt")
        let binary = try sandbox.imrepl("report", "kick.pcapng", "--note-file", "binary.txt", "--force")
        #expect(binary.status == 2)
        #expect(binary.errors.contains("is not text"))
    }

    @Test func `Wireshark's programs read it without a warning`() throws {
        let sandbox = try Sandbox()
        _ = try makeReport(sandbox, "--note", "phone was kicked")
        func events(_ name: String) throws -> [String] {
            let result = try sandbox.tool(
                "tshark", "-n", "-r", name, "-T", "fields", "-e", "frame.number", "-e", "frame.comment")
            #expect(result.status == 0)
            #expect(result.errorLines.filter { !$0.hasPrefix("Running as user") } == [])
            return result.lines
        }
        #expect(try events("imbug-kick.pcapng") == events("kick.pcapng"))
        let info = try sandbox.tool("capinfos", "-c", "-M", "imbug-kick.pcapng")
        #expect(info.status == 0)
        #expect(info.errorLines.filter { !$0.hasPrefix("Running as user") } == [])
        let count = try SessionReader(path: sandbox.file("kick.pcapng")).eventCount
        #expect(info.lines.contains { $0.hasPrefix("Number of packets:") && $0.hasSuffix(" \(count)") })
    }
}
