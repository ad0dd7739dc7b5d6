import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMTree
import SansIO
import Testing

@testable import IMCheckers
@testable import IMExplorer

/// Tests of checkers for events that must happen: a warning, a confirmation, a request for missing data.
@Suite struct DueCheckerTests: CheckerScript {
    private func accepted(until end: Int64 = 0, since issue: Int64 = 0) -> SessionEvent.Content {
        let reply = LoginReply(.ok, epoch: 1, expiresAtMilliseconds: end, issuedAtMilliseconds: issue)
        return .input(.frame(link, Frame(request: 1, .loginAck(reply))))
    }

    private var connected: [(Int64, SessionEvent.Content)] {
        [(0, login()), (0, .effect(.connect(link))), (0, .input(.linkOpened(link)))]
    }

    private func state(_ from: ClientState, _ to: ClientState, _ reason: StateReason) -> SessionEvent.Content {
        .effect(.transition(StateChange(from: from, to: to, reason: reason)))
    }

    private var online: SessionEvent.Content { state(.connecting, .online, .login) }

    /// The warning must come thirty seconds before the expiry.
    @Test(arguments: [69_000, 70_000, 73_000])
    func aWarningAtTheWrongTimeIsAViolation(_ time: Int64) throws {
        var (checker, violations) = (TokenChecker(try policy("zim")), [Violation]())
        traced(
            connected + [
                (0, accepted(until: 100_000, since: 0)), (0, online), (time, .input(.deadlineReached)),
                (time, .effect(.notify(.tokenWillExpire(inMilliseconds: 30_000)))),
            ]
        ) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (time == 70_000 ? [] : ["ZIM-6"]))
    }

    @Test(arguments: [0, 1500])
    func anInterruptionCountsFromTheLastFrame(_ late: Int64) throws {
        var (checker, violations) = (LinkChecker(try policy("agora-rtm")), [Violation]())
        traced(
            connected + [
                (0, accepted()), (0, online), (4_000, .input(.deadlineReached)), (4_000, .effect(.closeLink(link))),
                (4_000 + late, .input(.deadlineReached)),
                (4_000 + late, state(.online, .reconnecting, .interrupted)),
            ]
        ) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (late == 0 ? [] : ["RTM-3"]))
    }

    @Test(arguments: [20_000, 60_000, 120_000])
    func anUnfoundedRefusalOfAnOfflineLoginIsAViolation(_ life: Int64) throws {
        var (checker, violations) = (LoginCallChecker(try policy("zim")), [Violation]())
        let clock = TokenClock(expiresAtMilliseconds: 1_000_000 + life, deviceMilliseconds: 1_000_000)
        let login = ClientCommand.login(user: "alice", credential: "token", mode: .offline, clock: clock)
        traced([(0, command(1, login)), (0, done(1, .credentialTooShort))]) {
            checker.observe($0, $1, into: &violations)
        }
        #expect(violations.map(\.rule) == (life < 30_000 ? [] : ["ZIM-1"]))
    }

    @Test(arguments: [true, false])
    func anUnreportedExpiryIsAViolation(_ isNotified: Bool) throws {
        var (checker, violations) = (TokenChecker(try policy("agora-chat")), [Violation]())
        let end: SessionEvent.Content = isNotified ? .effect(.notify(.tokenExpired)) : .input(.deadlineReached)
        traced(
            connected + [
                (0, accepted(until: 100_000)), (0, online), (5_000, command(2, .logout(keepsPush: false))),
                (8_000, done(2, .timeout)), (80_000, .effect(.notify(.tokenWillExpire(inMilliseconds: 20_000)))),
                (100_000, end), (103_000, .input(.deadlineReached)),
            ]
        ) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.kind) == (isNotified ? [] : ["the app is not notified of an expired token in time"]))
    }

    @Test(arguments: [Int64(0), 100_000])
    func anExpiryOfATokenWithoutOneIsAViolation(_ end: Int64) throws {
        var (checker, violations) = (TokenChecker(try policy("agora-rtm")), [Violation]())
        traced(
            connected + [
                (0, accepted(until: 50_000)), (0, online), (1, command(2, .renewToken(credential: "new"))),
                (2, .input(.frame(link, Frame(request: 2, .renewTokenAck(.ok, expiresAtMilliseconds: end))))),
                (2, done(2, .ok)), (100_000, .effect(.notify(.tokenExpired))),
            ]
        ) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.kind) == (end > 0 ? [] : ["a token without an expiry expires"]))
    }

    @Test(arguments: [500, 4000])
    func aRetryDelayAfterANetworkSwitchIsAViolation(_ delay: Int64) throws {
        var (checker, violations) = (RetryChecker(try policy("wilddog")), [Violation]())
        let least = try #require(try policy("wilddog").retryDelays.first).inMilliseconds
        func attempt(_ id: UInt32, at time: Int64, after input: SessionEvent.Content) -> [(Int64, SessionEvent.Content)]
        {
            let link = ConnectionID(id)
            return [
                (time, input), (time, .effect(.connect(link))), (time, .input(.linkFailed(link, .networkDown))),
            ]
        }
        var contents = attempt(1, at: 0, after: command(1, .tree(.listen(path: "a"))))
        contents.append((0, state(.loggedOut, .connecting, .login)))
        contents += attempt(2, at: least, after: .input(.deadlineReached))
        contents += [(least, command(2, .goOffline)), (least, state(.connecting, .offline, .wentOffline))]
        contents += attempt(3, at: least, after: command(3, .goOnline))
        contents.append((least, state(.offline, .connecting, .login)))
        contents += attempt(4, at: least + (delay == 500 ? least : 4 * least), after: .input(.deadlineReached))
        traced(contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (delay == 500 ? [] : ["C-9"]))
    }
}
