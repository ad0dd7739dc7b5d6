import Foundation
import TestSupport
import Testing

/// Tests of a program that drives the shell through a pipe. It writes a line only after it has read the answer to the
/// previous line.
@Suite(.onOwnThreads) struct ConversationTests {
    /// The driving program. It writes a line, and reads the complete answer before it writes the next line.
    private static let driver = """
        import json, subprocess, sys

        shell = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        seen = []

        def say(line):
            shell.stdin.write(line + "\\n")
            shell.stdin.flush()
            answer = []
            while True:
                text = shell.stdout.readline()
                if not text:
                    sys.exit("no answer to: " + line)
                answer.append(json.loads(text))
                seen.append(answer[-1])
                if answer[-1]["type"] == "done":
                    return answer


        """

    private func drive(_ sandbox: Sandbox, _ body: String, _ arguments: [String]) throws -> Program.Result {
        try sandbox.write(Self.driver + body, "driver.py")
        return try sandbox.run(
            "/usr/bin/env", ["python3", "driver.py", try Program.imrepl()] + arguments)
    }

    /// The table that `help json` prints: the kinds of objects, and for each its members, with true for a required
    /// member.
    private func described(_ sandbox: Sandbox) throws -> [String: [String: Bool]] {
        let text = try sandbox.imrepl("help", "json")
        try #require(text.status == 0)
        var kinds: [String: [String: Bool]] = [:]
        var (kind, name) = ("", "")
        for line in text.lines {
            if line.allSatisfy({ $0.isUppercase || $0 == " " || $0 == "-" }), !line.hasPrefix(" ") {
                kind = line.lowercased()
            }
            if let row = line.wholeMatch(of: #/  ([a-z]+) +(number|text|object|list|boolean): .*/#) {
                name = String(row.1)
                kinds[kind, default: [:]][name] = true
            }
            // The table breaks long lines, so `not always` may be on two lines.
            if line.hasSuffix("not always") || line.hasSuffix(" always") && line.hasPrefix("     ") {
                kinds[kind]?[name] = false
            }
        }
        return kinds
    }

    /// Checks that each object has a kind in the table of `help json`, only members of that kind, and all required
    /// members.
    private func expectDescribed(_ lines: [String], _ sandbox: Sandbox) throws {
        let kinds = try described(sandbox)
        #expect(kinds["done"]?["line"] == true && kinds["done"]?["code"] == false)
        for line in lines {
            let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let object = try #require(parsed as? [String: Any], "\(line)")
            let members = try #require((object["type"] as? String).flatMap { kinds[$0] }, "\(line)")
            let names = Set(object.keys).subtracting(["schema", "type"])
            #expect(names.isSubset(of: members.keys), "\(line)")
            #expect(Set(members.filter(\.value).keys).isSubset(of: names), "\(line)")
            #expect(object["schema"] as? Int == 1)
        }
    }

    @Test(arguments: ["simulated", "live"])
    func `a program uses the shell with --json, reads event numbers, and continues after errors`(world: String) throws {
        let sandbox = try Sandbox()
        let body = """
            assert say("client new phone --platform ios")[-1]["status"] == "ok"
            login = say("login alice")
            assert login[-1]["command"] == "login alice"
            first, last = login[-1]["events"]
            assert any(o["type"] == "event" and first <= o["n"] <= last for o in login), login
            state = say("query state")
            rows = [o for o in state if o["type"] == "row"]
            assert rows and rows[0]["fields"]["state"] == "online", state
            wrong = say("logn bob")[-1]
            assert wrong["status"] == "unreadable" and "login" in wrong["text"], wrong
            refused = say("expect state kicked within 10ms")[-1]
            assert refused["status"] == "failed" and refused["line"] == 5, refused
            assert say("# nothing")[-1]["status"] == "ok"
            assert say("login bob --token s3cr3t")[-1]["command"] == "login bob --token ***"
            assert any("online" in o["text"] for o in say("status") if o["type"] == "text")
            shell.stdin.close()
            rest = shell.stdout.read().splitlines()
            assert json.loads(rest[-1])["type"] == "end" and json.loads(rest[-1])["status"] == 2, rest
            assert seen[0]["type"] == "begin" and seen[0]["world"] == "\(world)", seen[0]
            assert shell.wait() == 2
            for o in seen: print(json.dumps(o))
            for line in rest: print(line)
            """
        let result = try drive(sandbox, body, ["--json", "--world", world, "--record", "a.pcapng"])
        try #require(result.status == 0, "\(result.errors)")
        try expectDescribed(result.lines, sandbox)
        // Every event in the output has the same number and content in the recording.
        let shown = try sandbox.imrepl("show", "--json", "a.pcapng").lines
        let events = result.lines.compactMap { line -> [String: Any]? in
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?["type"] as? String == "event" ? object : nil
        }
        #expect(events.count > 10)
        for var event in events {
            let number = try #require(event["n"] as? Int)
            try #require(number >= 1 && number <= shown.count)
            let parsed = try JSONSerialization.jsonObject(with: Data(shown[number - 1].utf8))
            var kept = try #require(parsed as? [String: Any])
            event["type"] = nil
            // When a frame is sent, it is not yet known whether it arrives.
            kept["delivery"] = nil
            #expect(NSDictionary(dictionary: event) == NSDictionary(dictionary: kept))
        }
    }

    @Test func `lines without --json are answered as they arrive, too`() throws {
        let sandbox = try Sandbox()
        let body = """
            import subprocess, sys
            shell = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
            def until(wanted):
                while True:
                    line = shell.stdout.readline()
                    if not line: sys.exit("no " + wanted)
                    if line == wanted + "\\n": return
            for word in ["one", "two", "three"]:
                shell.stdin.write("echo " + word + "\\n")
                shell.stdin.flush()
                until(word)
            shell.stdin.write("echo a \\\\\\n  b\\nquit 7\\n")
            shell.stdin.flush()
            until("a b")
            assert shell.wait() == 7
            """
        try sandbox.write(body, "driver.py")
        let result = try sandbox.run(
            "/usr/bin/env", ["python3", "driver.py", try Program.imrepl(), "--world", "simulated"])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func `a program steps through a recording`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("a.pcapng")
        let body = """
            end = say("goto end")
            position = [o for o in end if o["type"] == "position"][0]
            assert position["n"] == position["count"], position
            kick = say("rcontinue kick")
            at = [o for o in kick if o["type"] == "position"][0]["n"]
            assert any(o["type"] == "event" and o["n"] == at for o in kick), kick
            why = say("why")
            assert [o["type"] for o in why] == ["why", "position", "done"], why
            told = why[0]
            steps = {o["n"]: o for o in told["steps"]}
            assert set(steps) == set(told["chain"] + told["decided"]) and len(steps) > 3, told
            assert steps[at]["next"] == told["chain"][1] and steps[at]["node"] == "phone", told
            assert steps[at]["kind"] == "transition" and steps[at]["t"] > 0 and "kicked" in steps[at]["text"], told
            assert told["rule"]["id"] == "NIM-11", told
            assert told["rule"]["values"] == {"exclusion": "mobile-desktop"}, told
            assert told["event"] == told["chain"][0] == at and told["cause"] in told["chain"] + told["decided"], told
            assert told["rules"][0] == "NIM-11" and told["values"] == ["exclusion=mobile-desktop"], told
            assert say("goto nowhere")[-1]["status"] == "unreadable"
            assert say("step")[-1]["status"] == "ok"
            assert [o["n"] for o in seen if o["type"] == "position"][-1] == at + 1
            assert say("quit")[-1]["status"] == "ok"
            rest = shell.stdout.read().splitlines()
            assert shell.wait() == 2
            for o in seen: print(json.dumps(o))
            for line in rest: print(line)
            """
        let result = try drive(sandbox, body, ["replay", "a.pcapng", "--json"])
        try #require(result.status == 0, "\(result.errors)")
        try expectDescribed(result.lines, sandbox)
    }

    @Test func `a question about a recording has exactly one object as its answer`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(
            """
            #! imrepl script 1
            # profile: nim
            client new phone --platform ios
            @phone login alice
            wait 2s
            @phone net half-open
            server kick alice
            wait 1s
            rec mark end
            """, "lost.imr")
        let made = try sandbox.imrepl("run", "lost.imr", "--record", "lost.pcapng")
        try #require(made.status == 0, "\(made.errors)")
        let body = """
            def only(line, kind):
                answer = say(line)
                assert [o["type"] for o in answer] == [kind, "position", "done"], answer
                assert answer[-1]["status"] == "ok", answer
                return answer[0]

            say("goto end")
            lost = only("why-not kick", "why-not")
            assert not lost["holds"] and lost["position"] > lost["frames"][0]["n"], lost
            assert lost["frames"][0]["delivery"] == "lost" and lost["frames"][0]["decisive"], lost
            assert lost["kicks"][0]["sent"] == lost["frames"][0]["n"], lost
            assert lost["rule"]["id"] == "C-7" and lost["clients"][0]["timers"][0]["at"] > 0, lost
            login = next(n for n in range(1, 20) if "> login" in say("goto %d" % n)[0].get("text", ""))
            muted = only("mute %d" % login, "what-if")
            assert muted["change"] == "mute" and muted["event"] == login and muted["outcome"] == "other", muted
            assert muted["clients"][0]["was"] == "reconnecting" and muted["clients"][0]["is"] == "logged-out", muted
            delayed = only("delay %d 100ms" % login, "what-if")
            assert delayed["delay"] == 100000000 and delayed["outcome"] == "same", delayed
            edited = only("edit %d user=bob" % login, "what-if")
            assert (edited["field"], edited["value"]) == ("user", "bob"), edited
            say("goto end")
            state = only("state phone", "state")
            assert state["state"] == "online" and state["user"] == "alice" and "machine" not in state, state
            assert isinstance(state["fields"]["phase"]["online"]["epoch"], int), state
            assert isinstance(state["fields"]["phase"]["online"]["since"], int), state
            assert state["timers"][0]["in"] > 0, state
            assert "client" in only("state phone --json", "state")["machine"]
            strips = only("timeline all", "timeline")
            assert [c["state"] for c in strips["clients"][0]["changes"]][-1] == "online", strips
            assert [m["kind"] for m in strips["marks"]] == ["fault", "mark"], strips
            assert only("help why", "help")["usage"] == "why [N]"
            assert any(c["name"] == "mute" for c in only("help", "help")["commands"])
            assert only("help NIM-4", "help")["about"] == "NIM-4"
            near = [o for o in say("goto %d" % lost["frames"][0]["n"]) + say("list 3") if o.get("delivery")]
            assert [o["delivery"] for o in near] == ["lost", "lost"], near
            shell.stdin.close()
            for o in seen: print(json.dumps(o))
            """
        let result = try drive(sandbox, body, ["replay", "lost.pcapng", "--json"])
        try #require(result.status == 0, "\(result.errors)")
        try expectDescribed(result.lines, sandbox)
    }

    @Test func `a question at the shell has exactly one object as its answer, too`() throws {
        let sandbox = try Sandbox()
        let body = """
            def only(line, kind):
                answer = say(line)
                assert [o["type"] for o in answer] == [kind, "done"], answer
                return answer[0]

            say("login alice")
            say("wait 1s")
            assert only("why", "why")["steps"][0]["kind"] == "transition"
            assert only("why-not kick", "why-not")["rule"] is None
            assert only("timeline", "timeline")["clients"][0]["changes"][-1]["state"] == "online"
            help = only("help login", "help")
            assert help["about"] == "login" and help["examples"] and "login" in help["usage"], help
            shell.stdin.close()
            for o in seen: print(json.dumps(o))
            """
        let result = try drive(sandbox, body, ["--json", "--world", "simulated", "--no-record"])
        try #require(result.status == 0, "\(result.errors)")
        try expectDescribed(result.lines, sandbox)
    }

    @Test func `a pipe ends at the first failed line, unless an option changes this`() throws {
        let sandbox = try Sandbox()
        let stopped = try sandbox.imrepl(
            "--world", "simulated", input: Data("echo one\nexpect state kicked\necho two\n".utf8))
        #expect(stopped.status == 1)
        #expect(stopped.lines.last == "one" || !stopped.lines.contains("two"))
        #expect(stopped.errorLines.first == "stdin:2:1: expect state kicked")
        let continued = try sandbox.imrepl(
            "--world", "simulated",
            input: Data("set on-error=continue\nexpect state kicked\necho two\n".utf8))
        #expect(continued.status == 1)
        #expect(continued.lines.last == "two")
    }

    // MARK: Earlier commands

    @Test(arguments: ["simulated", "live"])
    func `queries and the end of the input wait for earlier commands`(world: String) throws {
        let sandbox = try Sandbox()
        for way in 0..<2 {
            let lines = ["login alice", "query state"]
            let result =
                way == 0
                ? try sandbox.imrepl(["--world", world, "--no-record"] + lines.flatMap { ["-c", $0] })
                : try sandbox.imrepl(
                    "--world", world, "--no-record", input: Data((lines.joined(separator: "\n") + "\n").utf8))
            #expect(result.status == 0, "\(result.errors)")
            // In a live world, an event may be printed after the answer.
            #expect(result.lines.contains { $0.hasPrefix("state=online") }, "\(result.output)")
            #expect(result.errors == "")
        }
        let alone = try sandbox.imrepl("--world", world, "--no-record", "-c", "login alice")
        #expect(alone.output.contains("→ online"), "\(alone.output)")
        #expect(alone.errors == "")
    }

    @Test func `a closed output ends the program with a message`() throws {
        let sandbox = try Sandbox()
        for host in ["127.0.0.1", "localhost"] {
            // No server listens on port 1.
            let result = try sandbox.imrepl("--connect", "ws://\(host):1", "--no-record", "-c", "login alice")
            #expect(result.status == 3)
            #expect(
                result.errorLines == ["no server listens at ws://\(host):1/nim: connection refused"], "\(result.errors)"
            )
            let expecting = try sandbox.imrepl(
                "--connect", "ws://\(host):1", "--no-record", "-c", "login alice", "-c",
                "expect state online within 100ms")
            #expect(expecting.status == 1)
        }
        // A client without a server gets no callbacks.
        let idle = try sandbox.imrepl("--connect", "ws://127.0.0.1:1", "--no-record", "-c", "help login")
        #expect(idle.status == 0)
    }

    @Test func `a world that ends during a command closes its recording`() throws {
        let sandbox = try Sandbox()
        for line in ["login alice", "login alice --token x"] {
            for _ in 0..<5 {
                let result = try sandbox.imrepl("--world", "live", "--no-record", "-c", line, "-c", "quit")
                #expect(result.status == 0)
                #expect(result.errors == "", "\(result.errors)")
            }
        }
    }
}
