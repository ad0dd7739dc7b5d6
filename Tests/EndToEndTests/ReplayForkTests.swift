import Foundation
import TestSupport
import Testing

/// Tests of continuing from an event of a recording, manually or with one change.
@Suite(.onOwnThreads) struct ReplayForkTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("sessions").path
    private static let missedKick = "\(folder)/common/s-08-kicked-while-reconnecting.pcapng"
    private static let kickWhileDead = "\(folder)/common/c-07-kick-while-the-app-was-dead.pcapng"
    private static let kickArrives = "node == phone and dir == in and type == kicked"

    private func replay(
        _ commands: [String], of file: String = missedKick, in sandbox: Sandbox, status: Int32 = 0
    ) throws -> Program.Result {
        let result = try sandbox.imrepl(["replay", file] + commands.flatMap { ["-c", $0] })
        #expect(result.status == status, "\(result.output)\(result.errors)")
        #expect(!result.outputBytes.contains(0x1B))
        return result
    }

    @Test func `without the network's return the phone is never kicked`() throws {
        let kicked =
            "+9.120s phone state reconnecting → kicked: remote-login (Kick); callback connectionStateChanged "
            + "state=AgoraRtmConnectionStateAborted(5) reason=AgoraRtmConnectionChangeReasonRemoteLogin(8)"
        let result = try replay(["mute 71"], in: Sandbox())
        #expect(
            result.lines == [
                "without: #71   +9.080s     phone   net up", "phone:", "  - \(kicked)",
                "  - +9.120s phone note kicked=other-login by=pad-ec67", "pad: no states or callbacks",
                "different outcome, first at phone:", "  was: \(kicked)", "  is:  nothing more",
                "at the end: phone kicked → reconnecting, pad online",
                "limit reached at +1929.120s, 30m after the scenario's end, and not stable: phone is reconnecting",
            ])
    }

    @Test func `the scenario without the other login, with another reason, and later`() throws {
        let result = try replay(
            ["goto 56", "mute", "edit 79 reason=server", "delay 77 20s", "goto 56", "mute 71"], in: Sandbox())
        let ends = result.lines.filter { $0.hasPrefix("at the end: ") }
        #expect(
            ends == [
                "at the end: phone kicked → online, pad online → logged-out", "at the end: phone kicked, pad online",
                "at the end: phone kicked, pad online", "at the end: phone kicked → reconnecting, pad online",
            ])
        #expect(result.lines.contains { $0.hasPrefix("  is: ") && $0.hasSuffix("BannedByServer(7)") })
        #expect(result.lines.contains { $0.hasPrefix("20s later: #77 ") })
        #expect(result.lines.contains("same outcome: 2 states and callbacks, at different times"))
        #expect(result.lines.last { $0.hasPrefix("stable: ") } == "stable: nothing changes for 3m after +129.120s")
        // In the answer to 'edit', the line with the old value precedes the line with the new value.
        let edit = result.lines.drop { !$0.hasPrefix("with reason=server: #79 ") }
        let old = try #require(edit.firstIndex { $0.hasPrefix("  - ") && $0.hasSuffix("other-login by=pad-ec67") })
        let new = try #require(edit.firstIndex { $0.hasPrefix("  + ") && $0.contains("note kicked=server") })
        #expect(old < new)
    }

    @Test func `long differences are shortened, and --all shows every line`() throws {
        let sandbox = try Sandbox()
        let arrival = try sandbox.event(where: Self.kickArrives, in: Self.kickWhileDead)
        let short = try replay(["mute \(arrival)"], of: Self.kickWhileDead, in: sandbox)
        #expect(short.lines.contains { $0.hasSuffix("more; --all lists them") })
        let long = try replay(["mute \(arrival) --all"], of: Self.kickWhileDead, in: sandbox)
        #expect(!long.output.contains("--all"))
        #expect(long.lines.count > short.lines.count)
        #expect(long.lines.last == short.lines.last)
    }

    @Test func `the result of a change can be recorded, with its origin`() throws {
        let sandbox = try Sandbox()
        let arrival = try sandbox.event(where: Self.kickArrives, in: Self.kickWhileDead)
        let result = try replay(["mute \(arrival) --record m.pcapng"], of: Self.kickWhileDead, in: sandbox)
        #expect(result.lines.last == "recorded m.pcapng")
        #expect(try sandbox.imrepl("verify", "m.pcapng").status == 0)
        let shown = try sandbox.imrepl("sessions", "show", "m.pcapng").lines.map {
            $0.split(separator: " ", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(shown.contains(["fork-of", URL(filePath: Self.kickWhileDead).lastPathComponent]))
        #expect(shown.contains(["fork-event", "\(arrival)"]))
        #expect(shown.contains(["fork-change", "mute"]))
        // The new recording begins like the original, and continues without the muted event.
        let (one, two) = (try show(Self.kickWhileDead, sandbox), try show("m.pcapng", sandbox))
        // In the original the kick was lost. In the new recording it is muted at its arrival, so only the marks differ.
        func unmarked(_ lines: ArraySlice<String>) -> [String] {
            lines.map { $0.prefix { $0 != "✗" }.trimmingCharacters(in: .whitespaces) }
        }
        #expect(unmarked(one[2..<arrival - 1]) == unmarked(two[2..<arrival - 1]))
        #expect(one[arrival - 1].contains("← kicked"))
        #expect(!two[arrival - 1].contains("← kicked"))
        // The new recording can be changed in turn.
        let again = try replay(
            ["edit 22 status=account-banned --record m2.pcapng"], of: "m.pcapng", in: sandbox, status: 1)
        #expect(again.errorLines.count == 2)
        #expect(!FileManager.default.fileExists(atPath: sandbox.file("m2.pcapng")))
    }

    private func show(_ file: String, _ sandbox: Sandbox) throws -> [String] {
        try sandbox.imrepl("show", file).lines
    }

    @Test func `no file is overwritten, including the one that is read`() throws {
        let sandbox = try Sandbox()
        let original = try Data(contentsOf: URL(fileURLWithPath: Self.missedKick))
        try sandbox.write(original, "a.pcapng")
        try sandbox.write("mine", "notes.txt")
        for command in ["mute 71", "edit 79 reason=server", "delay 77 1s", "fork 71"] {
            for file in ["a.pcapng", "notes.txt"] {
                let result = try replay(["\(command) --record \(file)"], of: "a.pcapng", in: sandbox, status: 1)
                #expect(
                    result.errorLines.last
                        == "'\(file)' already exists and is not overwritten; give --record another name")
            }
        }
        #expect(try sandbox.data("a.pcapng") == original)
        #expect(try sandbox.data("notes.txt") == Data("mine".utf8))
        let nowhere = try replay(["mute 71 --record no/such/folder.pcapng"], in: sandbox, status: 1)
        #expect(nowhere.errors.contains("cannot record into 'no/such/folder.pcapng'"))
    }

    @Test(arguments: [
        ("mute x", "'x' is not an event number"), ("mute #71", "'#71' begins a comment"),
        ("why #79 ", "write the number without its sign: 79"), ("mute 71 72", "unexpected argument '72'"),
        ("mute 71 --record", "--record takes a file"), ("mute 71 --rec a", "did you mean '--record'?"),
        ("edit 79", "give an event number and FIELD=VALUE"),
        ("edit 79 reason", "give an event number and FIELD=VALUE"),
        ("edit 79 =x", "give an event number and FIELD=VALUE"),
        ("edit reason=server", "give an event number and FIELD=VALUE"),
        ("delay 79", "give an event number and a delay"),
        ("delay 79 5", "'5' is not a duration"), ("delay 79 soon", "'soon' is not a duration"),
        ("delay 79 -5s", "invalid delay '-5s'"),
        ("delay 79 0s", "invalid delay '0s'"), ("fork 71 72", "unexpected argument '72'"),
        ("fork nowhere", "'nowhere' is not a position"),
    ])
    func `an invalid line is reported before anything runs`(line: String, message: String) throws {
        let result = try replay(["goto 10", line], in: Sandbox(), status: 2)
        #expect(result.output == "")
        #expect(result.errors.contains("-c:2:") && result.errors.contains(message), "\(result.errors)")
    }

    @Test(arguments: [
        ("mute", "there is no event here; give an event number: mute 41"),
        ("mute 9999", "there is no event 9999; the last one is 696"),
        ("edit 9999 reason=server", "there is no event 9999; the last one is 696"),
        ("delay 9999 1s", "there is no event 9999; the last one is 696"),
        ("fork 9999", "there is no event 9999; the last one is 696"),
        ("mute 1", "#1 is not part of the scenario"),
        ("edit 79 reason=tired", "reason cannot be 'tired': other-login, server, other-device, banned"),
        ("edit 79 by=pad", "'by' of a kicked cannot be changed; use one of: reason, epoch"),
        ("delay 78 1s", "#78 is an effect of server after the input #77; it arrives at #79: change that event"),
    ])
    func `an impossible change gives a one-line error`(line: String, message: String) throws {
        let result = try replay([line], in: Sandbox(), status: 1)
        #expect(result.output == "")
        #expect(result.errorLines.count == 2 && result.errorLines.last?.hasPrefix(message) == true, "\(result.errors)")
    }

    @Test func `a damaged recording cannot be forked; a truncated one can, up to its last complete event`() throws {
        let sandbox = try Sandbox()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: Self.missedKick))
        try sandbox.write(bytes.prefix(bytes.count / 2), "torn.pcapng")
        bytes[bytes.count / 2] ^= 0xFF
        try sandbox.write(bytes, "damaged.pcapng")
        for command in ["mute 71", "edit 79 reason=server", "delay 77 1s", "fork 71"] {
            let damaged = try replay([command], of: "damaged.pcapng", in: sandbox, status: 5)
            #expect(damaged.output == "" && damaged.errors.hasPrefix("imrepl: damaged.pcapng: damaged at event "))
            #expect(damaged.errorLines.count == 1)
            let torn = try replay([command], of: "torn.pcapng", in: sandbox)
            #expect(torn.output.contains("phone"))
        }
        let kept = try replay(["mute 71 --record kept.pcapng"], of: "torn.pcapng", in: sandbox)
        #expect(kept.lines.contains("at the end: phone kicked → reconnecting, pad online"), "\(kept.lines)")
        #expect(try sandbox.imrepl("verify", "kept.pcapng").status == 0)
        let beyond = try replay(["mute 690"], of: "torn.pcapng", in: sandbox, status: 1)
        #expect(beyond.errors.contains("there is no event 690; the last one is "))
    }

    // MARK: Continuing manually

    @Test func `a fork in a script takes the shell's commands and returns to the same position`() throws {
        let sandbox = try Sandbox()
        let lines = [
            "goto 55", "fork", "status", "@pad login bob", "@pad expect state online within 5s", "wait 1m30s",
            "sessions", "end", "step", "fork mark:none", "quit",
        ]
        let result = try replay(lines.dropLast(2), in: sandbox)
        #expect(result.lines[1] == "fork after #55: phone reconnecting, pad logged-out; 'quit' returns here")
        #expect(result.lines.contains { $0.contains("pad     state connecting → online") })
        #expect(result.lines.contains { $0.hasPrefix("no recording in ") })
        #expect(result.lines.dropLast().last == "back at #55 of the recording")
        #expect(result.lines.last?.hasPrefix("#56 ") == true)
        let piped = try sandbox.imrepl(
            ["replay", Self.missedKick], input: Data(lines.dropLast(2).joined(separator: "\n").utf8))
        #expect(piped.status == 0 && piped.output == result.output, "\(piped.errors)")
        // The last fork ends with the script. A failed command in the fork gives the exit code 1.
        let open = try replay(["fork 55", "wait 1s"], in: sandbox)
        #expect(open.lines.last == "back at #0 of the recording")
        let failed = try replay(["fork 55", "expect state online within 1s", "end", "list"], in: sandbox, status: 1)
        #expect(failed.errors.contains("-c:2:1: expect state online within 1s"), "\(failed.errors)")
        #expect(failed.lines.last == "back at #0 of the recording")
    }

    @Test func `the lines of a fork are checked before anything runs`() throws {
        let sandbox = try Sandbox()
        for (lines, position) in [
            (["fork 55", "loginn bob", "end"], "-c:2:1"), (["fork 55", "rcontinue kick"], "-c:2:1"),
            (["fork 55", "end", "login bob"], "-c:3:1"), (["fork 55", "login bob", "quit", "wait 1s"], "-c:4:1"),
        ] {
            let result = try replay(lines, in: sandbox, status: 2)
            #expect(result.output == "" && result.errors.contains("imrepl: \(position): unknown command"), "\(lines)")
        }
        let marked = try replay(["fork mark:none"], in: sandbox, status: 1)
        #expect(marked.errors.contains("this recording has no marks"))
    }

    @Test func `a fork can be recorded, and its recording contains the earlier events`() throws {
        let sandbox = try Sandbox()
        let result = try replay(
            [
                "fork 55 --record f.pcapng", "net up", "expect state online within 20s", "rec mark here", "end",
                "goto 5",
            ],
            in: sandbox)
        #expect(result.lines.contains("recorded f.pcapng"))
        #expect(try sandbox.imrepl("verify", "f.pcapng").status == 0)
        let (one, two) = (try show(Self.missedKick, sandbox), try show("f.pcapng", sandbox))
        #expect(one[2..<55] == two[2..<55])
        let info = try sandbox.imrepl("sessions", "show", "f.pcapng").output
        #expect(info.contains("fork-event 55") && !info.contains("fork-change"), "\(info)")
        // The recording of a fork can be stepped through and forked like any recording.
        let afterFork = try replay(["goto mark:here", "rnext", "fork", "status"], of: "f.pcapng", in: sandbox)
        #expect(afterFork.output.contains("state reconnecting → online"))
        #expect(afterFork.output.contains("phone: online"), "\(afterFork.output)")
    }

    @Test func `a fork before the first client has no client`() throws {
        let result = try replay(
            ["fork", "client new tablet --platform ios", "login carol", "expect state online within 5s"], in: Sandbox())
        #expect(result.lines.first == "fork after #0: no clients yet; 'quit' returns here")
    }

    @Test func `the prompt of a fork shows the position, and control D returns to it`() throws {
        let unset = ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"].flatMap { ["-u", $0] }
        let terminal = try Terminal(
            ["env"] + unset + ["sh", "-c", "cd && exec \"$@\"", "sh", try Program.imrepl(), "replay", Self.missedKick],
            columns: 150, rows: 60)
        let prompt = "replay 55/696 t=+9.040s phone>"
        try terminal.wait { $0.current == "replay 0/696 t=+0.000s>" }
        try terminal.enter("goto 55")
        try terminal.wait { $0.current == prompt }
        try terminal.enter("fork --record f.pcapng")
        try terminal.wait { $0.current.hasPrefix("fork@55 phone(reconnecting)>") }
        // The prompt of a fork has the shell's completion, and shows its events.
        try terminal.type("net u")
        try terminal.press("Tab")
        try terminal.wait { $0.current.hasPrefix("fork@55 phone(reconnecting)> net up") }
        try terminal.press("Enter")
        try terminal.wait { $0.current.hasPrefix("fork@55 phone(online)>") }
        try terminal.wait(for: "state reconnecting → online")
        try terminal.enter("net down")
        try terminal.enter("wait 10s")
        try terminal.wait { $0.current.hasPrefix("fork@55 phone(reconnecting)>") }
        try terminal.enter("login")
        try terminal.wait { $0.current.hasPrefix("fork@55 phone(reconnecting)>") }
        try terminal.enter("rcontinue kick")
        try terminal.wait(for: "unknown command 'rcontinue'")
        try terminal.press("C-d")
        try terminal.wait { $0.current == prompt }
        try terminal.wait(for: "recorded f.pcapng")
        try terminal.wait(for: "back at #55 of the recording")
        // A second fork, which a command ends.
        try terminal.enter("fork 79")
        try terminal.wait { $0.current.hasPrefix("fork@79 phone(kicked)>") }
        try terminal.enter("quit")
        try terminal.wait { $0.current == prompt }
        try terminal.enter("step")
        try terminal.wait { $0.current == "replay 56/696 t=+9.040s pad>" }
        try terminal.press("C-d")
        #expect(try terminal.waitForExit() == 0)
    }

    // MARK: Recordings of real links

    @Test func `a recording of real connections can be forked`() throws {
        let sandbox = try Sandbox()
        let recorded = try sandbox.imrepl(
            "--world", "live", "--time-scale", "20", "--record", "live.pcapng", "-c",
            "client new phone --platform ios", "-c", "login alice", "-c", "expect state online within 20s", "-c",
            "client new pad --platform ios", "-c", "@pad login alice", "-c", "@pad expect state online within 20s",
            "-c",
            "@phone expect state kicked within 20s")
        #expect(recorded.status == 0, "\(recorded.errors)")
        let kick = try sandbox.event(where: "node == phone and dir == in and type == kicked", in: "live.pcapng")
        let login = try sandbox.event(where: "node == pad and kind == command and command == login", in: "live.pcapng")
        let result = try replay(
            [
                "goto end", "fork \(kick - 1)", "wait 1s", "expect state kicked", "login alice",
                "expect state online within 5s",
                "end", "mute \(login) --record m.pcapng", "mute \(kick)", "edit \(kick) reason=server",
                "delay \(kick) 1h",
                "rcontinue kick", "why",
            ], of: "live.pcapng", in: sandbox)
        let ends = result.lines.filter { $0.hasPrefix("at the end: ") }
        #expect(
            ends.map { $0.prefix { $0 != "," } } == [
                // Without this frame, the phone gets the kick when it reconnects.
                "at the end: phone kicked → online", "at the end: phone kicked", "at the end: phone kicked",
                "at the end: phone kicked",
            ], "\(result.output)")
        #expect(ends.first?.hasSuffix("pad online → logged-out") == true)
        #expect(result.output.contains("after the end of the recording"))
        #expect(result.output.contains("(sent by pad)"))
        #expect(result.lines.contains { $0.contains("it ended the login of #") })
        #expect(result.lines.last?.hasPrefix("rule:  NIM-11, exclusion=") == true, "\(result.output)")
        #expect(try sandbox.imrepl("verify", "m.pcapng").status == 0)
    }

    @Test func `a recording of one side reports what is impossible with it`() throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(in: sandbox, ["--profile", "nim", "--record", "server.pcapng"])
        let recorded = try sandbox.imrepl(
            "--connect", server.url, "--record", "client.pcapng", "-c", "client new phone --platform ios", "-c",
            "login alice", "-c", "expect state online within 20s", "-c", "logout", "-c",
            "expect state logged-out within 20s")
        #expect(recorded.status == 0, "\(recorded.errors)")
        server.program.signal(SIGTERM)
        _ = try server.program.end()

        let frame = try sandbox.event(where: "kind == frame and dir == in", in: "client.pcapng")
        for command in ["fork", "fork 9", "mute \(frame)", "edit \(frame) status=ok", "delay \(frame) 1s"] {
            let result = try replay([command], of: "client.pcapng", in: sandbox, status: 1)
            let name = command.prefix { $0 != " " }
            #expect(
                result.errorLines.last
                    == "no \(name): this recording does not contain the server, so no client would get an answer"
            )
        }
        let why = try replay(["goto end", "why", "links", "state", "diff 1 20"], of: "client.pcapng", in: sandbox)
        #expect(
            why.output.contains("it came from the server, which is not in this recording: the known causes end here"))

        // The recording of the server's side of the same scenario.
        let received = try sandbox.event(where: "kind == frame and dir == in", in: "server.pcapng")
        for command in ["mute \(received)", "delay \(received) 1s", "edit \(received) user=bob"] {
            let result = try replay([command], of: "server.pcapng", in: sandbox, status: 1)
            #expect(
                result.errorLines.last
                    == "this recording contains no client, so the scenario cannot change")
        }
        let forked = try replay(
            [
                "why \(received)", "fork", "client new tablet --platform ios", "login alice",
                "expect state online within 5s",
            ],
            of: "server.pcapng", in: sandbox)
        #expect(
            forked.output.contains("it came from a client, which is not in this recording: the known causes end here"))
        let none = try replay(["goto end", "why"], of: "server.pcapng", in: sandbox, status: 1)
        #expect(none.errorLines.last?.hasSuffix("'why N' explains an event") == true)
    }

    // MARK: Hints

    @Test func `a search without a match reports where matches are, or what the recording contains`() throws {
        let sandbox = try Sandbox()
        for (lines, message) in [
            (["goto 100", "continue kick"], "no event after 100 matches 'kick'; there is one at #83, before here"),
            (["goto 10", "rcontinue kick"], "no event before 10 matches 'kick'; there is one at #83, after here"),
            (["goto 83", "rcontinue kick"], "no event before 83 matches 'kick'; the position is at one, #83"),
            (["goto 690", "next command"], "no command after event 690; there is one at #56, before here"),
            (["goto 83", "next"], "no transition after event 83; the position is at one, #83"),
        ] {
            #expect(try replay(lines, in: sandbox, status: 1).errorLines.last == message)
        }
        for line in ["continue mark", "next mark"] {
            let result = try replay(["goto 9", line], in: sandbox, status: 1)
            let text = try #require(result.errorLines.last)
            #expect(
                text.contains(", and none elsewhere; this recording has transition 6 (to connecting, online"), "\(text)"
            )
            #expect(text.contains("reconnecting, kicked), frame ") && text.contains(", command 2,"), "\(text)")
        }
    }

    @Test func `of equal held frames the first sent one arrives first`() throws {
        let sandbox = try Sandbox()
        let recorded = try sandbox.imrepl(
            "--world", "simulated", "--profile", "agora-rtm", "--record", "held.pcapng", "-c",
            "client new phone --platform ios", "-c", "login alice", "-c", "expect state online within 5s", "-c",
            "net hold heartbeat --dir out --count 2", "-c", "wait 2400ms", "-c", "net release", "-c", "wait 100ms")
        #expect(recorded.status == 0, "\(recorded.errors)")
        let sent = try sandbox.events(where: "node == phone and type == heartbeat and dir == out", in: "held.pcapng")
        let inputs = try sandbox.events(where: "node == server and type == heartbeat and dir == in", in: "held.pcapng")
        try #require(sent.count == 2 && inputs.count == 2, "\(sent) \(inputs)")
        let result = try replay(inputs.map { "why \($0)" }, of: "held.pcapng", in: sandbox)
        // Each chain of causes leads to the login that set the first timer.
        let senders = result.lines.filter { $0.contains("→ heartbeat  (sent by phone)") }.map {
            $0.split(separator: " ")[1]
        }
        #expect(senders == sent.map { "#\($0)" }, "\(result.output)")
    }
}
