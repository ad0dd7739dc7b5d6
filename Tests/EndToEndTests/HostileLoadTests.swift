import Foundation
import TestSupport
import Testing

/// Tests of a server under bad conditions: many clients at once, clients that stop reading, full disks.
@Suite(.onOwnThreads) struct HostileLoadTests {
    @Test func `load measures all messages, and all of them arrive`() throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(in: sandbox, ["--profile", "nim"])
        let result = try sandbox.imrepl(
            "load", "--connect", server.url, "--clients", "20", "--rate", "50", "--seconds", "1", "--json")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        let summary = try #require(result.lines.last)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(summary.utf8)) as? [String: Any])
        #expect(object["kind"] as? String == "summary")
        #expect(object["sent"] as? Int == 50)
        for what in ["acknowledge", "deliver"] {
            #expect((object[what] as? [String: Any])?["count"] as? Int == 50, "\(summary)")
        }
        #expect(try sandbox.imrepl("load", "--connect", "ws://127.0.0.1:9", "--clients", "2").status == 3)
    }

    @Test func `one address gets no more connections than its limit`() throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(in: sandbox, ["--profile", "nim", "--connections-per-address", "3"])
        let result = try sandbox.imrepl(
            "load", "--connect", server.url, "--clients", "5", "--rate", "0", "--seconds", "1")
        #expect(result.status == 1, "\(result.errors)")
        #expect(result.output.contains("logged in     3 of 5"), "\(result.output)")
        #expect(result.output.contains("2 × no WebSocket: the server answered 429"), "\(result.output)")
    }

    @Test func `a client that stops reading delays neither the server nor its shutdown`() throws {
        let sandbox = try Sandbox()
        // A pipe holds 64 KiB. The test does not read it after the start of the server.
        let server = try ServerProcess(in: sandbox, ["--profile", "nim"])
        let result = try sandbox.imrepl(
            "load", "--connect", server.url, "--clients", "20", "--rate", "100", "--seconds", "2", "--size", "2000")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        server.program.signal(SIGTERM)
        try server.program.waitUnread()
        #expect(try server.program.end() == 143)
    }

    @Test func `a full disk is reported once, with the file, and ends the session`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(
            "#! imrepl script 1\nclient new phone --platform ios\nlogin alice\nexpect state online within 10s\n"
                + String(repeating: "query state\n", count: 2000), "scenario.imr")
        for world in ["simulated", "live"] {
            let result = try sandbox.tool(
                "bash", "-c",
                "ulimit -f 48; exec \(try Program.imrepl()) run scenario.imr --world \(world) --record \(world).pcapng")
            #expect(result.status == 3, "\(world): \(result.status) \(result.errors)")
            #expect(
                result.errorLines.count { $0.contains("'\(world).pcapng': cannot be written: ") } == 1,
                "\(result.errors)")
            // The recording is complete up to its end, and contains every event that was printed.
            let shown = try sandbox.imrepl("show", "\(world).pcapng")
            #expect(shown.status == 0, "\(shown.errors)")
            let last = try #require(result.lines.last { $0.hasPrefix("#") }?.split(separator: " ").first)
            #expect(shown.lines.contains { $0.hasPrefix("\(last) ") }, "\(last) was shown and is not in the file")
        }
    }

    @Test func `a server with a full disk rejects logins until there is space`() throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(in: sandbox, ["--profile", "nim", "--record", "server.pcapng"])
        let process = String(server.program.processIdentifier)
        #expect(try sandbox.tool("prlimit", "--pid", process, "--fsize=16384:").status == 0)
        let refused = try sandbox.imrepl(
            "load", "--connect", server.url, "--clients", "60", "--rate", "0", "--seconds", "1")
        #expect(refused.status != 0, "\(refused.output)")
        #expect(try sandbox.tool("prlimit", "--pid", process, "--fsize=1000000000:").status == 0)
        try server.program.line("the end of the server that could not write") { $0.contains("process ended") }
        try server.program.line("the one that continues") { $0.contains("start ") }
        let loaded = try sandbox.imrepl(
            "load", "--connect", server.url, "--clients", "10", "--rate", "10", "--seconds", "1")
        #expect(loaded.status == 0, "\(loaded.output)")
        server.program.signal(SIGTERM)
        #expect(try server.program.end() == 143)
        let errorText = server.program.errors
        #expect(errorText.contains("'server.pcapng': cannot be written: "), "\(errorText)")
        #expect(
            errorText.contains("the server rejects all connections until this can be written again"), "\(errorText)")
        #expect(errorText.contains("it can be written again: the server continues"), "\(errorText)")
        let verified = try sandbox.imrepl("verify", "server.pcapng")
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
    }
}
