import IMProtocol
import SansIO
import Testing

@testable import IMServer

@Suite struct ServerTokenTests {
    private let noon = ServerTranscript.noon

    /// A server with a silence limit that is too long for the test.
    private func withLongSilenceLimit(_ policy: ServerPolicy) -> ServerTranscript {
        var policy = policy
        policy.silenceLimit = .seconds(1_000_000)
        return ServerTranscript(policy)
    }

    private func token(_ seconds: Int64, _ finding: CredentialVerdict.Finding = .valid) -> Credential {
        .verdict(CredentialVerdict(finding, user: "alice", expiresAtMilliseconds: noon + seconds * 1000))
    }

    @Test("ZIM-6: the expiry of a token ends the login, the device is notified, and its connection is closed later")
    func ends() {
        let server = withLongSilenceLimit(zim)
        server.login(1, "a", expiresAt: noon + 60_000)
        #expect(server.wait(59.9) == [])
        #expect(server.wait(0.1) == ["100ms alice/a offline", "100ms 1 token-expired"])
        #expect(server.devices("presence") == ["a logged-out"])
        // Frames that were in flight when the login ended have no effect.
        #expect(server.receive(1, .heartbeat) == [] && server.receive(1, .sync) == [])
        #expect(server.wait(60) == ["30000ms close 1"])
        #expect(server.login(2, "a", expiresAt: noon + 600_000).first == "2 login-ack ok epoch=2")
    }

    @Test(
        "RTM-5: where the expiry does not end the login, the login continues; a token without an expiry never expires")
    func reportOnly() {
        let server = withLongSilenceLimit(rtm)
        server.login(1, "a", expiresAt: noon + 60_000)
        #expect(server.wait(3600) == [])
        let endless = withLongSilenceLimit(zim)
        endless.login(1, "a")
        #expect(endless.wait(1_000) == [])
    }

    @Test("ZIM-6: a renewal moves the expiry")
    func renewed() {
        let server = withLongSilenceLimit(zim)
        server.login(1, "a", expiresAt: noon + 60_000)
        #expect(server.receive(1, .renewToken(token(100))) == ["1 renew-token-ack ok \(noon + 100_000)"])
        #expect(server.wait(99) == [])
        #expect(server.wait(1).count == 2)
        let endless = withLongSilenceLimit(zim)
        endless.login(1, "a", expiresAt: noon + 60_000)
        endless.receive(1, .renewToken(.verdict(CredentialVerdict(.valid, user: "alice"))))
        #expect(endless.wait(1_000) == [])
    }

    @Test("C-11: a renewal with an invalid credential is refused, and the expiry stays")
    func refusedRenewal() {
        for (credential, status) in [
            (token(100, .expired), "credential-expired"), (token(100, .wrong), "wrong-credential"),
            (token(100, .missing), "wrong-credential"), (.secret("s3cret"), "wrong-credential"),
            (.reference("token"), "wrong-credential"),
            (.verdict(CredentialVerdict(.valid, user: "bob")), "wrong-credential"),
        ] {
            let server = withLongSilenceLimit(zim)
            server.login(1, "a", expiresAt: noon + 60_000)
            #expect(server.receive(1, .renewToken(credential)) == ["1 renew-token-ack \(status) 0"])
            #expect(server.wait(60).last == "60000ms 1 token-expired")
        }
    }

    @Test("RTM-5 ZIM-6: a token that expires while its device is away ends nothing: the device may have a new one")
    func endsWhileAway() {
        let server = withLongSilenceLimit(zim)
        server.login(1, "a", expiresAt: noon + 60_000)
        server.close(1)
        #expect(server.wait(61) == [])
        #expect(
            server.login(2, "a", .ios, .resume, epoch: 1, credential: token(60, .expired))
                == ["2 login-ack credential-expired"])
        #expect(
            server.login(3, "a", .ios, .resume, epoch: 1, credential: token(200))
                == ["3 login-ack ok epoch=1", "alice/a online"])
        // The new token has its own expiry.
        #expect(!server.wait(138).contains { $0.contains("token") })
        #expect(server.wait(1).last == "1000ms 3 token-expired")
    }

    @Test("C-4 C-8: no expiry is reported after a logout, a kick or a newer login of the device")
    func timersOfOldLogins() {
        for end in [FrameBody.logout(keepsPush: false), .goodbye(.shutdown, detail: "")] {
            let server = withLongSilenceLimit(zim)
            server.login(1, "a", expiresAt: noon + 60_000)
            server.receive(1, end)
            #expect(!server.wait(100).contains { $0.contains("token") || $0.contains("offline") })
        }
        let kicked = withLongSilenceLimit(zim)
        kicked.login(1, "a", expiresAt: noon + 60_000)
        kicked.login(2, "b")
        #expect(!kicked.wait(100).contains { $0.contains("token") })
        let again = withLongSilenceLimit(zim)
        again.login(1, "a", expiresAt: noon + 60_000)
        again.login(2, "a", expiresAt: noon + 90_000)
        #expect(again.wait(89.9) == [])
        #expect(again.wait(0.1) == ["100ms alice/a offline", "100ms 2 token-expired"])
    }

    @Test("C-10: the answer to a login contains the server's time and the token's expiry")
    func reply() {
        let server = withLongSilenceLimit(zim)
        server.wait(5)
        server.login(1, "a", expiresAt: noon + 60_000)
        guard case .loginAck(let reply) = server.last[1] else {
            Issue.record("no reply")
            return
        }
        #expect(reply.serverTimeMilliseconds == noon + 5000 && reply.expiresAtMilliseconds == noon + 60_000)
    }

    @Test("design 2: extreme expiries do not trap and end at once or never")
    func extremeExpiries() {
        for (expiry, isEnded) in [(Int64.min, false), (-1, false), (1, true), (.max, false)] {
            let server = withLongSilenceLimit(zim)
            server.login(1, "a", expiresAt: expiry)
            server.wait(1)
            #expect(server.devices("presence") == [isEnded ? "a logged-out" : "a online"])
        }
    }
}
