import Foundation
import TestSupport
import Testing

/// A secret that the user gives to the shell is only sent over the connection. No recording and no other file of the
/// user contains it.
@Suite(.onOwnThreads) struct SecretTests {
    private static let secret = "s3cr3t-Zx81-do-not-keep"

    /// Checks that no file below the sandbox contains one of the secrets, except for files that the test wrote.
    private func expectNothingKept(_ secrets: [String], in sandbox: Sandbox, except given: [String] = []) throws {
        let files = try sandbox.files().filter { !given.contains($0) }
        #expect(files.contains { $0.hasSuffix(".pcapng") }, "something was recorded")
        for file in files {
            let data = try sandbox.data(file)
            for secret in secrets {
                #expect(data.range(of: Data(secret.utf8)) == nil, "\(file) holds a secret")
            }
        }
    }

    @Test(arguments: ["live", "simulated"])
    func `a user's token is never stored, however it is given`(world: String) throws {
        let sandbox = try Sandbox()
        let secret = Self.secret
        try sandbox.write("\(secret)-file\n", "given.token")
        let ways = ["--token \(secret)-line", "--token-file given.token", "--token-env GIVEN_TOKEN"]
        for way in ways {
            let start = ["--world", world, "-c", "client new phone --platform ios", "-c", "login alice \(way)"]
            // This token was not issued by the server, so the login is refused. The text of the refusal must not
            // contain the token either.
            let refused = try sandbox.imrepl(
                start + ["-c", "expect result login code=302 within 10s"], environment: ["GIVEN_TOKEN": "\(secret)-env"]
            )
            #expect(refused.status == 0, "\(way): \(refused.errors)")
            let failed = try sandbox.imrepl(
                start + ["-c", "expect result login ok within 50ms"], environment: ["GIVEN_TOKEN": "\(secret)-env"])
            #expect(failed.status == 1)
            for result in [refused, failed] {
                #expect(!result.output.contains(secret))
                #expect(!result.errors.contains(secret))
            }
        }
        #expect(try sandbox.recordings().count == 2 * ways.count)
        try expectNothingKept([secret], in: sandbox, except: ["given.token"])
    }

    @Test(arguments: ["live", "simulated"])
    func `a generated token is shown once and not stored`(world: String) throws {
        let sandbox = try Sandbox()
        let result = try sandbox.imrepl(
            "--world", world, "--data", sandbox.file("home/kept"), "-c", "client new phone --platform ios", "-c",
            "server token alice", "-c", "login alice", "-c", "expect state online within 10s", "-c", "app kill", "-c",
            "app start", "-c", "autologin alice", "-c", "expect state online within 10s")
        #expect(result.status == 0, "\(result.errors)")
        let token = try #require(result.lines.first { $0.hasPrefix("eyJ") || $0.hasPrefix("simulated/") })
        #expect(result.lines.count { $0.contains(token) } == 1)
        // No other generated token is stored either. All of them have one of these prefixes.
        try expectNothingKept([token, "eyJ0eXAi", "eyJhbGci", "simulated/nim/"], in: sandbox)
    }

    @Test(arguments: ["live", "simulated"])
    func `without generated tokens nobody is admitted without a token`(world: String) throws {
        let sandbox = try Sandbox()
        let refused = try sandbox.imrepl(
            "--world", world, "--strict", "-c", "client new phone --platform ios", "-c", "server account add alice",
            "-c",
            "login alice", "-c", "expect result login code=302 within 10s")
        #expect(refused.status == 0, "\(refused.errors)")
        #expect(refused.output.contains("result login NIMRemoteErrorCodeInvalidPass(302)"))
    }

    @Test func `an invalid script with a secret does not print it`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Scenario.head + "login alice --token \(Self.secret) --ofline\n", "a.imr")
        let result = try sandbox.imrepl("run", "a.imr")
        #expect(result.status == 2)
        #expect(!result.errors.contains(Self.secret), "\(result.errors)")
    }

    @Test func `a failed line is reported without its secret`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Scenario.head + "@nobody login alice --token \(Self.secret)\n", "a.imr")
        // The script uses a client that does not exist.
        let result = try sandbox.imrepl("run", "a.imr", "--world", "simulated")
        #expect(result.status == 1)
        #expect(result.errorLines.first == "a.imr:3:1: @nobody login alice --token ***")
        #expect(!result.errors.contains(Self.secret), "\(result.errors)")
        #expect(!result.output.contains(Self.secret), "\(result.output)")
    }
}
