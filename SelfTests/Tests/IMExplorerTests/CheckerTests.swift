import IMClient
import IMProfiles
import IMProtocol
import IMSession
import SansIO
import Testing

@testable import IMCheckers
@testable import IMExplorer

/// Each checker reports its violations, for events that a correct machine would not produce.
@Suite struct CheckerTests: CheckerScript {
    @Test func aSecondCompletionIsAViolation() throws {
        var checker = CommandChecker(try policy("nim"))
        var violations: [Violation] = []
        let done = SessionEvent.Content.effect(.complete(CommandID(1), Completion(.ok)))
        for content in [login(), done] { checker.observe(event(0, content), ClientTrace(), into: &violations) }
        #expect(violations.isEmpty)
        checker.observe(event(1, done), ClientTrace(), into: &violations)
        #expect(violations.map(\.kind) == ["a command is completed twice"])
    }

    @Test func aLoginBeyondItsTimeLimitIsAViolation() throws {
        var checker = CommandChecker(try policy("agora-rtm"))
        var violations: [Violation] = []
        checker.observe(event(0, login()), ClientTrace(), into: &violations)
        checker.observe(
            event(6001, .effect(.complete(CommandID(1), Completion(.timeout)))), ClientTrace(), into: &violations)
        #expect(violations.map(\.rule) == ["C-1"])
    }

    @Test func aSecondLinkAndAFrameOfAnOldOneAreViolations() throws {
        var checker = LinkChecker(try policy("nim"))
        var violations: [Violation] = []
        traced([
            (0, login()), (0, .effect(.connect(link))), (1, .effect(.connect(ConnectionID(2)))),
            (2, .input(.linkClosed(link, .reset))), (2, .effect(.closeLink(link))),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == ["C-2", "C-3"])
    }

    @Test func aRetryAtTheWrongTimeIsAViolation() throws {
        // NIM waits two seconds before the first retry and four seconds before the second one.
        for (waited, kind) in [(1999, "a retry is too early"), (2000, nil), (2001, "a retry is too late")] {
            var checker = RetryChecker(try policy("nim"))
            var violations: [Violation] = []
            traced([
                (0, login()), (0, .effect(.connect(link))), (10, .input(.linkFailed(link, .refused))),
                (Int64(10 + waited), .input(.deadlineReached)),
                (Int64(10 + waited), .effect(.connect(ConnectionID(2)))),
            ]) { checker.observe($0, $1, into: &violations) }
            #expect(violations.map(\.kind) == [kind].compactMap(\.self), "after \(waited) ms")
        }
    }

    @Test func aHeartbeatAtTheWrongTimeIsAViolation() throws {
        for (time, count) in [(29_000, 1), (30_000, 0), (31_000, 1)] as [(Int64, Int)] {
            var checker = HeartbeatChecker(try policy("nim"))
            var violations: [Violation] = []
            let beat = SessionEvent.Content.effect(.send(link, Frame(.heartbeat)))
            traced([
                (0, login()), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
                (100, .input(.deadlineReached)), (100, beat), (120, .input(.frame(link, Frame(.heartbeatAck)))),
                (100 + time, .input(.deadlineReached)), (100 + time, beat),
            ]) { checker.observe($0, $1, into: &violations) }
            #expect(violations.count == count, "after \(time) ms")
        }
    }

    @Test func aTokenThatExpiresTooEarlyIsAViolation() throws {
        for (time, count) in [(9_000, 1), (10_000, 0)] as [(Int64, Int)] {
            var checker = TokenChecker(try policy("zim"))
            var violations: [Violation] = []
            let reply = LoginReply(.ok, epoch: 1, serverTimeMilliseconds: 1000, expiresAtMilliseconds: 11_000)
            traced(
                epoch: 1000,
                [
                    (0, login()), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
                    (2, .input(.frame(link, Frame(.loginAck(reply))))), (time, .input(.deadlineReached)),
                    (time, .effect(.transition(StateChange(from: .online, to: .tokenExpired, reason: .tokenExpired)))),
                ]
            ) { checker.observe($0, $1, into: &violations) }
            #expect(violations.count == count, "after \(time) ms")
        }
    }

    @Test func aKickWithoutEffectIsAViolation() {
        var checker = KickedChecker()
        var violations: [Violation] = []
        let notice = KickNotice(reason: .server, epoch: 1)
        traced([
            (0, login()), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
            (2, .input(.frame(link, Frame(.loginAck(LoginReply(.ok, epoch: 1)))))),
            (2, .effect(.transition(StateChange(from: .connecting, to: .online, reason: .loginSucceeded)))),
            (3, .input(.frame(link, Frame(.kicked(notice))))),
            (3, .effect(.transition(StateChange(from: .online, to: .reconnecting, reason: .interrupted)))),
            (4, .input(.deadlineReached)),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == ["C-5"])
    }

    @Test func anExtraAndAMissingFrameAreViolations() throws {
        let device = Device(id: "phone-1", platform: .ios)
        let request = LoginRequest(
            application: "nim", user: "alice", device: device, mode: .manual, epoch: 0, credential: .reference(""))
        let start = StartRecord(
            name: "phone", profile: "nim",
            body: .client(
                policy: try policy("nim"), device: device, local: LocalData(), seed: 1, firstConnection: link,
                nonce: nil))
        for (arrivals, kind) in [
            (0, "frames are missing without a rule against them"), (1, nil), (2, "frames arrive twice or out of order"),
        ] {
            var (checker, violations) = (NetworkChecker(), [Violation]())
            for content in [
                .start(start), .input(.linkOpened(link)), .effect(.send(link, Frame(request: 1, .login(request)))),
            ] as [SessionEvent.Content] {
                checker.observe(event(0, content), ClientTrace(node: 1), into: &violations)
            }
            checker.observeServer(
                event(1, .input(.frame(link, Frame(request: 1, .login(request)))), node: "server"), into: &violations)
            let ack = Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1)))
            checker.observeServer(event(1, .effect(.send(link, ack)), node: "server"), into: &violations)
            for _ in 0..<arrivals {
                checker.observe(event(2, .input(.frame(link, ack))), ClientTrace(node: 1), into: &violations)
            }
            #expect(checker.violation(of: 1)?.kind == kind, "\(arrivals) arrivals")
        }
    }
}
