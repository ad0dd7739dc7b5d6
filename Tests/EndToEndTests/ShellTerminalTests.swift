import Foundation
import TestSupport
import Testing

/// Tests of the shell in a terminal.
@Suite(.onOwnThreads) struct ShellTerminalTests {
    /// A shell at its first prompt, with an empty home folder.
    private static func shell(
        _ arguments: [String] = [], columns: Int = 100, prompt: String = "nim>", environment: [String: String] = [:]
    ) throws -> Terminal {
        let program = try Program.imrepl()
        // The settings of the user who runs the tests must not apply.
        let unset = ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"].flatMap { ["-u", $0] }
        let terminal = try Terminal(
            ["env"] + unset + ["sh", "-c", "cd && exec \"$@\"", "sh", program] + arguments, columns: columns, rows: 50,
            environment: environment)
        try terminal.wait { $0.current == prompt }
        return terminal
    }

    /// An interactive bash, for tests of job control and of two runs with one home folder.
    private static func systemShell() throws -> Terminal {
        let program = try Program.imrepl()
        let terminal = try Terminal(
            ["bash", "--norc", "--noprofile", "-i"], columns: 100, rows: 50,
            environment: [
                "PS1": "$ ", "IMREPL": program, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "",
            ])
        try terminal.wait { $0.current == "$" }
        try terminal.enter("cd; \"$IMREPL\"")
        try terminal.wait { $0.current == "nim>" }
        return terminal
    }

    /// Creates a client and logs in alice. The screen then shows an empty line at the prompt.
    private static func logIn(_ terminal: Terminal, until event: String = "step=NIMLoginStepSyncOK") throws {
        try terminal.enter("client new phone --platform ios")
        try terminal.wait { $0.current == "phone(logged-out)>" }
        try terminal.enter("login alice")
        try terminal.wait(for: event)
        try terminal.wait { $0.current == "phone(online)>" }
    }

    // MARK: Events

    @Test func `the events of a login are printed above the prompt`() throws {
        let terminal = try Self.shell()
        try Self.logIn(terminal)
        let printed = try terminal.scrollback()
        #expect(printed.contains { $0.hasPrefix("recording into ") }, "\(printed)")
        #expect(printed.contains { $0.hasPrefix("client phone: device phone-") })
        // No empty or incomplete prompt is printed between the events.
        #expect(printed.filter { $0.contains(")> ") }.count == 2, "\(printed)")
    }

    @Test func `retries are printed above a long line, which keeps its text and cursor`() throws {
        let terminal = try Self.shell()
        try Self.logIn(terminal)
        try terminal.enter("net down")
        try terminal.wait { $0.current == "phone(reconnecting)>" }
        // The prompt takes 21 columns, and the text 78. The next character is two columns wide, so it does not fit in
        // the row.
        let text = String(repeating: "中文", count: 19) + "长"
        let first = "phone(reconnecting)> \(text)"
        try terminal.type(text + "登录 and back")
        try terminal.wait(forLast: [first, "登录 and back"], column: 13)
        for _ in 0..<8 { try terminal.press("Left") }
        try terminal.wait(forLast: [first, "登录 and back"], column: 5)
        for retry in 2...3 {
            try terminal.wait(for: "link \(retry) failed: network-down")
            try terminal.wait(forLast: [first, "登录 and back"], column: 5)
        }
        try terminal.type("不")
        try terminal.wait(forLast: [first, "登录 不and back"], column: 7)
    }

    @Test func `heartbeats are printed above the line when everything is shown`() throws {
        let terminal = try Self.shell(["--profile", "agora-rtm"], prompt: "agora-rtm>")
        try Self.logIn(terminal, until: "result login AgoraRtmLoginErrorOk(0)")
        try terminal.enter("set events=all")
        try terminal.wait { screen in
            screen.rows.contains { $0.contains("heartbeat") } && screen.current == "phone(online)>"
        }
        try terminal.type("query 中文")
        try terminal.press("Left")
        try terminal.wait { screen in
            screen.rows.filter { $0.contains("→ heartbeat") || $0.contains("→ ping") }.count >= 2
                && screen.last(1) == ["phone(online)> query 中文"] && screen.column == 23
        }
    }

    // MARK: Keys

    @Test func `control C discards a line, stops a wait, and does not end the shell`() throws {
        let terminal = try Self.shell()
        try terminal.type("login 王小明")
        try terminal.press("C-c")
        try terminal.wait(forLast: ["nim> login 王小明^C", "nim>"], column: 5)
        try terminal.enter("wait 60s")
        try terminal.wait { $0.last(1) == ["nim> wait 60s"] && $0.column == 0 }
        try terminal.press("C-c")
        try terminal.wait { $0.current == "nim>" && $0.rows.contains { $0.hasSuffix("interrupted") } }
        try terminal.enter("set settle=3s")
        try terminal.wait(forLast: ["nim> set settle=3s", "nim>"])
    }

    /// While a line is edited, and for a short time after, control C is a key and not a signal.
    @Test func `control C directly after a line stops its command`() throws {
        let terminal = try Self.shell()
        try terminal.press("w", "a", "i", "t", "Space", "6", "0", "s", "Enter", "C-c")
        try terminal.wait { $0.current == "nim>" && $0.rows.contains { $0.hasSuffix("interrupted") } }
        try terminal.press("w", "a", "i", "t", "Space", "1", "s", "Enter", "q", "u", "e", "r")
        try terminal.wait { $0.current == "nim> quer" }
    }

    @Test(arguments: ["wait 600s", "expect callback onKick within 600s", "expect-none callback onKick for 600s"])
    func `control C ends a live wait, and the client stays online`(_ line: String) throws {
        let terminal = try Self.shell(["--world", "live"])
        try Self.logIn(terminal)
        try terminal.enter(line)
        try terminal.wait { $0.rows.contains("phone(online)> \(line)") && $0.column == 0 }
        try terminal.press("C-c")
        try terminal.wait { $0.current == "phone(online)>" && $0.rows.contains { $0.hasSuffix("interrupted") } }
        try terminal.enter("query state")
        try terminal.wait(for: "state=online")
    }

    /// Virtual time passes quickly, but a long wait has millions of events.
    @Test(arguments: ["wait 9000000000s", "set settle=9000000000s; net down"])
    func `control C ends a long simulated wait`(_ line: String) throws {
        let terminal = try Terminal(
            [try Program.imrepl(), "--world", "simulated", "--no-record"], columns: 100, rows: 50)
        try terminal.wait { $0.current.hasPrefix("nim>") }
        try terminal.enter("client new phone")
        try terminal.wait { $0.current.hasPrefix("phone(logged-out)>") }
        try terminal.enter("login alice")
        try terminal.wait { $0.current.hasPrefix("phone(online)>") }
        try terminal.enter(line)
        try terminal.wait { !$0.current.hasPrefix("phone(online)>") }
        try terminal.press("C-c")
        try terminal.wait { screen in
            screen.current.hasPrefix("phone(") && screen.rows.contains { $0.hasSuffix("interrupted") }
        }
    }

    @Test func `control D ends the shell, which prints the recording's path`() throws {
        let terminal = try Self.shell()
        try terminal.enter("client new phone")
        try terminal.wait { $0.current == "phone(logged-out)>" }
        try terminal.press("C-d")
        #expect(try terminal.waitForExit() == 0)
        let notice = try #require(try terminal.scrollback().last { $0.hasPrefix("recorded ") })
        #expect(FileManager.default.fileExists(atPath: String(notice.dropFirst("recorded ".count))), "\(notice)")
        #expect(try terminal.scrollback().contains("'imrepl replay last' steps through it"))
    }

    @Test func `control Z stops the shell and fg brings it back`() throws {
        let terminal = try Self.systemShell()
        try terminal.type("login 王小明")
        try terminal.press("Left", "C-z")
        try terminal.wait { $0.current == "$" && $0.rows.contains { $0.contains("Stopped") } }
        try terminal.enter("fg")
        try terminal.wait { $0.current == "nim> login 王小明" && $0.column == 15 }
    }

    @Test func `after a resize the whole line is shown`() throws {
        let terminal = try Self.shell()
        let text = "send bob " + String(repeating: "中文", count: 10)
        try terminal.type(text)
        try terminal.wait(forLast: ["nim> \(text)"], column: 54)
        try terminal.resize(columns: 40, rows: 24)
        try terminal.wait(
            forLast: ["nim> send bob " + String(repeating: "中文", count: 6) + "中", "文" + "中文中文中文"], column: 14)
        try terminal.resize(columns: 90, rows: 24)
        try terminal.wait(forLast: ["nim> \(text)"], column: 54)
    }

    @Test func `three pasted lines run after Enter`() throws {
        let terminal = try Self.shell()
        try terminal.paste("client new phone\nclient new pad\nset settle=1s\n")
        try terminal.wait(for: "3 lines pasted; Enter runs all, ^C drops")
        #expect(try !terminal.screen().rows.contains { $0.hasPrefix("client phone:") })
        try terminal.press("Enter")
        try terminal.wait(forLast: ["pad(logged-out)> set settle=1s", "pad(logged-out)>"])
        let rows = try terminal.screen().rows
        #expect(rows.contains("nim> client new phone") && rows.contains("phone(logged-out)> client new pad"))
    }

    // MARK: Completion and history

    @Test func `TAB completes commands, options, names and values`() throws {
        let terminal = try Self.shell()
        try Self.logIn(terminal)
        for (typed, completed) in [
            ("logo", "logout"), ("client n", "client new"), ("login alice --tok", "login alice --token"),
            ("@ph", "@phone"), ("login al", "login alice"),
            ("client new x --platform and", "client new x --platform android"), ("use agora-r", "use agora-rtm"),
            ("query acc", "query account"),
        ] {
            try terminal.type(typed)
            try terminal.press("Tab")
            try terminal.wait("\(completed) for \(typed)") { $0.current.hasPrefix("phone(online)> \(completed)") }
            try terminal.press("C-e", "C-u")
            try terminal.wait { $0.current == "phone(online)>" }
        }
    }

    @Test func `TAB lists the possible words`() throws {
        let terminal = try Self.shell()
        for (typed, listed) in [
            ("client new x --platform ", ["ios", "ipad", "android", "windows", "mini-program", "harmony"]),
            ("use ", ["nim", "agora-rtm"]), ("query ", ["state", "account", "channels"]), ("net ", ["down", "up"]),
        ] {
            try terminal.type(typed)
            try terminal.press("Tab", "Tab")
            try terminal.wait("\(listed)") { screen in
                let words = screen.rows.dropLast().suffix(12).flatMap { $0.split(separator: " ").map(String.init) }
                return words.contains(listed[0]) && Set(words).isSuperset(of: listed)
                    && screen.current.hasPrefix("nim> " + typed.dropLast())
            }
            try terminal.press("C-e", "C-u")
            try terminal.wait { $0.current == "nim>" }
        }
    }

    @Test func `history is available in the next run, without the line with a token`() throws {
        let terminal = try Self.systemShell()
        try terminal.enter("client new 手机")
        try terminal.enter("login alice --token s3cret")
        try terminal.enter("quit")
        try terminal.wait { $0.current == "$" }
        try terminal.enter("clear; \"$IMREPL\"")
        try terminal.wait { $0.current == "nim>" }
        try terminal.press("Up")
        try terminal.wait { $0.current == "nim> quit" }
        try terminal.press("Up")
        try terminal.wait { $0.current == "nim> client new 手机" }
        #expect(try !terminal.screen().rows.contains { $0.contains("s3cret") })
        let history = terminal.folder + "/home/.local/state/imrepl/history.jsonl"
        #expect(try !String(contentsOfFile: history, encoding: .utf8).contains("s3cret"))
    }

    // MARK: Appearance

    @Test func `an unknown command shows a caret and a suggestion`() throws {
        let terminal = try Self.shell()
        try terminal.enter("logn alice")
        try terminal.wait(
            forLast: [
                "1:1: unknown command 'logn'", "  logn alice", "  ^~~~", "did you mean 'login'?", "nim>",
            ])
    }

    @Test func `a dumb terminal gets no escape sequences`() throws {
        let terminal = try Self.shell(environment: ["TERM": "dumb"])
        let log = terminal.folder + "/bytes"
        try terminal.record(into: log)
        try terminal.enter("client new phone")
        try terminal.enter("login alice")
        try terminal.wait(for: "step=NIMLoginStepSyncOK")
        try terminal.enter("logn")
        try terminal.wait(for: "did you mean 'login'?")
        try terminal.press("C-d")
        #expect(try terminal.waitForExit() == 0)
        let bytes = FileManager.default.contents(atPath: log) ?? Data()
        #expect(bytes.count > 100)
        #expect(!bytes.contains(0x1B))
    }
}
