import IMProtocol
import IMServer
import SansIO
import Testing

@Suite struct LoginRateTests {
    /// Logs in over a new connection, and returns the result.
    private func attempt(
        _ server: ServerTranscript, _ number: inout UInt32, _ mode: LoginMode = .manual, device: String = "a",
        user: String = "alice"
    ) -> String {
        number += 1
        let lines = server.login(number, device, user: user, mode, epoch: 1)
        let answer = lines.first { $0.hasPrefix("\(number) login-ack") } ?? lines.first ?? ""
        return answer.split(separator: " ").dropFirst(2).first.map(String.init) ?? answer
    }

    @Test("NIM-8: ten logins a minute, then refusals for one minute, then logins work again")
    func penalty() {
        let server = ServerTranscript(nim)
        var number: UInt32 = 0
        for _ in 0..<10 {
            #expect(attempt(server, &number) == "ok")
            server.wait(1)
        }
        #expect(attempt(server, &number) == "rate-limited")
        // Login requests during the penalty do not extend it.
        for _ in 0..<11 {
            server.wait(5)
            #expect(attempt(server, &number) == "rate-limited")
        }
        server.wait(4.9)
        #expect(attempt(server, &number) == "rate-limited")
        server.wait(0.1)
        for _ in 0..<10 { #expect(attempt(server, &number) == "ok") }
        #expect(attempt(server, &number) == "rate-limited")
    }

    @Test("NIM-8: the window moves: the eleventh login is admitted if the first is older than a minute")
    func slidingMinute() {
        let server = ServerTranscript(nim)
        var number: UInt32 = 0
        for _ in 0..<10 {
            #expect(attempt(server, &number) == "ok")
            server.wait(6)
        }
        #expect(attempt(server, &number) == "ok")
        server.wait(5.9)
        #expect(attempt(server, &number) == "rate-limited")
    }

    @Test("NIM-8: each device of each account has its own limit, and every login counts except a resume")
    func perDevice() {
        let server = ServerTranscript(nim)
        var number: UInt32 = 0
        for mode in [LoginMode.manual, .automatic, .forced, .manual, .automatic] {
            for _ in 0..<2 { #expect(attempt(server, &number, mode) == "ok") }
        }
        #expect(attempt(server, &number, .forced) == "rate-limited")
        #expect(attempt(server, &number, user: "bob") == "ok")
        #expect(attempt(server, &number, device: "b") == "ok")
        // A refused device keeps its current login.
        let other = ServerTranscript(nim)
        number = 0
        #expect(attempt(other, &number) == "ok")
        for _ in 0..<30 { #expect(attempt(other, &number, .resume) == "ok") }
        for _ in 0..<9 { #expect(attempt(other, &number) == "ok") }
        #expect(attempt(other, &number) == "rate-limited")
    }

    @Test("NIM-8: a refused login does not change the present login")
    func refusedLogin() {
        var policy = nim
        policy.loginRateMax = 1
        policy.loginOverdueAfter = .seconds(100)
        let server = ServerTranscript(policy)
        server.login(1, "a")
        #expect(server.login(2, "a") == ["2 login-ack rate-limited"])
        #expect(server.devices("connection") == ["a 1"])
        #expect(server.receive(1, .heartbeat) == ["1 heartbeat-ack"])
        // After the penalty, the same connection may try again.
        server.wait(60)
        #expect(server.login(2, "a").contains("2 login-ack ok epoch=2"))
    }

    @Test("RTM-9: two logins a second, and no penalty")
    func twoASecond() {
        let server = ServerTranscript(rtm)
        var number: UInt32 = 0
        #expect((0..<3).map { _ in attempt(server, &number) } == ["ok", "ok", "rate-limited"])
        server.wait(0.9)
        #expect(attempt(server, &number) == "rate-limited")
        server.wait(0.1)
        #expect((0..<3).map { _ in attempt(server, &number) } == ["ok", "ok", "rate-limited"])
    }

    @Test("NIM-8: without a limit no login is refused")
    func unlimited() {
        let server = ServerTranscript(zim)
        var number: UInt32 = 0
        for _ in 0..<100 { #expect(attempt(server, &number) == "ok") }
    }
}
