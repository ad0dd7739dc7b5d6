import Foundation
import TestSupport
import Testing

/// Tests of the program's start: which world it uses, and its errors for invalid options.
@Suite(.onOwnThreads) struct StartTests {
    @Test func `run uses virtual time unless live is requested`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Scenario.login + "wait 2h\nstatus\n", "a.imr")
        let run = try sandbox.imrepl("run", "a.imr", "--no-record")
        #expect(run.status == 0)
        #expect(run.output.contains("simulated world"), "\(run.output)")
        #expect(run.errors == "")
        // A live run prints how long it takes at least. The script has no login, because a login might fail on a busy
        // computer at a thousand times the speed of the clock.
        try sandbox.write("#! imrepl script 1\n# profile: nim\n\nclient new phone\nwait 2h\nstatus\n", "slow.imr")
        let live = try sandbox.imrepl("run", "slow.imr", "--no-record", "--time-scale", "1000")
        #expect(live.output.contains("live world"))
        #expect(live.errorLines == ["in real time this takes at least 8s; --world simulated does not wait"])
        try sandbox.write("#! imrepl script 1\n# profile: nim\n# world: live\n\nstatus\n", "b.imr")
        #expect(try sandbox.imrepl("run", "b.imr", "--no-record").output.contains("live world"))
    }

    @Test(
        arguments: [
            (["--watchdog", "5"], "a duration needs a unit: 5s, 5ms or 5m"),
            (["-c", "wait 5"], "a duration needs a unit: 5s, 5ms or 5m"),
            (["-c", "wait soon"], "for example 250ms, 5s, 2m or 1h"),
            (["serve", "--listen", "127.0.0.1:80000"], "a port is from 0 to 65535"),
            (["--time-scale", "0"], "a number from 0.001 to 1000"),
            (["export", "last", "html"], "did you mean 'imrepl export last --as html'?"),
            (["export", "last"], "--as html"),
        ] as [([String], String)])
    func `an invalid value is reported`(arguments: [String], hint: String) throws {
        let sandbox = try Sandbox()
        let result = try sandbox.imrepl(arguments)
        #expect(result.status == 2)
        #expect(result.errors.contains(hint), "\(result.errors)")
    }

    @Test(arguments: [
        "--help", "-c version", "serve --listen 127.0.0.1:0", "verify a.pcapng", "--world live --no-record -c status",
    ])
    func `too few file descriptors are reported at the start`(_ line: String) throws {
        let sandbox = try Sandbox()
        let program = try Program.imrepl()
        for count in 5...12 {
            let result = try sandbox.run("/bin/bash", ["-c", "ulimit -n \(count); exec '\(program)' \(line)"])
            #expect(result.status == 3, "\(count)")
            #expect(
                result.errorLines == [
                    "imrepl: this process may open only \(count) files, but it needs at least 32 (ulimit -n)"
                ])
        }
    }

    @Test func `'use' with the present profile keeps the clients`() throws {
        let sandbox = try Sandbox()
        let kept = try sandbox.imrepl(
            "--world", "simulated", "--no-record", "-c", "login alice", "-c", "use nim", "-c", "query state")
        #expect(kept.lines.last?.hasPrefix("state=online") == true, "\(kept.output)")
        let restarted = try sandbox.imrepl(
            "--world", "simulated", "--no-record", "-c", "login alice", "-c", "use nim --restart", "-c", "client list")
        #expect(restarted.lines.last?.hasPrefix("no client yet") == true)
    }

    // MARK: Policy

    @Test func `the policy is listed, and each choice is explained`() throws {
        let sandbox = try Sandbox()
        let start = ["--world", "simulated", "--no-record", "-c", "server policy exclusion=single", "-c"]
        let all = try sandbox.imrepl(start + ["server policy"])
        #expect(all.status == 0)
        #expect(all.lines.contains { $0.hasPrefix("exclusion ") && $0.hasSuffix("single  (nim: mobile-desktop)") })
        #expect(all.lines.contains("    stored messages of an offline user"))
        let one = try sandbox.imrepl(start + ["server policy exclusion"])
        #expect(one.lines.contains { $0.hasPrefix("  dual ") && $0.hasSuffix("one browser and one other device") })
        #expect(one.lines.count < all.lines.count)
        let wrong = try sandbox.imrepl(start + ["server policy taken-place=x"])
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("it fails and ends no login"), "\(wrong.errors)")
    }

    // MARK: The operator

    /// The beginning of a Python script: a server with two applications, and functions to command and read it.
    private static let operatedServer = """
        import subprocess, sys
        server = subprocess.Popen([sys.argv[1], "serve", "--listen", "127.0.0.1:0", "--profile", "nim,zim"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
        def until(text):
            lines = []
            while True:
                line = server.stdout.readline()
                if not line: sys.exit("no '%s' in %s" % (text, lines))
                lines.append(line.rstrip())
                if text in line: return lines
        def say(line):
            server.stdin.write(line + "\\n")
            server.stdin.flush()
        url = until("serving ")[-1].split(" on ")[1].split(";")[0]
        """

    @Test func `an operator commands a running server through a pipe`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(
            """
            \(Self.operatedServer)
            say("server kick alice")
            until("select an application")
            say("use nim")
            until("nim:")
            say("login alice")
            until("has no clients")
            client = subprocess.Popen([sys.argv[1], "--connect", url, "--no-record", "--json"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
            client.stdin.write("login alice\\nquery state\\n")
            client.stdin.flush()
            until("presence alice")
            say("status")
            until("nim: 1 account")
            say("server kick alice")
            while "onKick" not in client.stdout.readline(): pass
            say("server account ban alice")
            say("server policy exclusion=single")
            say("server policy exclusion")
            until("single  (nim: mobile-desktop)")
            client.stdin.write("logout\\nlogin alice\\nquery state\\n")
            client.stdin.close()
            told = client.stdout.read()
            assert '"state":"online"' not in told.split("logout", 1)[1], told
            say("quit 9")
            server.stdout.read()
            assert server.wait() == 9, server.returncode
            """, "driver.py")
        let result = try sandbox.run("/usr/bin/env", ["python3", "driver.py", try Program.imrepl()])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func `without a selected application, a setting applies to all of them`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(
            """
            \(Self.operatedServer)
            say("set events=off")
            for profile in ["nim", "zim"]:
                say("use " + profile)
                say("set")
                shown = until("events=")[-1]
                assert shown == "events=off", shown
                subprocess.run([sys.argv[1], "--connect", url, "--profile", profile, "--no-record",
                    "-c", "client new phone --platform ios", "-c", "login alice",
                    "-c", "expect state online within 10s"], stdout=subprocess.DEVNULL, check=True)
                say("status")
                lines = until(profile + ": 1 account")
                assert not any("presence alice" in line for line in lines), lines
            say("quit")
            server.stdout.read()
            """, "driver.py")
        let result = try sandbox.run("/usr/bin/env", ["python3", "driver.py", try Program.imrepl()])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func `a server continues when its input ends`() throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(in: sandbox)
        let client = try sandbox.imrepl(
            "--connect", server.url, "--no-record", "-c", "login alice", "-c", "query state")
        #expect(client.lines.contains { $0.hasPrefix("state=online") }, "\(client.output)\(client.errors)")
        server.program.signal(SIGTERM)
        #expect(try server.program.end() == 128 + SIGTERM)
    }

    @Test func `the simulated world reports that it does not store data in a folder`() throws {
        let sandbox = try Sandbox()
        try sandbox.write("#! imrepl script 1\nclient new phone --platform ios\nlogin alice\nwait 1s\n", "a.imr")
        let note = "note: the simulated world stores nothing"
        let simulated = try sandbox.imrepl("run", "a.imr", "--data", "kept", "--no-record")
        #expect(simulated.status == 0, "\(simulated.errors)")
        #expect(simulated.errorLines.count { $0.hasPrefix(note) && $0.contains("'kept'") } == 1, "\(simulated.errors)")
        #expect(try sandbox.files(below: "").allSatisfy { !$0.hasPrefix("kept/") })
        let live = try sandbox.imrepl("run", "a.imr", "--world", "live", "--data", "kept", "--no-record")
        #expect(live.status == 0, "\(live.errors)")
        #expect(!live.errors.contains(note))
        let without = try sandbox.imrepl("run", "a.imr", "--no-record")
        #expect(!without.errors.contains(note))
    }
}
