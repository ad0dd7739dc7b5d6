import Foundation
import TestSupport
import Testing

/// Tests of the shell's texts about events: matches, causes and errors. No text in a recording may control a terminal.
@Suite(.onOwnThreads) struct WordsTests {
    private static let sessions = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "sessions").path

    private func run(_ lines: String..., status: Int32 = 0, options: [String] = []) throws -> Program.Result {
        let result = try Sandbox().imrepl(
            ["--world", "simulated", "--no-record"] + options + lines.flatMap { ["-c", $0] })
        #expect(result.status == status, "\(result.output)\(result.errors)")
        return result
    }

    // MARK: Expectations

    @Test func `an expectation reports its match, and whether the match is from before the command`() throws {
        let lines = try run(
            "login alice", "expect state online within 5s", "app background", "expect callback onLogin step=8",
            "expect state online"
        ).lines
        let matches = lines.filter { $0.hasPrefix("matched ") }
        #expect(
            matches == [
                "matched +0.060s",
                "matched +0.060s step=NIMLoginStepSyncOK(8): it happened before 'app background'", "matched +0.060s",
            ], "\(lines)")
        #expect(lines.last == "phone has been online since then")
    }

    @Test func `with a recording the event number is printed`() throws {
        let sandbox = try Sandbox()
        let result = try sandbox.imrepl(
            "--world", "simulated", "--record", "a.pcapng", "-c", "login alice", "-c", "expect state online within 5s")
        let line = try #require(result.lines.first { $0.hasPrefix("matched #") })
        let number = line.dropFirst("matched #".count).prefix { $0.isNumber }
        let shown = try sandbox.imrepl("show", "a.pcapng", "--filter", "n == \(number)")
        #expect(shown.output.contains("syncing → online"))
    }

    // MARK: Causes

    @Test func `why works on the events so far, with and without a recording`() throws {
        let scenario = ["client new phone", "login alice", "wait 1s", "client new pad", "login alice", "wait 1s"]
        for record in [["--no-record"], ["--record", "a.pcapng"]] {
            let result = try Sandbox().imrepl(
                ["--world", "simulated"] + record + (scenario + ["@phone why"]).flatMap { ["-c", $0] })
            #expect(result.status == 0, "\(result.errors)")
            let cause = try #require(result.lines.last { $0.hasPrefix("cause: ") }, "\(result.output)")
            #expect(cause.contains("pad > login user=alice") && cause.contains("a command of the app"))
            let rule = try #require(result.lines.last { $0.hasPrefix("rule:  ") })
            #expect(rule.hasPrefix("rule:  NIM-11, exclusion=mobile-desktop: "))
        }
    }

    @Test func `why works in the live world too`() throws {
        let result = try Sandbox().imrepl(
            "--world", "live", "--record", "a.pcapng", "-c", "login alice", "-c", "expect state online within 20s",
            "-c", "why")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.lines.contains { $0.hasPrefix("cause: #") && $0.contains("phone > login user=alice") })
    }

    @Test func `why-not reports the nearest event, what is due, and the relevant policy`() throws {
        let result = try run(
            "client new phone --platform ios", "login alice", "wait 1s", "client new mac --platform macos",
            "login alice", "wait 1s", "@phone why-not kick", "why-not state == online")
        #expect(result.output.contains("no event of phone up to #"))
        #expect(result.lines.contains { $0.hasPrefix("phone is online; heartbeat at +") })
        #expect(result.lines.contains { $0.hasPrefix("rule: NIM-11, exclusion=mobile-desktop: ") })
        #expect(result.lines.contains { $0.hasPrefix("blocked: ") })
        #expect(result.lines.contains { $0.hasPrefix("it did happen: #") })
        let none = try run("login alice", "why-not knd == frame", status: 2)
        #expect(none.errors.contains("there is no field 'knd'"))
    }

    @Test func `a repeated scenario prints both times of an event that came at another time`() throws {
        let file = "\(Self.sessions)/common/s-08-kicked-while-reconnecting.pcapng"
        let result = try Sandbox().imrepl("replay", file, "-c", "delay 77 20s")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.lines.contains { $0.hasPrefix("  ~ +") && $0.contains("s → +") }, "\(result.output)")
    }

    // MARK: Refusals

    @Test(arguments: [
        ("login bob", "another user is logged in here: 'logout' first"),
        ("server kick ghost", "there is no account 'ghost'; 'server account add ghost' creates it"),
        ("server kick alicf", "there is no account 'alicf'; did you mean 'alice'?"),
        ("server kick alice tablet", "'alice' has no device 'tablet'"),
        ("server policy taken-place=x", "keep-current  it fails and ends no login"),
    ])
    func `an error contains the remedy`(line: String, says: String) throws {
        let result = try run("login alice", "wait 1s", line, status: 1)
        #expect(result.errors.contains(says), "\(result.errors)")
    }

    @Test func `words of other tools lead to our commands`() throws {
        let login = try run("login alice", status: 1, options: ["--profile", "wilddog"])
        #expect(login.errors.contains("has no login: the first 'sync' connects"))
        for (line, says) in [
            ("airplane on", "did you mean 'net down'?"), ("tell bob hi", "did you mean 'send'?"),
            ("send bob won't", "put an apostrophe in double quotes"), ("help NIM-99", "available: NIM-1 to NIM-15"),
            ("@pad @phone login x", "'@pad login x' and '@phone login x'"),
            ("net loss 120%", "from 0 to 1, or from 0% to 100%"),
        ] {
            #expect(try run(line, status: 2).errors.contains(says), "\(line)")
        }
        let log = try Sandbox().imrepl("convert", "x.log")
        #expect(log.status == 2 && log.errors.contains("imrepl import LOG"))
    }

    // MARK: Hostile texts

    /// Records a session whose title contains a character that reverses the line, and whose marks and texts contain
    /// control characters.
    private func hostile(_ sandbox: Sandbox) throws {
        try sandbox.write(
            """
            #! imrepl script 1
            # title: kick\u{202E}gnp.exe
            # profile: nim
            client new phone --device-name "my\u{2066}phone"
            login alice
            rec mark "\\u{1b}[31mred\\u{200b}"
            wait 1s
            send bob "\\u{1b}[2J\\u{1b}]0;owned\\u{7}\\u{9b}31m\\u{2028}"
            server account add "\\u{1b}c\\u{202e}bob"
            wait 1s
            """, "hostile.imr")
        let made = try sandbox.imrepl("run", "hostile.imr", "--world", "simulated", "--record", "hostile.pcapng")
        #expect(made.outputBytes.allSatisfy { $0 != 0x1B })
        try #require(FileManager.default.fileExists(atPath: sandbox.file("hostile.pcapng")), "\(made.errors)")
    }

    @Test(arguments: [
        ["show", "hostile.pcapng", "--color", "never"], ["show", "hostile.pcapng", "--json"],
        ["sessions", "show", "hostile.pcapng"], ["verify", "hostile.pcapng"],
        ["sessions", "search", "mark", "hostile.pcapng"],
        ["replay", "hostile.pcapng", "-c", "goto end", "-c", "marks", "-c", "print server", "-c", "timeline all"],
        ["show", "a\u{1B}[31mb.pcapng"], ["--\u{1B}[31mfrob"], ["\u{202E}frob"],
    ])
    func `no text of a recording or of the user controls the terminal`(arguments: [String]) throws {
        let sandbox = try Sandbox()
        try hostile(sandbox)
        let result = try sandbox.imrepl(arguments)
        for text in [result.output, result.errors] {
            let obeyed = text.unicodeScalars.filter { scalar in
                scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
                    || [0x202E, 0x2066, 0x2028, 0x200B].contains(scalar.value)
            }
            #expect(obeyed.isEmpty, "\(obeyed.map { String($0.value, radix: 16) }) in \(arguments)")
        }
        #expect(!result.output.isEmpty || !result.errors.isEmpty)
    }

    /// The only escape sequences in the output are those of the shell's own colours.
    @Test func `a terminal receives only our own colours`() throws {
        let sandbox = try Sandbox()
        try hostile(sandbox)
        let shown = try sandbox.imrepl("show", "hostile.pcapng", "--color", "always").output
        let rest = shown.replacing(/\u{1B}\[(?:0|1|2|3[1-6])m/, with: "")
        #expect(shown.contains("\u{1B}[") && !rest.unicodeScalars.contains("\u{1B}"))
        // In JSON, the text is unchanged.
        let line = try #require(try sandbox.imrepl("show", "hostile.pcapng", "--json", "--filter", "mark").lines.first)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect((object?["fields"] as? [String: String])?["text"] == "\u{1B}[31mred\u{200B}")
    }

    // MARK: Width

    @Test func `on a narrow terminal lines break at words`() throws {
        let terminal = try Terminal(
            [try Program.imrepl(), "--world", "simulated", "--no-record", "--no-rc"], columns: 44, rows: 40)
        try terminal.wait { $0.current.hasPrefix("nim> ") || $0.current == "nim>" }
        try terminal.enter("login alice")
        try terminal.wait { $0.current.hasPrefix("phone(online)>") }
        let rows = try terminal.screen().rows
        #expect(rows.allSatisfy { $0.count <= 44 })
        // The long word is complete on its own row.
        #expect(rows.contains { $0.hasSuffix("step=NIMLoginStepSyncOK(8)") }, "\(rows.joined(separator: "\n"))")
        try terminal.press("C-d")
        #expect(try terminal.waitForExit() == 0)
    }
}
