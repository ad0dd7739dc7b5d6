import Foundation
import TestSupport
import Testing

/// Conveniences of the prompt.
@Suite(.onOwnThreads) struct ComfortTests {
    private static func shell(
        _ arguments: [String], rows: Int = 50, prompt: String, environment: [String: String] = [:]
    ) throws -> Terminal {
        let program = try Program.imrepl()
        let unset = ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"].flatMap { ["-u", $0] }
        let terminal = try Terminal(
            ["env"] + unset + ["sh", "-c", "cd && exec \"$@\"", "sh", program] + arguments, columns: 100, rows: rows,
            environment: environment)
        try terminal.wait { $0.current.hasPrefix(prompt) }
        return terminal
    }

    @Test func `only output that does not fit the screen goes through the pager`() throws {
        // This pager marks each line of its output, and ends by itself.
        let terminal = try Self.shell(
            ["--no-record"], rows: 20, prompt: "nim>", environment: ["PAGER": "sed 's/^/paged: /'"])
        try terminal.enter("help login")
        try terminal.wait { screen in screen.current == "nim>" && screen.rows.contains { $0.contains("--token-file") } }
        #expect(try terminal.scrollback().contains { $0.hasPrefix("paged: ") })
        try terminal.enter("clear")
        try terminal.wait { $0.current == "nim>" && $0.row == 0 }
        try terminal.enter("echo short")
        try terminal.wait(forLast: ["nim> echo short", "short", "nim>"])
        try terminal.enter("set pager=off")
        try terminal.wait { $0.current == "nim>" && $0.rows.contains("nim> set pager=off") }
        try terminal.enter("clear")
        try terminal.wait { $0.current == "nim>" && $0.row == 0 }
        try terminal.enter("help login")
        try terminal.wait { screen in screen.current == "nim>" && screen.rows.contains { $0.contains("--token-file") } }
        #expect(try terminal.screen().rows.allSatisfy { !$0.hasPrefix("paged: ") })
    }

    @Test func `many messages do not open the pager for a short answer`() throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(in: sandbox, ["--profile", "nim"])
        let lines = """
            "$0" load --connect "$1" --clients 10 --rate 1500 --seconds 8 >/dev/null 2>&1 &
            exec "$0" --connect "$1" --no-record
            """
        let terminal = try Terminal(
            ["sh", "-c", lines, try Program.imrepl(), server.url], columns: 100, rows: 12,
            environment: ["PAGER": "sed 's/^/paged: /'"])
        try terminal.wait { $0.current == "nim>" }
        try terminal.enter("client new phone --platform ios")
        try terminal.wait { $0.current == "phone(logged-out)>" }
        let log = terminal.folder + "/bytes"
        try terminal.record(into: log)
        try terminal.enter("login load-0")
        try terminal.wait(for: "didUpdateRecentSession")
        for _ in 0..<3 { try terminal.enter("query state") }
        try terminal.enter("quit")
        _ = try terminal.waitForExit()
        let printed = String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
        #expect(printed.contains("state=online  user=load-0"))
        #expect(!printed.contains("paged: "))
    }

    @Test func `history shows the requested number of lines, and no secret`() throws {
        let terminal = try Self.shell(["--no-record"], prompt: "nim>")
        for line in ["echo one", "login alice --tokn s3cr3t", "echo two"] {
            try terminal.enter(line)
            try terminal.wait { $0.current == "nim>" && $0.rows.contains("nim> \(line)") }
        }
        #expect(try terminal.screen().rows.contains { $0.hasSuffix("login alice --tokn ***") })
        try terminal.enter("clear")
        try terminal.wait { $0.current == "nim>" && $0.row == 0 }
        try terminal.enter("history 4")
        try terminal.wait(forLast: ["nim> history 4", "echo one", "echo two", "clear", "history 4", "nim>"])
    }

    @Test func `enter repeats the last step of a replay`() throws {
        let sandbox = try Sandbox()
        let recording = try sandbox.recordKick("a.pcapng")
        let terminal = try Self.shell(["replay", recording], prompt: "replay 0/")
        try terminal.enter("step 2")
        try terminal.wait { $0.current.hasPrefix("replay 2/") }
        try terminal.enter("print phone.state")
        try terminal.wait { $0.current.hasPrefix("replay 2/") }
        try terminal.enter("")
        try terminal.wait { $0.current.hasPrefix("replay 4/") }
        try terminal.enter("history 1")
        try terminal.wait { $0.current.hasPrefix("replay 4/") && $0.rows.contains { $0.hasSuffix("  history 1") } }
    }

    @Test func `a wait in real time shows its progress`() throws {
        let sandbox = try Sandbox()
        let script = try sandbox.write(Scenario.head + "client new phone\nwait 60s\n", "a.imr")
        let terminal = try Terminal([try Program.imrepl(), "run", script, "--world", "live", "--no-record"])
        try terminal.wait { $0.rows.contains("in real time this takes at least 1m; --world simulated does not wait") }
        try terminal.wait { $0.rows.contains { $0.hasSuffix("s left; ^C stops") } }
    }

    @Test func `a late answer shows a hint`() throws {
        let terminal = try Self.shell(["--no-record", "--world", "simulated"], prompt: "nim>")
        try terminal.enter("login alice")
        try terminal.wait { $0.current.hasPrefix("phone(online)>") }
        try terminal.enter("send zed hi")
        try terminal.wait(for: "there is no account 'zed': 'server account add zed' or a login creates it")
    }

    @Test func `the operator's prompt shows events above it`() throws {
        let terminal = try Self.shell(
            ["serve", "--listen", "127.0.0.1:0", "--profile", "nim"], prompt: "serve nim>")
        let line = try #require(try terminal.scrollback().first { $0.hasPrefix("serving ") })
        let url = try #require(line.split(separator: " ").first { $0.contains("://") }).dropLast()
        try terminal.type("server ki")
        let sandbox = try Sandbox()
        let client = try sandbox.imrepl(
            "--connect", String(url), "--no-record", "-c", "login alice", "-c", "query state")
        #expect(client.status == 0)
        try terminal.wait(for: "presence alice")
        try terminal.wait { $0.current == "serve nim> server ki" }
        try terminal.type("ck nobody")
        try terminal.press("Enter")
        try terminal.wait { $0.current == "serve nim>" }
        try terminal.enter("help")
        try terminal.wait { screen in
            screen.current == "serve nim>" && screen.rows.contains { $0.hasPrefix("Run clients in another shell") }
        }
        #expect(try terminal.screen().rows.allSatisfy { !$0.contains("autologin") })
        try terminal.enter("quit")
        #expect(try terminal.waitForExit() == 0)
    }
}
