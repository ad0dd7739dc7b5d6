import Foundation
import TestSupport
import Testing

/// Tests of `imrepl replay`: with options, through a pipe, from a file and at a prompt.
@Suite(.onOwnThreads) struct ReplayTests {
    /// The folder of the library's recordings.
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("sessions").path
    private static let kick = "\(folder)/common/c-05-kicked-in-every-state.pcapng"

    /// The number of the first event in the recording that matches the filter.
    private func event(_ filter: String) throws -> Int { try Sandbox().event(where: filter, in: Self.kick) }
    /// The number of the first kick, and the number of the last event.
    private func firstKick() throws -> Int { try event("kick") }
    private func count() throws -> Int { try Sandbox().imrepl("show", Self.kick).lines.count }

    private func replay(
        _ commands: [String], of file: String = kick, status: Int32 = 0
    ) throws -> Program.Result {
        let sandbox = try Sandbox()
        let result = try sandbox.imrepl(["replay", file] + commands.flatMap { ["-c", $0] })
        #expect(result.status == status, "\(result.errors)")
        #expect(!result.outputBytes.contains(0x1B))
        return result
    }

    @Test func `from the end back to a kick, and its cause`() throws {
        let kick = try firstKick()
        let kickArrival = try event("node == phone and dir == in and type == kicked")
        let sent = try event("node == server and dir == out and type == kicked")
        let kickCommand = try event("node == server and kind == command and command == kick")
        let login = try event("node == phone and kind == command and command == autologin")
        let after = try event("callback == onLogin and n > \(kick)")
        func head(_ number: Int, _ time: String) -> String {
            "#\(number)".padding(toLength: 6, withPad: " ", startingAt: 0)
                + time.padding(toLength: 12, withPad: " ", startingAt: 0)
        }
        let result = try replay(["goto \(after)", "rcontinue kick", "why"])
        #expect(
            result.lines == [
                head(after, "+101.110s") + "phone   callback onLogin step=NIMLoginStepLinking(1)",
                head(kick, "+1.110s") + "phone   state syncing → kicked: kicked-by-server (Kick)",
                "1  " + head(kick, "+1.110s") + "phone   state syncing → kicked: kicked-by-server (Kick)",
                "2  " + head(kickArrival, "+1.110s") + "phone   ← kicked reason=server epoch=2 by=- (Kick)",
                "3  " + head(sent, "+1.100s") + "server  → kicked reason=server epoch=2 by=- (Kick)  (sent by server)",
                "4  " + head(kickCommand, "+1.100s") + "server  > server kick user=alice device=*",
                "   an operator's command to the server: from outside the client",
                "it ended the login of " + head(login, "+0.060s") + "phone   > autologin user=alice credential=\"\"",
                "cause: #\(kickCommand) +1.100s server > server kick user=alice device=* "
                    + "(an operator's command to the server: from outside the client)",
                "rule:  NIM-12: onKick(reason, clientType): 1 another client, 2 the server, 3 another client's kick.",
            ])
        #expect(result.errors == "")
        let last = try replay(["goto end", "rcontinue kick"])
        #expect(last.lines.last?.hasSuffix("state reconnecting → kicked: kicked-by-server (Kick)") == true)
    }

    @Test func `the causes of a timer are the event that set it and the fault that delayed the answer`() throws {
        let result = try replay(
            ["goto 214", "why 214"], of: "\(Self.folder)/patterns/p-16-replay-gap.pcapng")
        #expect(result.output.contains("(the timer heartbeat-answer expired: heartbeat #"), "\(result.output)")
        #expect(result.lines.contains { $0.hasPrefix("cause: #162 ") && $0.contains("phone net half-open") })
    }

    @Test func `positions in every form`() throws {
        let (count, command) = (try count(), try event("kind == command and n > 6"))
        let (late, later) = (try event("t > 1.1s") - 1, try event("t > 100s") - 1)
        let online = try event("to == online")
        // `finish` goes from the transition to online to the last effect of the frame that caused the transition.
        let finished = try event("kind == stop") - 1
        let result = try replay([
            "goto 20", "step", "step 3", "rstep 2", "goto +10", "goto -5", "goto t=1.1s", "goto t=100s", "goto begin",
            "goto end", "back", "back", "forward", "next", "next command", "rnext", "finish", "rstep 1000",
        ])
        let numbers = result.lines.map { $0.prefix { $0 != " " } }
        #expect(
            numbers == [
                "#20", "#21", "#24", "#22", "#32", "#27", "#\(late)", "#\(later)", "before", "#\(count)", "before",
                "#\(later)", "before", "#6", "#\(command)", "#\(online)", "#\(finished)", "before",
            ], "\(result.output)")
    }

    @Test func `a frame that is lost or in flight is marked in every list`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(
            """
            #! imrepl script 1
            # profile: nim
            client new phone --platform ios
            login alice
            wait 2s
            net drop send --count 1
            send bob one
            wait 1s
            send bob two
            """, "lost.imr")
        let made = try sandbox.imrepl("run", "lost.imr", "--record", "lost.pcapng")
        try #require(made.status == 0, "\(made.errors)")
        let filter = "node == phone and dir == out and type == send"
        for lines in [
            try sandbox.imrepl("show", "lost.pcapng", "--filter", filter).lines,
            try sandbox.imrepl("show", "lost.pcapng").lines.filter { $0.contains("phone   → send") },
            try sandbox.imrepl("replay", "lost.pcapng", "-c", "goto end", "-c", "list 99").lines.filter {
                $0.contains("phone   → send")
            },
        ] {
            #expect(lines.map { $0.hasSuffix("text=one  ✗ lost") } == [true, false], "\(lines)")
            #expect(lines.map { $0.hasSuffix("text=two  … in flight") } == [false, true], "\(lines)")
        }
        let marked = try sandbox.imrepl("show", "lost.pcapng").lines.count { $0.contains("✗ lost") }
        #expect(marked == 1)
        let objects = try sandbox.imrepl("show", "lost.pcapng", "--json", "--filter", filter).lines
        #expect(objects.map { $0.contains("\"delivery\":\"lost\"") } == [true, false])
        #expect(objects.map { $0.contains("\"delivery\":\"in-flight\"") } == [false, true])
        // The comments in the file are the texts that were printed during the session, without marks.
        let comments = try sandbox.data("lost.pcapng")
        #expect(!String(decoding: comments, as: UTF8.self).contains("✗"))
    }

    @Test func `a step beyond either end reports the end`() throws {
        let (count, lines) = (try count(), try replay(["rstep", "goto end", "step"]).lines)
        #expect(
            lines.first == "at the beginning" && lines.last == "at the end: \(count) events" && lines.count == 3)
    }

    @Test func `stops are counted, listed and deleted; a watch stops in both directions at the same events`() throws {
        let result = try replay([
            "break kick --count 2", "break list", "continue", "break list", "break delete 1", "watch phone.state",
            "goto begin", "continue", "continue", "rcontinue", "watch list", "watch delete 2", "continue",
        ])
        let lines = result.lines
        #expect(lines[0] == "break 1: kick --count 2")
        #expect(lines[1] == "1  kick --count 2  hit 0 times")
        #expect(lines[2] == "break 1: kick")
        #expect(lines[3].contains("→ kicked"))
        #expect(lines[4] == "1  kick --count 2  hit 2 times")
        #expect(lines[5].hasPrefix("watch 2: phone.state = "))
        #expect(lines[7] == "watch 2: phone.state: - → logged-out")
        #expect(lines[8].hasPrefix("#4 "))
        #expect(lines[9] == "watch 2: phone.state: logged-out → connecting")
        #expect(lines[10].hasPrefix("#5 "))
        #expect(lines[11] == "watch 2: phone.state: - → logged-out")
        #expect(lines[12].hasPrefix("#4 "))
        #expect(lines[13] == "2  phone.state = logged-out")
        #expect(try lines[14].hasPrefix("#\(count()) "), "\(lines)")
    }

    @Test func `a filter can be used as a stop once`() throws {
        let result = try replay([
            "continue node == phone and kind == link", "continue (kind == transition and to == kicked)",
            "! continue kind == mark",
        ])
        let kick = try firstKick()
        #expect(result.lines.map { $0.prefix { $0 != " " } } == ["#8", "#\(kick)"])
    }

    @Test func `the commands that show a position`() throws {
        let kick = try firstKick()
        let result = try replay([
            "goto \(kick)", "state", "print phone.phase.kicked.reason", "print phone.state",
            "diff \(kick - 1) \(kick + 1)", "diff \(kick - 9) \(kick)",
            "timers phone", "links", "list 1", "rnext frame", "frame --hex", "state --json", "marks",
        ])
        for part in [
            "state      kicked", "device     phone-5cc1 ios", "\nphone.state: syncing → kicked\n",
            "no difference between event \(kick - 1) and event \(kick + 1)", "phone: none", "\n→ #\(kick) ",
            "0000  4a 02", "type=kicked-ack",
            "{\"client\":{\"_0\":{",
        ] {
            #expect(result.output.contains(part), "\(part) in \(result.output)")
        }
        #expect(result.lines.last == "no marks")
    }

    @Test func `a recording without its server reports where its information ends`() throws {
        let sandbox = try Sandbox()
        // A client that reaches no server.
        let recorded = try sandbox.imrepl(
            "--world", "live", "--connect", "ws://127.0.0.1:1", "--record", "alone.pcapng", "-c", "client new phone",
            "-c", "login alice", "-c", "expect state connecting")
        #expect(recorded.status == 0, "\(recorded.errors)")
        let result = try sandbox.imrepl("replay", "alone.pcapng", "-c", "goto end", "-c", "why", "-c", "links")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("> login user=alice"), "\(result.output)")
    }

    @Test(arguments: [
        ("stepp", "unknown command 'stepp'", "did you mean 'step'?"),
        ("end", "unknown command 'end'", "did you mean 'goto end'?"),
        ("login alice", "unknown command 'login'", "'fork' continues from here interactively"),
        ("goto kick", "'kick' is not a position", "'rcontinue kick' to the previous one"),
        ("goto nowhere", "'nowhere' is not a position", "usage: goto"), ("step x", "invalid number 'x'", "usage: step"),
        ("break knd == frame", "knd", "kind"), ("state --jsn", "has no option '--jsn'", "--json"),
        ("@phone state", "a recording takes no client commands", "'state phone'"), ("next frames", "no kind", "frame"),
        ("back 1", "this command takes no arguments", "usage: back"), ("step 'x", "never closed", "close the quote"),
    ])
    func `an invalid line is reported before anything runs`(
        line: String, message: String, hint: String
    ) throws {
        let result = try replay(["goto 10", line], status: 2)
        #expect(result.output == "")
        #expect(result.errors.contains("-c:2:"), "\(result.errors)")
        #expect(result.errors.contains(message) && result.errors.contains(hint), "\(result.errors)")
    }

    @Test(arguments: [
        ("goto 9999", "there is no event 9999; the last one is "),
        ("back", "there is no earlier position in the history"),
        ("print phone.fase", "phone is not running"), ("state tablet", "there is no node 'tablet'"),
        ("goto mark:x", "this recording has no marks"), ("frame", "there is no event here"),
        ("why", "no transition and no failed command at or before event 0"),
        ("break delete 3", "there is no breakpoint 3"),
    ])
    func `a failed command ends a script with 1`(line: String, message: String) throws {
        let result = try replay([line, "goto end"], status: 1)
        #expect(result.output == "")
        #expect(result.errors.contains("-c:1:1: \(line)\n\(message)"), "\(result.errors)")
    }

    @Test func `files that are not recordings end with 5 and the error of show`() throws {
        let sandbox = try Sandbox()
        try sandbox.write("GET / HTTP/1.1\r\n", "text.pcapng")
        try sandbox.write("", "empty.pcapng")
        let whole = try Data(contentsOf: URL(fileURLWithPath: Self.kick))
        try sandbox.write(whole + whole, "merged.pcapng")
        try sandbox.write(whole.prefix(40), "head.pcapng")
        for name in ["text.pcapng", "empty.pcapng", "merged.pcapng", "head.pcapng", "missing.pcapng"] {
            let shown = try sandbox.imrepl("show", name)
            let result = try sandbox.imrepl("replay", name, "-c", "goto end")
            #expect(result.status == 5, "\(name): \(result.output) \(result.errors)")
            // `show` reads a text file as a log.
            if name != "text.pcapng" { #expect(result.errors == shown.errors, "\(name)") }
        }
    }

    @Test func `a damaged byte is reported when it is reached`() throws {
        let sandbox = try Sandbox()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: Self.kick))
        bytes[bytes.count / 2] ^= 0xFF
        try sandbox.write(bytes, "d.pcapng")
        let result = try sandbox.imrepl("replay", "d.pcapng", "-c", "continue kind == mark")
        #expect(result.status == 5, "\(result.output) \(result.errors)")
        #expect(result.errors.hasPrefix("imrepl: d.pcapng: damaged at event"), "\(result.errors)")
    }

    @Test func `a truncated recording can be stepped through up to its last complete event`() throws {
        let sandbox = try Sandbox()
        let whole = try Data(contentsOf: URL(fileURLWithPath: Self.kick))
        try sandbox.write(whole.prefix(whole.count * 2 / 3), "torn.pcapng")
        let result = try sandbox.imrepl(
            "replay", "torn.pcapng", "-c", "goto end", "-c", "rcontinue kick", "-c", "state")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("(Kick)"))
    }

    @Test func `commands come through a pipe and from a file`() throws {
        let sandbox = try Sandbox()
        let walk = "# to the kick\ngoto 100\nrcontinue kick\nquit\nstep\n"
        try sandbox.write("#! imrepl script 1\n" + walk, "walk.imr")
        let piped = try sandbox.imrepl("replay", Self.kick, input: Data(walk.utf8))
        let read = try sandbox.imrepl("replay", Self.kick, "--script", "walk.imr")
        #expect(piped.status == 0 && read.status == 0, "\(read.errors)")
        #expect(piped.lines.count == 2 && piped.output == read.output)
        #expect(try sandbox.imrepl("replay", Self.kick, "--script", "missing.imr").status == 2)
    }

    @Test func `help names the next commands`() throws {
        let result = try replay(["help", "help rcontinue", "help goto", "! help gto", "help c-5", "step", "history"])
        let parts = [
            "A first example:", "MOVING", "STOPPING", "a client is kicked", "short: rc", "mark:NAME",
            "A kick ends the login",
        ]
        for part in parts {
            #expect(result.output.contains(part), "\(part)")
        }
        #expect(result.lines.suffix(2) == ["6  step", "7  history"])
        let sandbox = try Sandbox()
        #expect(try sandbox.imrepl("replay", "--help").output.contains("EXAMPLES"))
    }

    // MARK: A terminal

    @Test func `the prompt shows the position, TAB completes, control C drops a line and control D leaves`()
        throws
    {
        let program = try Program.imrepl()
        let unset = ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"].flatMap { ["-u", $0] }
        let (kick, count) = (try firstKick(), try count())
        let prompt = "replay \(kick)/\(count) t=+1.110s phone>"
        let terminal = try Terminal(
            ["env"] + unset + ["sh", "-c", "cd && exec \"$@\"", "sh", program, "replay", Self.kick], columns: 110,
            rows: 50)
        try terminal.wait { $0.current == "replay 0/\(count) t=+0.000s>" }
        try terminal.enter("goto \(kick)")
        try terminal.wait { $0.current == prompt }
        for (typed, completed) in [
            ("rcon", "rcontinue"), ("print phone.pha", "print phone.phase"), ("goto e", "goto end"),
            ("state ser", "state server"), ("continue ki", "continue ki"), ("next trans", "next transition"),
        ] {
            try terminal.type(typed)
            try terminal.press("Tab")
            try terminal.wait("\(completed)") { $0.current.hasPrefix("\(prompt) \(completed)") }
            try terminal.press("C-e", "C-u")
            try terminal.wait { $0.current == prompt }
        }
        try terminal.type("rcontinue ")
        try terminal.press("C-c")
        try terminal.wait { $0.current == prompt }
        // A command that has to replay the machines after a backward step prints how long the replay took.
        try terminal.enter("state")
        try terminal.wait { $0.rows.contains { $0.hasPrefix("node ") } && $0.current.hasSuffix("phone>") }
        #expect(try terminal.screen().rows.allSatisfy { !$0.contains("replayed ") })
        try terminal.enter("rstep")
        try terminal.wait { $0.current == "replay \(kick - 1)/\(count) t=+1.110s phone>" }
        try terminal.enter("print phone.phase")
        try terminal.wait { $0.rows.contains { $0.hasPrefix("replayed ") && $0.hasSuffix(" ms") } }
        try terminal.press("C-d")
        #expect(try terminal.waitForExit() == 0)
    }
}
