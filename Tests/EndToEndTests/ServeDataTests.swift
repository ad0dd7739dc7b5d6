import Foundation
import TestSupport
import Testing

/// Tests of `imrepl serve`: the data that it restores after a kill, and the clients that then connect.
@Suite(.onOwnThreads) struct ServeDataTests {
    private func kill(_ server: ServerProcess) throws {
        server.program.signal(SIGKILL)
        let status = try server.program.end()
        #expect(status == 128 + SIGKILL)
    }

    /// Runs lines in a shell that is connected to a server.
    private func play(
        _ sandbox: Sandbox, _ server: ServerProcess, data: String? = nil, _ lines: String...
    ) throws -> Program.Result {
        let options = ["--connect", server.url, "--no-record"] + (data.map { ["--data", $0] } ?? [])
        return try sandbox.imrepl(options + lines.flatMap { ["-c", $0] })
    }

    @Test func `a killed server restores its accounts, devices and undelivered messages`() throws {
        let sandbox = try Sandbox()
        let first = try ServerProcess(in: sandbox, ["--data", "kept", "--profile", "nim"])
        // Bob has logged in once, and is offline when alice sends the message.
        let bob = try play(
            sandbox, first, "client new pad --device bobs-pad --platform ios", "login bob",
            "expect state online within 10s", "logout", "expect state logged-out within 10s")
        #expect(bob.status == 0, "\(bob.errors)")
        let alice = try play(
            sandbox, first, data: "phone", "client new phone --platform ios", "login alice",
            "expect state online within 10s", "send bob hello", "expect frame in send-ack within 10s")
        #expect(alice.status == 0, "\(alice.errors)")
        let tablet = try play(
            sandbox, first, "client new tablet --platform ios", "login alice", "expect state online within 10s")
        #expect(tablet.status == 0, "\(tablet.errors)")
        try kill(first)

        let next = try ServerProcess(in: sandbox, ["--data", "kept", "--profile", "nim"])
        #expect(next.program.lines.contains { $0.hasSuffix("start profile=nim accounts=2") })
        let read = try play(
            sandbox, next, "client new pad --device bobs-pad --platform ios", "login bob",
            "expect frame in message within 10s")
        #expect(read.status == 0, "\(read.errors)")
        #expect(read.lines.contains { $0.contains("← message") && $0.contains("hello") }, "\(read.output)")
        // The tablet was the last device of its group that logged in, so the phone's autologin is refused (NIM-4).
        let secondSession = try play(
            sandbox, next, data: "phone", "client new phone --platform ios", "autologin alice",
            "expect callback onAutoLoginFailed error=417 within 10s")
        #expect(secondSession.status == 0, "\(secondSession.errors)")
    }

    @Test func `its key and its accounts are readable only by the owner, and survive`() throws {
        let sandbox = try Sandbox()
        var keys: [Data] = []
        for _ in 0..<2 {
            let server = try ServerProcess(in: sandbox, ["--data", "kept"])
            keys.append(try sandbox.data("kept/signing-key"))
            for file in try sandbox.files(below: "kept") {
                let attributes = try FileManager.default.attributesOfItem(atPath: sandbox.file(file))
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(file)")
            }
            try kill(server)
        }
        #expect(keys[0] == keys[1])
        #expect(keys[0].count == 32)
        // A server without a data folder leaves no files.
        let forgetful = try ServerProcess(in: sandbox, [])
        try kill(forgetful)
        #expect(try sandbox.files().allSatisfy { $0.hasPrefix("kept/") || $0.hasPrefix(".") })
    }

    @Test func `an unusable folder is refused with a one-line error`() throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(in: sandbox, ["--data", "kept"])
        let second = try sandbox.imrepl("serve", "--listen", "127.0.0.1:0", "--data", "kept")
        #expect(second.status == 3)
        #expect(
            second.errorLines == [
                "imrepl: the store 'kept/server.sqlite' is in use by another server; choose another folder with --data"
            ])
        try kill(server)
        try sandbox.write("this is a diary, not a database", "diary/server.sqlite")
        try sandbox.write("short", "short/signing-key")
        for folder in ["diary", "short"] {
            let refused = try sandbox.imrepl("serve", "--listen", "127.0.0.1:0", "--data", folder)
            #expect(refused.status == 3)
            #expect(refused.errorLines.count == 1, "\(refused.errors)")
            #expect(refused.errors.contains("\(folder)/"))
            #expect(!refused.output.contains("serving"))
        }
        #expect(try sandbox.data("diary/server.sqlite") == Data("this is a diary, not a database".utf8))
    }

    @Test func `one address serves every application`() throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(in: sandbox)
        for profile in ["nim", "agora-rtm"] {
            let result = try sandbox.imrepl(
                "--connect", server.url, "--profile", profile, "--no-record", "-c", "client new phone --platform ios",
                "-c", "login alice", "-c", "expect state online within 10s")
            #expect(result.status == 0, "\(result.errors)")
            // Each application has its own user alice.
            try server.program.line("the login") { $0.contains(profile) && $0.contains("presence alice") }
        }
    }

    @Test func `an unknown application is refused in words`() throws {
        let sandbox = try Sandbox()
        let server = try ServerProcess(in: sandbox, ["--profile", "nim,agora-rtm", "--profile", "nim"])
        #expect(server.program.lines.contains { $0.hasPrefix("serving nim, agora-rtm on ws://") })
        for address in ["\(server.url)/nowhere", "\(server.url)/?x"] {
            let result = try sandbox.imrepl(
                "--connect", address, "--no-record", "-c", "client new phone --platform ios", "-c", "login alice",
                "-c", "expect result login code=415 within 20s")
            #expect(result.status == 0, "\(result.errors)")
            let path = address.dropFirst(server.url.count)
            #expect(
                result.errorLines == [
                    "\(address): no WebSocket: the server answered 404 Not Found: nothing exists at '\(path)'"
                ])
        }
    }

    @Test func `options that cannot be served are a usage error`() throws {
        let sandbox = try Sandbox()
        for arguments in [
            ["--profile", "nim,sms"], ["--profile", ""], ["--profile", "nim,"], ["--record", "a.pcapng"],
            ["--record", "a.pcapng", "--profile", "nim", "--profile", "agora-rtm"],
        ] {
            let result = try sandbox.imrepl(["serve", "--listen", "127.0.0.1:0"] + arguments)
            #expect(result.status == 2, "\(arguments): \(result.errors)")
        }
    }
}
