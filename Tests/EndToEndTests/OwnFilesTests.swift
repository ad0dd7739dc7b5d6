import Foundation
import TestSupport
import Testing

/// The program's output files replace only files of their kind, and can be renamed and deleted.
@Suite(.onOwnThreads) struct OwnFilesTests {
    private let scenario = ["--world", "simulated", "-c", "login alice", "-c", "expect state online within 5s"]

    @Test func `a recording replaces only a session, and only with --force`() throws {
        let sandbox = try Sandbox()
        try sandbox.write("my thesis\n", "thesis.txt")
        for options in [[], ["--force"]] {
            let refused = try sandbox.imrepl(["--record", "thesis.txt"] + options + scenario)
            #expect(refused.status == 3)
            #expect(refused.output == "")
            #expect(refused.errors.contains(options.isEmpty ? "--force" : "is not a session"), "\(refused.errors)")
        }
        #expect(try String(decoding: sandbox.data("thesis.txt"), as: UTF8.self) == "my thesis\n")
        #expect(try sandbox.imrepl(["--record", "a.pcapng"] + scenario).status == 0)
        let first = try sandbox.data("a.pcapng")
        let again = try sandbox.imrepl(["--record", "a.pcapng", "--seed", "7"] + scenario)
        #expect(again.status == 3)
        #expect(try sandbox.data("a.pcapng") == first)
        #expect(try sandbox.imrepl(["--record", "a.pcapng", "--seed", "7", "--force"] + scenario).status == 0)
        #expect(try sandbox.data("a.pcapng") != first)
        #expect(try sandbox.imrepl("verify", "a.pcapng").status == 0)
        // Every command that writes a file has this option.
        #expect(try sandbox.imrepl("export", "a.pcapng", "--as", "md", "-o", "a.md").status == 0)
        #expect(try sandbox.imrepl("export", "a.pcapng", "--as", "md", "-o", "a.md").status == 3)
        #expect(try sandbox.imrepl("export", "a.pcapng", "--as", "md", "-o", "a.md", "--force").status == 0)
    }

    @Test func `rec start has the same restrictions`() throws {
        let sandbox = try Sandbox()
        try sandbox.write("my thesis\n", "thesis.txt")
        let start = ["--world", "simulated", "--no-record", "-c", "client new phone", "-c"]
        for line in ["rec start thesis.txt", "rec start thesis.txt --force"] {
            #expect(try sandbox.imrepl(start + [line]).status == 1)
        }
        #expect(try String(decoding: sandbox.data("thesis.txt"), as: UTF8.self) == "my thesis\n")
        #expect(try sandbox.imrepl(start + ["rec start a.pcapng"]).status == 0)
        let refused = try sandbox.imrepl(start + ["rec start a.pcapng"])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("--force"))
        #expect(try sandbox.imrepl(start + ["rec start a.pcapng --force"]).status == 0)
    }

    @Test func `a recording without events is deleted`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.imrepl("--world", "simulated", "-c", "help login").status == 0)
        #expect(try sandbox.imrepl("--world", "live", input: Data("help login\n".utf8)).status == 0)
        #expect(try sandbox.recordings() == [])
        #expect(try sandbox.imrepl(scenario).status == 0)
        let kept = try sandbox.recordings()
        #expect(kept.count == 1)
        // A recording without events is kept if the user gave its name. `last` never selects it.
        let named = try #require(kept.first).replacing(".pcapng", with: "-later.pcapng")
        let namedRun = try sandbox.imrepl("--record", named, "--world", "simulated", "-c", "status")
        #expect(namedRun.status == 0, "\(namedRun.errors)")
        #expect(try sandbox.recordings().count == 2)
        #expect(try sandbox.imrepl("show", "last").output.contains("user=alice"))
    }

    @Test func `sessions are renamed and deleted in the terminal and at the prompt`() throws {
        let sandbox = try Sandbox()
        try FileManager.default.createDirectory(atPath: sandbox.file("sessions"), withIntermediateDirectories: true)
        for name in ["a", "b", "c"] {
            #expect(try sandbox.imrepl(["--record", "sessions/\(name).pcapng"] + scenario).status == 0)
        }
        let renamed = try sandbox.imrepl("sessions", "rename", "a", "lift")
        #expect(renamed.lines == ["renamed sessions/a.pcapng to sessions/lift.pcapng"])
        for wrong in ["b", "../x", "", "last"] {
            #expect(try sandbox.imrepl("sessions", "rename", "lift", wrong).status != 0, "\(wrong)")
        }
        let prompt = try sandbox.imrepl("--no-record", "-c", "sessions rename b bee", "-c", "sessions delete c")
        #expect(prompt.status == 0, "\(prompt.errors)")
        #expect(try sandbox.imrepl("sessions", "delete", "nothing").status == 5)
        try sandbox.write("#! imrepl script 1\n", "sessions/a.imr")
        #expect(try sandbox.imrepl("sessions", "delete", "sessions/a.imr").status == 2)
        #expect(
            try sandbox.files(below: "sessions") == ["sessions/a.imr", "sessions/bee.pcapng", "sessions/lift.pcapng"])
        #expect(try sandbox.imrepl("sessions", "delete", "bee", "lift").status == 0)
        #expect(try sandbox.recordings() == [])
    }

    // MARK: The end by a signal

    @Test(arguments: [SIGHUP, SIGINT, SIGQUIT, SIGTERM])
    func `a shell that is ended by a signal closes its recording`(number: Int32) throws {
        let sandbox = try Sandbox()
        for world in ["live", "simulated"] {
            let file = "\(world)-\(number).pcapng"
            try sandbox.write(
                """
                import subprocess, sys, time
                shell = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
                shell.stdin.write("login alice\\nquery state\\necho ready\\n")
                shell.stdin.flush()
                while "ready" not in shell.stdout.readline(): pass
                shell.send_signal(\(number))
                shell.stdout.read()
                sys.exit(0 if shell.wait() == \(128 + number) else "exit code %d" % shell.returncode)
                """, "driver.py")
            let result = try sandbox.run(
                "/usr/bin/env",
                ["python3", "driver.py", try Program.imrepl(), "--world", world, "--record", file])
            #expect(result.status == 0, "\(result.errors)")
            let verified = try sandbox.imrepl("verify", file)
            #expect(verified.status == 0)
            // The program reports no missing closing record.
            #expect(verified.errors == "", "\(world)")
        }
    }

    @Test func `a closed output ends the session properly`() throws {
        let sandbox = try Sandbox()
        let binary = try Program.imrepl()
        let script = "login alice\nquery state\n" + String(repeating: "echo more\n", count: 2000)
        try sandbox.write(script, "lines")
        let result = try sandbox.run(
            "/bin/bash",
            ["-c", "'\(binary)' --world live --record a.pcapng < lines | head -n 1; echo ${PIPESTATUS[0]}"])
        #expect(result.lines.last == "141", "\(result.output)")
        #expect(result.errors == "")
        #expect(try sandbox.imrepl("verify", "a.pcapng").errors == "")
    }

    @Test func `text output goes only to its own stream, also after that is closed`() throws {
        let sandbox = try Sandbox()
        let binary = try Program.imrepl()
        let result = try sandbox.run(
            "/bin/sh",
            [
                "-c",
                "'\(binary)' --world simulated --record a.pcapng -c 'login alice' -c 'query state' 0<&- >&- 2>&-",
            ])
        #expect(result.status == 0)
        #expect(try sandbox.imrepl("verify", "a.pcapng").status == 0)
    }
}
