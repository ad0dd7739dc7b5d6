import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import Testing

@testable import IMCheckers

/// Tests of checkers for returning clients: automatic logins, expired tokens, other devices.
@Suite struct ReturnCheckerTests: CheckerScript {
    @Test(arguments: [true, false])
    func anExpiryThatIsReportedTwiceIsAViolation(_ isRenewed: Bool) throws {
        var (checker, violations) = (TokenChecker(try policy("agora-rtm")), [Violation]())
        let expiryNotice: [(Int64, SessionEvent.Content)] = [(5, .effect(.notify(.tokenExpired)))]
        let renewal: [(Int64, SessionEvent.Content)] =
            isRenewed ? [(Int64(6), command(2, .renewToken(credential: "next"))), (Int64(6), done(2, .ok))] : []
        traced([(0, login())] + expiryNotice + renewal + expiryNotice) {
            checker.observe($0, $1, into: &violations)
        }
        #expect(violations.map(\.kind) == (isRenewed ? [] : ["the app is notified of an expired token twice"]))
    }

    /// The old token expires while the answer about the new token is in flight.
    @Test func theExpiriesOfTwoTokensAreBothReported() throws {
        var (checker, violations) = (TokenChecker(try policy("agora-rtm")), [Violation]())
        let expiryNotice = SessionEvent.Content.effect(.notify(.tokenExpired))
        let ack = Frame(request: 2, .renewTokenAck(.ok, expiresAtMilliseconds: 9000, issuedAtMilliseconds: 5000))
        traced([
            (0, login()), (0, .effect(.connect(link))), (0, .input(.linkOpened(link))),
            (5000, command(2, .renewToken(credential: "next"))), (5000, expiryNotice),
            (5001, .input(.frame(link, ack))),
            (5001, done(2, .ok)), (9000, expiryNotice),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.kind) == [])
    }

    /// An answer that the client reads after a long sleep makes the client's time late.
    @Test(arguments: [(Int64(50_000), 1), (70_000, 0)])
    func aTimeThatWasReadLateIsUnknown(_ read: Int64, _ count: Int) throws {
        var (checker, violations) = (TokenChecker(try policy("agora-rtm")), [Violation]())
        func accepted(at time: Int64) -> SessionEvent.Content {
            let reply = LoginReply(.ok, epoch: 1, serverTimeMilliseconds: time, expiresAtMilliseconds: 40_000)
            return .input(.frame(link, Frame(request: 1, .loginAck(reply))))
        }
        traced([
            (0, login()), (0, .effect(.connect(link))), (0, .input(.linkOpened(link))), (1, accepted(at: 1)),
            (read, .input(.app(.woke(slept: .seconds(40))))), (read, accepted(at: 2)),
            (read + 2000, .input(.deadlineReached)),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "ZIM-6", count: count))
    }

    private func requestLogin(
        _ device: String, _ mode: LoginMode, after epoch: LoginEpoch, on link: ConnectionID
    ) -> SessionEvent.Content {
        let request = LoginRequest(
            application: "zim", user: "alice", device: Device(id: device, platform: .ios), mode: mode, epoch: epoch,
            credential: .reference(""))
        return .input(.frame(link, Frame(request: 1, .login(request))))
    }

    @Test(arguments: [(LoginEpoch(3), 1), (7, 0)])
    func anOfflineLoginThatOutranksALaterOneIsAViolation(_ earlier: LoginEpoch, _ count: Int) throws {
        var (checker, violations) = (KickChecker(try serverPolicy("zim")), [Violation]())
        let by = Device(id: "pad-1", platform: .ios)
        served([
            requestLogin("phone-1", .manual, after: 0, on: link),
            .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 5))))),
            requestLogin("pad-1", .offline, after: earlier, on: ConnectionID(2)),
            .effect(.send(link, Frame(.kicked(KickNotice(reason: .otherLogin, epoch: 5, by: by))))),
        ]) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.kind) == Array(repeating: "an earlier login ends a later login", count: count))
    }
}
