import Foundation
import TestSupport
import Testing

/// Tests of `import` of a log, and of the session commands for logs.
@Suite(.onOwnThreads) struct LogTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write(
            """
            2026-11-20 09:31:02.391 [IM] start process
            2026-11-20 09:31:02.400 [IM] call login user=alice token=abcdefghijkl
            2026-11-20 09:31:02.500 [IM] onLogin step=8
            2026-11-20 09:31:09.500 [UI] render list 12 rows
            2026-11-20 09:31:10.500 [IM] onKick reason=1 clientType=2

            """, "app.log")
    }

    @Test func `an imported log works with show, search, timeline and verify`() throws {
        let made = try sandbox.imrepl("import", "app.log", "-o", "app.pcapng")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains("4 of 5 lines understood, 1 not; 1 process; profile nim"))
        let shown = try sandbox.imrepl("show", "app.pcapng")
        #expect(shown.output.contains("callback onKick reason=1 clientType=2 (line 5, 2026-11-20 09:31:10.500)"))
        #expect(!shown.output.contains("abcdefghijkl"))
        #expect(try sandbox.imrepl("show", "app.pcapng", "--filter", "callback == onKick").lines.count == 1)
        #expect(try sandbox.imrepl("show", "app.pcapng", "--filter", "kind == line").lines.count == 1)
        let found = try sandbox.imrepl("sessions", "search", "callback == onKick and in-state == online", "app.pcapng")
        #expect(found.status == 0)
        let verified = try sandbox.imrepl("verify", "app.pcapng")
        #expect(verified.status == 0)
        #expect(verified.output.contains("observed in a log, cannot be verified"))
        let shownLog = try sandbox.imrepl("show", "app.log")
        #expect(shownLog.output.contains("callback onKick reason=1"))
    }

    @Test func `the list of recordings counts no event of a log as a fault`() throws {
        let folder = "\(sandbox.path)/sessions"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let made = try sandbox.imrepl("import", "app.log", "-o", "\(folder)/app.pcapng")
        #expect(made.status == 0, "\(made.errors)")
        let lines = try sandbox.imrepl("sessions").lines
        try #require(lines.count == 2)
        let cells = lines[1].split(separator: " ")
        #expect(cells.first == "app" && cells[3] == "nim" && cells[7] == "0", "\(lines[1])")
    }

    @Test func `a command for sessions reports that a text file may be a log`() throws {
        let result = try sandbox.imrepl("verify", "app.log")
        #expect(result.status == 5)
        #expect(result.errors.contains("imrepl import app.log"))
    }

    @Test(arguments: [
        ["verify"], ["diff", "app.log"], ["replay"], ["export", "--as", "html"], ["report"], ["redact"],
        ["sessions", "show"],
        ["sessions", "search", "kind == frame"],
    ])
    func `each command for sessions suggests import for a text file`(_ words: [String]) throws {
        let result = try sandbox.imrepl(words + ["app.log"])
        #expect(result.status != 0)
        #expect((result.errors + result.output).contains("imrepl import app.log -o FILE.pcapng"), "\(result)")
    }

    @Test func `check names the forbidden line, and its exit code is 1 then`() throws {
        let allowed = try sandbox.imrepl("check", "app.log")
        #expect(allowed.status == 0, "\(allowed.output)")
        try sandbox.write(
            """
            2026-11-20 09:31:02.391 [IM] start process
            2026-11-20 09:31:02.400 [IM] call login user=alice
            2026-11-20 09:31:10.500 [IM] onKick reason=1 clientType=2
            2026-11-20 09:31:11.500 [IM] onKick reason=1 clientType=2

            """, "twice.log")
        let found = try sandbox.imrepl("check", "twice.log")
        #expect(found.status == 1)
        #expect(found.output.contains("line 4: a login ends again after the kick in line 3"))
        #expect(found.output.contains("C-5: "))
        let rows = try sandbox.imrepl("check", "twice.log", "--json")
        #expect(rows.output.contains(#""line":4"#))
    }

    @Test func `colours of a terminal leave nothing in a value`() throws {
        try sandbox.write(
            "2026-11-20 09:31:02.391 [IM] \u{1B}[1;33monLogin step=8\u{1B}[0m\u{1B}[K\n"
                + "2026-11-20 09:31:10.500 [IM] onKick reason=\u{1B}]8;;x\u{1B}\\1\u{1B}(B clientType=2\u{9B}0m\n",
            "colours.log")
        let shown = try sandbox.imrepl("show", "colours.log").output
        #expect(shown.contains("callback onLogin step=8 (line 1, "), "\(shown)")
        #expect(shown.contains("callback onKick reason=1 clientType=2 (line 2, "), "\(shown)")
    }

    @Test func `a log without times is an order of events`() throws {
        try sandbox.write(
            """
            call login user=alice
            onLogin step=8
            onKick reason=1 clientType=2

            """, "order.log")
        let made = try sandbox.imrepl("import", "order.log", "-o", "order.pcapng")
        #expect(made.output.contains("no line has a time, so only the order of the lines is known"), "\(made)")
        let shown = try sandbox.imrepl("show", "order.pcapng").output
        #expect(shown.contains("callback onKick reason=1 clientType=2 (line 3)\n"), "\(shown)")
        let checked = try sandbox.imrepl("check", "order.log")
        #expect(checked.status == 0 && checked.output.contains("no line has a time"), "\(checked)")
        #expect(!(try sandbox.imrepl("check", "app.log").output.contains("no line has a time")))
    }

    @Test func `a hostile file gives a result or one line of error, in time`() throws {
        let head = "2026-11-20 09:31:02.391 [IM] onLogin step=1\n"
        for (name, text, status) in [
            ("long.log", head + String(repeating: "token=\"", count: 1_500_000), 0),
            ("no-end.log", String(repeating: "x", count: 10 << 20), 5),
            ("escape.log", head + String(repeating: "\u{1B}]0;x\u{7}\u{1B}[2J\n", count: 2000), 0),
            ("empty.log", "", 5),
        ] as [(String, String, Int32)] {
            try sandbox.write(text, name)
            let start = ContinuousClock.now
            let result = try sandbox.imrepl("import", name, "-o", "\(name).pcapng")
            #expect(result.status == status, "\(name): \(result.errors)")
            #expect(ContinuousClock.now - start < .seconds(10), "\(name)")
            #expect(!result.output.contains("\u{1B}") && result.errors.split(separator: "\n").count <= 1)
        }
    }

    @Test func `follow prints the events of the standard input`() throws {
        let input = Data("2026-11-20 09:31:02.391 [IM] onLogin step=1\nnoise\n".utf8)
        let result = try sandbox.imrepl(["follow", "-"], input: input)
        #expect(result.status == 0)
        #expect(result.output.contains("callback onLogin step=1 (line 1, 2026-11-20 09:31:02.391)\n"))
        #expect(result.output.contains("# 2 lines, 1 not understood"))
    }
}
