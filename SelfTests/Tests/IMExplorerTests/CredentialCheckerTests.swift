import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import SansIO
import Testing

@testable import IMCheckers
@testable import IMExplorer

/// Tests of checkers for credentials and their expiry, accepted logins, and push notifications after a logout.
@Suite struct CredentialCheckerTests: CheckerScript {
    @Test func anExpiryWithoutAWarningIsAViolation() throws {
        // ZIM warns thirty seconds before the expiry. It does not warn if the lifetime is shorter.
        for (lifetime, isWarned, kinds) in [
            (60_000, false, ["a token expires without a warning"]), (60_000, true, []), (20_000, false, []),
        ] as [(Int64, Bool, [String])] {
            var (checker, violations) = (TokenChecker(try policy("zim")), [Violation]())
            let reply = LoginReply(.ok, epoch: 1, serverTimeMilliseconds: 1002, expiresAtMilliseconds: 1000 + lifetime)
            let warning = SessionEvent.Content.effect(.notify(.tokenWillExpire(inMilliseconds: 30_000)))
            traced(
                epoch: 1000,
                [
                    (0, login()), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
                    (2, .input(.frame(link, Frame(.loginAck(reply))))),
                    (lifetime - 30_000, isWarned ? warning : .input(.deadlineReached)),
                    (
                        lifetime,
                        .effect(.transition(StateChange(from: .online, to: .tokenExpired, reason: .tokenExpired)))
                    ),
                ]
            ) { checker.observe($0, $1, into: &violations) }
            #expect(violations.map(\.kind) == kinds, "\(lifetime) ms, warned: \(isWarned)")
        }
    }

    @Test func anUnconfirmedKickIsAViolation() {
        for isConfirmed in [true, false] {
            var (checker, violations) = (KickedChecker(), [Violation]())
            let ack = SessionEvent.Content.effect(.send(link, Frame(.kickedAck(epoch: 1))))
            traced([
                (0, login()), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
                (2, .input(.frame(link, Frame(.loginAck(LoginReply(.ok, epoch: 1)))))),
                (2, .effect(.transition(StateChange(from: .connecting, to: .online, reason: .loginSucceeded)))),
                (3, .input(.frame(link, Frame(.kicked(KickNotice(reason: .server, epoch: 1)))))),
                (3, isConfirmed ? ack : .effect(.closeLink(link))),
                (3, .effect(.transition(StateChange(from: .online, to: .kicked, reason: .kickedByServer)))),
                (4, .input(.deadlineReached)),
            ]) { checker.observe($0, $1, into: &violations) }
            #expect(violations.map(\.rule) == (isConfirmed ? [] : ["C-7"]))
        }
    }

    @Test func aLinkOfThePreviousNetworkIsAViolation() throws {
        for isEnded in [true, false] {
            var (checker, violations) = (LinkChecker(try policy("nim")), [Violation]())
            traced([
                (0, login()), (0, .effect(.connect(link))), (5, .input(.network(.switched))),
                (5, isEnded ? .effect(.closeLink(link)) : .effect(.notify(.loginStep(.networkChanged)))),
                (9, .input(.deadlineReached)),
            ]) { checker.observe($0, $1, into: &violations) }
            #expect(violations.map(\.rule) == (isEnded ? [] : ["C-9"]))
        }
    }

    @Test func aChannelMessageFromBeforeTheLoginIsAViolation() throws {
        for (sentAt, rules) in [(5, ["RTM-8"]), (15, [])] as [(Int64, [String])] {
            let server = try #require(Dialects.named("agora-rtm")).serverPolicy
            var (checker, violations) = (MessageChecker(client: try policy("agora-rtm"), server: server), [Violation]())
            let message = ChatMessage(id: "1", from: "bob", to: "lobby", text: "hello", isToChannel: true)
            let sending = SessionEvent.Content.input(.frame(ConnectionID(7), Frame(request: 3, .send(message))))
            let acceptance = SessionEvent.Content.effect(
                .send(ConnectionID(7), Frame(request: 3, .sendAck(.ok, id: "1"))))
            func serve() {
                for content in [sending, acceptance] {
                    checker.observeServer(event(sentAt, content), ServerTrace(), into: &violations)
                }
            }
            if sentAt < 10 { serve() }
            checker.observe(event(10, login()), trace(of: nil), into: &violations)
            if sentAt > 10 { serve() }
            checker.observe(
                event(20, .effect(.notify(.messageReceived(message)))), trace(of: "alice"), into: &violations)
            #expect(violations.map(\.rule) == rules)
        }
    }

    @Test func anAutologinAfterAKickIsAViolation() throws {
        for (isByHand, rules) in [(false, ["NIM-3"]), (true, [])] {
            var (checker, violations) = (LoginCallChecker(try policy("nim")), [Violation]())
            let automatic = ClientCommand.login(user: "alice", credential: "", mode: .automatic)
            let between: [(Int64, SessionEvent.Content)] = [
                (4, login(2)), (5, .effect(.complete(CommandID(2), Completion(.ok)))),
            ]
            traced(
                [(3, .effect(.transition(StateChange(from: .online, to: .kicked, reason: .remoteLogin))))]
                    + (isByHand ? between : [])
                    + [(6, .input(.clientCommand(CommandID(3), automatic))), (6, .effect(.connect(link)))]
            ) { checker.observe($0, $1, into: &violations) }
            #expect(violations.map(\.rule) == rules)
        }
    }
}
