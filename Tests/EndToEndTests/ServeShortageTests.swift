import Foundation
import TestSupport
import Testing

/// Tests of a server's warnings about access, and of its behaviour when the operating system refuses resources.
@Suite(.onOwnThreads) struct ServeShortageTests {
    private func start(_ sandbox: Sandbox, listening address: String, _ arguments: String...) throws -> RunningProgram {
        let server = try RunningProgram(
            try Program.imrepl(), ["serve", "--listen", address, "--profile", "nim"] + arguments, in: sandbox)
        // The server prints its warnings before the line with the command for clients.
        try server.line("its last words before it serves") { $0.hasPrefix("clients, in other terminals: ") }
        return server
    }

    @Test func `a server that listens outside of loopback reports that everyone is admitted, unless it is strict`()
        throws
    {
        let sandbox = try Sandbox()
        let warning = "warning: anyone who reaches 0.0.0.0 can log in without a credential"
        #expect(try start(sandbox, listening: "0.0.0.0:0").errors.contains(warning))
        #expect(try !start(sandbox, listening: "0.0.0.0:0", "--strict").errors.contains("warning"))
        #expect(try !start(sandbox, listening: "127.0.0.1:0").errors.contains("warning"))
    }

    @Test func `a strict server admits nobody without a credential`() throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(in: sandbox, ["--profile", "nim", "--strict"])
        let refused = try sandbox.imrepl(
            "--connect", server.url, "--no-record", "-c", "client new phone --platform ios", "-c", "login alice", "-c",
            "expect result login code=302 within 10s")
        #expect(refused.status == 0, "\(refused.output)\(refused.errors)")
        #expect(!refused.output.contains("online"))
    }

    /// A server without free file descriptors reports this and waits. It must not use a busy loop.
    @Test func `a server without file descriptors reports it, waits, and then accepts the waiting clients`() throws {
        let sandbox = try Sandbox()
        let server = try RunningProgram(
            "/bin/bash",
            ["-c", "ulimit -n 80; exec \"$0\" serve --listen 127.0.0.1:0 --profile nim 2>&1", try Program.imrepl()],
            in: sandbox)
        let line = try server.line("its address") { $0.hasPrefix("serving ") }
        let url = try #require(line.split(separator: " ").first { $0.contains("://") }.map(String.init))
            .trimmingCharacters(in: [";"])
        // The operating system completes the TCP connections that the server does not accept.
        var clients = try (0..<100).map { _ in try RawClient(url, upgrades: false) }
        let shortage = "warning: this process is out of file descriptors (ulimit -n); new connections wait"
        try server.line("its word") { $0 == shortage }
        // Waiting connections do not affect accepted ones: the first client gets its answer.
        #expect(try clients[0].request("/nim").hasPrefix("HTTP/1.1 101 "))
        let before = try processorTicks(of: server.processIdentifier)
        clients.removeAll()
        // The server waits for a second before it tries again. A busy loop would use most of this second.
        _ = try RawClient(url)
        #expect(try processorTicks(of: server.processIdentifier) - before < 60)
        server.signal(SIGTERM)
        #expect(try server.end() == 143)
    }

    /// The processor time that a process has used, in hundredths of a second.
    private func processorTicks(of process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The fields follow the name of the program, which is in brackets and can contain any characters.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return try #require(Int(fields[11])) + #require(Int(fields[12]))
    }

    @Test func `a server with a full disk accepts logins again when there is space`() throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(in: sandbox, ["--profile", "nim", "--data", "D"])
        let process = String(server.program.processIdentifier)
        func login(_ user: String) throws -> Int32 {
            try sandbox.imrepl(
                "--connect", server.url, "--no-record", "-c", "client new pad --platform ios", "-c", "login \(user)",
                "-c", "expect state online within 2s"
            ).status
        }
        #expect(try login("amy") == 0)
        #expect(try sandbox.tool("prlimit", "--pid", process, "--fsize=4096:").status == 0)
        #expect(try login("zoe") != 0)
        #expect(try sandbox.tool("prlimit", "--pid", process, "--fsize=1000000000:").status == 0)
        // The server must continue without a frame from a client.
        try server.program.line("the server that continues") { $0.contains("start ") }
        #expect(try login("zoe") == 0)
        server.program.signal(SIGTERM)
        #expect(try server.program.end() == 143)
        let errorText = server.program.errors
        #expect(
            errorText.contains("the server rejects all connections until this can be written again"), "\(errorText)")
        #expect(errorText.contains("it can be written again: the server continues"), "\(errorText)")
    }

    @Test func `a deleted data folder and a deleted recording are reported`() throws {
        let sandbox = try Sandbox()
        for (option, file) in [("--data", "D"), ("--record", "r.pcapng")] {
            let server = try ServerProcess(in: sandbox, ["--profile", "nim", option, file])
            try FileManager.default.removeItem(atPath: "\(sandbox.path)/\(file)")
            let login = try sandbox.imrepl(
                "--connect", server.url, "--no-record", "-c", "client new pad --platform ios", "-c", "login amy", "-c",
                "expect state online within 2s")
            #expect(login.status != 0, "\(login.output)")
            server.program.signal(SIGTERM)
            _ = try server.program.end()
            #expect(server.program.errors.contains("was deleted"), "\(server.program.errors)")
        }
    }

    @Test func `a server that continues without recording records again when there is space`() throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(
            in: sandbox, ["--profile", "nim", "--record", "server.pcapng", "--unrecorded", "go-on"])
        let process = String(server.program.processIdentifier)
        #expect(try sandbox.tool("prlimit", "--pid", process, "--fsize=16384:").status == 0)
        let unrecorded = try sandbox.imrepl(
            "load", "--connect", server.url, "--clients", "60", "--rate", "20", "--seconds", "1")
        #expect(unrecorded.status == 0, "\(unrecorded.output)\(unrecorded.errors)")
        #expect(try sandbox.tool("prlimit", "--pid", process, "--fsize=1000000000:").status == 0)
        // When the disk is full, the recording shows that the server's process ends. When the server can record again,
        // the recording shows the start of a new process with the server's state.
        try server.program.line("the end of what was recorded") { $0.contains("process ended") }
        try server.program.line("what is recorded again") { $0.contains("start ") }
        let recorded = try sandbox.imrepl(
            "--connect", server.url, "--no-record", "-c", "client new pad --platform ios", "-c", "login zoe", "-c",
            "expect state online within 10s")
        #expect(recorded.status == 0, "\(recorded.errors)")
        server.program.signal(SIGTERM)
        #expect(try server.program.end() == 143)
        let errorText = server.program.errors
        #expect(
            errorText.contains("the server continues without a recording until it can be written again"), "\(errorText)"
        )
        #expect(errorText.contains("it can be written again: the recording continues"), "\(errorText)")
        let verified = try sandbox.imrepl("verify", "server.pcapng")
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        #expect(try sandbox.imrepl("show", "server.pcapng").output.contains("presence zoe"))
    }
}
