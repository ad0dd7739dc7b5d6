import IMProtocol
import IMServer
import SansIO
import Testing

/// Tests of logins that started offline on local data and reach the server later.
@Suite struct ServerOfflineLoginTests {
    @Test("ZIM-1 C-6: an offline login continues the last login if that still exists")
    func resumes() {
        let server = ServerTranscript(zim)
        server.login(1, "a")
        server.close(1)
        #expect(server.login(2, "a", .ios, .offline, epoch: 1) == ["2 login-ack ok epoch=1", "alice/a online"])
        // The login also continues if the server has not detected that the old connection is dead. Other users are not
        // notified.
        #expect(
            server.login(3, "a", .ios, .offline, epoch: 1)
                == ["2 goodbye replaced", "close 2", "3 login-ack ok epoch=1"])
    }

    @Test("ZIM-1: after a logout or a delivered kick, an offline login is a new login")
    func newLogin() {
        let server = ServerTranscript(zim)
        server.login(1, "a")
        server.receive(1, .logout(keepsPush: true))
        #expect(server.login(2, "a", .ios, .offline, epoch: 1) == ["2 login-ack ok epoch=2", "alice/a online"])
        server.command(.kick(user: "alice", device: "a"))
        server.receive(2, .kickedAck(epoch: 2))
        #expect(server.login(3, "a", .ios, .offline, epoch: 2).first == "3 login-ack ok epoch=3")
        // A later login of the same device does not prevent the offline login.
        #expect(server.login(4, "a", .ios, .offline, epoch: 1).contains("4 login-ack ok epoch=4"))
        // An offline login of an unknown device is a new login.
        let fresh = ServerTranscript(zim)
        #expect(fresh.login(1, "a", .ios, .offline, epoch: 9).first == "1 login-ack ok epoch=1")
    }

    @Test("S-14 C-6 C-7: after a later login elsewhere an offline login is kicked, and the later login stays")
    func displaced() {
        let server = ServerTranscript(zim)
        server.login(1, "a")
        server.close(1)
        server.login(2, "b")
        for id in UInt32(3)...5 {
            #expect(server.login(id, "a", .ios, .offline, epoch: 1) == ["\(id) kicked other-login epoch=1 by b"])
            if id == 4 { server.receive(id, .kickedAck(epoch: 1)) }
        }
        #expect(server.devices("connection") == ["a -", "b 2"])
        #expect(server.devices("undelivered-kick") == ["a -", "b -"])
        // A manual login is accepted although `b` logged in later. It kicks `b`.
        #expect(server.login(6, "a").contains("2 kicked other-login epoch=2 by a"))
    }

    @Test("C-7: an undelivered kick by the operator is delivered first, with its reason")
    func undelivered() {
        let server = ServerTranscript(zim)
        server.login(1, "a")
        server.close(1)
        server.command(.kick(user: "alice", device: "a"))
        #expect(server.login(2, "a", .ios, .offline, epoch: 1) == ["2 kicked server epoch=1 by -"])
        server.receive(2, .kickedAck(epoch: 1))
        #expect(server.login(3, "a", .ios, .offline, epoch: 1).first == "3 login-ack ok epoch=2")
    }

    @Test("ZIM-7: a later login on a device of another group does not prevent an offline login")
    func otherGroups() {
        for (exclusion, platform) in [
            (ServerPolicy.Exclusion.dual, Platform.web), (.multi, .windows), (.multi, .ipad), (.none, .ios),
            (.unlimited, .ios), (.mobileDesktop, .web),
        ] {
            var policy = zim
            policy.exclusion = exclusion
            let server = ServerTranscript(policy)
            server.login(1, "a")
            server.close(1)
            server.login(2, "b", platform)
            let lines = server.login(3, "a", .ios, .offline, epoch: 1)
            #expect(lines.contains("3 login-ack ok epoch=1") && !lines.contains { $0.contains("kicked") })
        }
    }

    @Test("C-11: the credential of an offline login is checked like any other, and a ban applies")
    func checkedCredential() {
        let server = ServerTranscript(zim)
        server.login(1, "a")
        server.close(1)
        let expired = Credential.verdict(CredentialVerdict(.expired, user: "alice"))
        #expect(
            server.login(2, "a", .ios, .offline, epoch: 1, credential: expired) == ["2 login-ack credential-expired"])
        server.command(.banAccount("alice"))
        #expect(server.login(3, "a", .ios, .offline, epoch: 1) == ["3 kicked banned epoch=1 by -"])
    }
}
