import Foundation
import TestSupport
import Testing

/// A running `imrepl serve` on a port that the operating system chose.
final class ServerProcess {
    let program: RunningProgram
    let url: String

    init(in sandbox: Sandbox, _ arguments: [String] = []) throws {
        program = try RunningProgram(
            try Program.imrepl(), ["serve", "--listen", "127.0.0.1:0"] + arguments, in: sandbox)
        let line = try program.line("its address") { $0.hasPrefix("serving ") }
        url = try #require(line.split(separator: " ").first { $0.contains("://") }.map(String.init))
            .trimmingCharacters(in: [";"])
    }
}

/// Tests with several processes: two shells, and the server between them.
@Suite(.onOwnThreads) struct ServeTests {
    @Test func `the device that logged in first is kicked, in another process`() throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(in: sandbox)
        try sandbox.write(
            Scenario.login + "echo ready\nexpect callback onKick reason=1 within 50s\nexpect state kicked\n",
            "first.imr")
        let first = try sandbox.start("run", "first.imr", "--connect", server.url, "--record", "first.pcapng")
        try first.line("the first login") { $0 == "ready" }
        let second = try sandbox.imrepl(
            "--connect", server.url, "--record", "second.pcapng", "-c", "client new pad --platform ios", "-c",
            "login alice", "-c", "expect state online within 10s")
        #expect(second.status == 0, "\(second.errors)")
        #expect(try first.end() == 0, "\(first.errors)")
        #expect(first.lines.contains { $0.contains("callback onKick reason=NIMKickReasonByClient(1)") })
        try server.program.line("the kick") { $0.contains("presence alice") && $0.hasSuffix(": kicked") }
        // Each shell recorded its own side, and each recording replays.
        let verified = try sandbox.imrepl("verify", "first.pcapng", "second.pcapng")
        #expect(verified.status == 0, "\(verified.errors)")
        #expect(verified.lines.count == 2)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a signal ends the server with the signal's code, and its recording is complete`(number: Int32) throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(in: sandbox, ["--profile", "nim", "--record", "server.pcapng"])
        let client = try sandbox.imrepl(
            "--connect", server.url, "--no-record", "-c", "client new pad --platform ios", "-c", "login alice", "-c",
            "expect state online within 10s")
        #expect(client.status == 0, "\(client.errors)")
        server.program.signal(number)
        #expect(try server.program.end() == 128 + number)
        let verified = try sandbox.imrepl("verify", "server.pcapng")
        #expect(verified.status == 0, "\(verified.errors)")
        #expect(verified.errors == "")
        #expect(try sandbox.imrepl("show", "server.pcapng").output.contains("presence alice"))
    }

    @Test func `a certificate that no trusted one signed is refused`() throws {
        let sandbox = try Sandbox()
        let made = try sandbox.tool(
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
            "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
        try #require(made.status == 0, "\(made.errors)")
        let server = try ServerProcess(in: sandbox, ["--tls-cert", "cert.pem", "--tls-key", "key.pem"])
        #expect(server.url.hasPrefix("wss://127.0.0.1:"))
        let result = try sandbox.imrepl(
            "--connect", server.url, "-c", "client new phone --platform ios", "-c", "login alice", "-c",
            "expect result login code=415 within 20s")
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            result.lines.contains { $0.contains("link 1 failed: ") && !$0.hasSuffix("refused") }, "\(result.output)")
        #expect(!result.output.contains("online"))

        // If the certificate is trusted, the same server accepts a TLS connection.
        let trusting = try sandbox.imrepl(
            "--connect", server.url, "--tls-ca", "cert.pem", "-c", "client new phone --platform ios", "-c",
            "login alice", "-c", "expect state online within 20s")
        #expect(trusting.status == 0, "\(trusting.errors)")
        let useless = try sandbox.imrepl("--tls-ca", "cert.pem", "-c", "status")
        #expect(useless.status == 2)
    }
}
