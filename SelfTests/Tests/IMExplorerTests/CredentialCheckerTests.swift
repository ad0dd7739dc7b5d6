import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import SansIO
import Testing

@testable import IMCheckers
@testable import IMExplorer

/// Checkers of credentials and expiry, of accepted logins, and of pushes after a logout.
@Suite struct CredentialCheckerTests: CheckerScript {
    @Test(arguments: [
        (Status.ok, "new", 0), (.ok, "old", 1), (.wrongCredential, "new", 1), (.wrongCredential, "old", 0),
    ])
    func aLoginThatShowsAnotherTokenIsSeen(_ status: Status, _ shown: String, _ count: Int) {
        var (checker, violations) = (CredentialChecker(), [Violation]())
        traced([
            (0, login(credential: "old")), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
            (2, .input(.clientCommand(CommandID(2), .renewToken(credential: "new")))),
            (3, .effect(.complete(CommandID(2), Completion(status)))),
            (4, .effect(.send(link, Frame(.login(request(credential: shown)))))),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.count == count)
    }

    @Test func aTokenThatEndsWithoutAWarningIsSeen() throws {
        // ZIM warns thirty seconds before the expiry, and not at all if there is no time for that.
        for (lifetime, isWarned, kinds) in [
            (60_000, false, ["a token ends without a warning"]), (60_000, true, []), (20_000, false, []),
        ] as [(Int64, Bool, [String])] {
            var (checker, violations) = (TokenChecker(try policy("zim")), [Violation]())
            let reply = LoginReply(.ok, epoch: 1, serverTimeMilliseconds: 1002, expiresAtMilliseconds: 1000 + lifetime)
            let warning = SessionEvent.Content.effect(.notify(.tokenWillExpire(inMilliseconds: 30_000)))
            traced([
                (0, login()), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
                (2, .input(.frame(link, Frame(.loginAck(reply))))),
                (lifetime - 30_000, isWarned ? warning : .input(.deadlineReached)),
                (lifetime, .effect(.transition(StateChange(from: .online, to: .tokenExpired, reason: .tokenExpired)))),
            ]) { checker.observe($0, $1, epochMilliseconds: 1000, into: &violations) }
            #expect(violations.map(\.kind) == kinds, "\(lifetime) ms, warned: \(isWarned)")
        }
    }

    @Test(arguments: [(60, true, 0), (60, false, 1), (-60, false, 0), (-60, true, 1)])
    func whatTheDevicesClockSaysOfATokenIsSeen(_ minutes: Int64, _ isTold: Bool, _ count: Int) {
        var (checker, violations) = (OfflineTokenChecker(), [Violation]())
        let clock = TokenClock(expiresAtMilliseconds: 1000 + 600_000, deviceMilliseconds: 1000)
        let offline = ClientCommand.login(user: "alice", credential: "old", mode: .offline, clock: clock)
        traced([
            (0, .input(.clientCommand(CommandID(1), offline))),
            (0, .effect(.complete(CommandID(1), Completion(.ok)))),
            (10_000, .input(.app(.clockSet(by: .minutes(minutes))))),
            (10_000, isTold ? .effect(.notify(.tokenExpired)) : .input(.deadlineReached)),
            (20_000, .input(.deadlineReached)),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "C-10", count: count))
    }

    @Test func aKickThatIsNotConfirmedIsSeen() {
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

    @Test func aLinkOfTheNetworkOfBeforeIsSeen() throws {
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

    @Test func whatWasSaidInAChannelBeforeTheLoginIsSeen() throws {
        for (saidAt, rules) in [(5, ["RTM-8"]), (15, [])] as [(Int64, [String])] {
            let server = try #require(Dialects.named("agora-rtm")).serverPolicy
            var (checker, violations) = (MessageChecker(client: try policy("agora-rtm"), server: server), [Violation]())
            let message = ChatMessage(id: "1", from: "bob", to: "lobby", text: "hello", isToChannel: true)
            let asked = SessionEvent.Content.input(.frame(ConnectionID(7), Frame(request: 3, .send(message))))
            let taken = SessionEvent.Content.effect(.send(ConnectionID(7), Frame(request: 3, .sendAck(.ok, id: "1"))))
            func serve() {
                for content in [asked, taken] { checker.observeServer(event(saidAt, content), into: &violations) }
            }
            if saidAt < 10 { serve() }
            checker.observeClient(event(10, login()), user: nil, into: &violations)
            if saidAt > 10 { serve() }
            checker.observeClient(
                event(20, .effect(.notify(.messageReceived(message)))), user: "alice", into: &violations)
            #expect(violations.map(\.rule) == rules)
        }
    }

    /// The server's notification about pushes to a device, and its state.
    @Test(arguments: [(false, false, 0), (true, true, 0), (true, false, 1), (false, true, 1)])
    func aPushThatIsNotAsTheLogoutSaidIsSeen(_ keeps: Bool, _ isSaidToKeep: Bool, _ count: Int) throws {
        var server = ServerMachine(policy: try #require(Dialects.named("nim")).serverPolicy, epochMilliseconds: 0)
        var (checker, effects) = (PushChecker(), [ServerEffect]())
        var login = request()
        login.credential = .verdict(CredentialVerdict(.valid, user: "alice"))
        let trace = ServerTrace()
        func show(_ content: SessionEvent.Content) {
            let event = event(0, content, node: "server")
            trace.note(event)
            checker.observeServer(event, trace)
        }
        let frames = [Frame(request: 1, .login(login)), Frame(request: 2, .logout(keepsPush: keeps))]
        let said = [frames[0], Frame(request: 2, .logout(keepsPush: isSaidToKeep))]
        server.handle(.connectionOpened(link), at: .zero, into: &effects)
        for (done, said) in zip(frames, said) {
            effects.removeAll()
            server.handle(.frameReceived(link, done), at: .zero, into: &effects)
            show(.input(.frame(link, said)))
            for case .send(let id, let frame) in effects { show(.effect(.send(id, frame))) }
        }
        #expect(checker.violations(server).count == count)
    }

    @Test func anAutomaticLoginBehindAKickIsSeen() throws {
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
            ) { checker.observe($0, $1, epochMilliseconds: 0, into: &violations) }
            #expect(violations.map(\.rule) == rules)
        }
    }

    @Test func whoIsShutOutAndLetInIsSeen() {
        let commands: [(ServerCommand, Int)] = [
            (.banAccount("alice"), 1), (.banAccount("bob"), 0), (.setRefusal(user: "alice", .forbidden), 1),
            (.setRefusal(user: "alice", nil), 0), (.addAccount("alice"), 0),
        ]
        for (command, count) in commands {
            var (checker, violations) = (BanChecker(), [Violation]())
            served([
                .input(.serverCommand(CommandID(1), command)), .effect(.complete(CommandID(1), Completion(.ok))),
                .input(.frame(link, Frame(request: 1, .login(request())))),
                .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
            ]) { checker.observeServer($0, $1, into: &violations) }
            #expect(violations.count == count, "\(command)")
        }
    }

    @Test(arguments: [true, false])
    func whoIsRefusedEverythingAndServedIsSeen(_ isLifted: Bool) {
        var (checker, violations) = (BanChecker(), [Violation]())
        let frames: [SessionEvent.Content] = [
            .input(.frame(link, Frame(request: 1, .login(request())))),
            .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
        ]
        func refuse(_ status: Status?) -> [SessionEvent.Content] {
            [
                .input(.serverCommand(CommandID(1), .setRefusal(user: "alice", status))),
                .effect(.complete(CommandID(1), Completion(.ok))),
            ]
        }
        served(
            frames + refuse(.forbidden) + (isLifted ? refuse(nil) : [])
                + [.effect(.send(link, Frame(request: 2, .sendAck(.ok, id: "1"))))]
        ) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.kind) == (isLifted ? [] : ["a user who is refused everything is served"]))
    }

    @Test(arguments: [true, false])
    func aLoginThatGoesOnWithTheTokenBeforeIsSeen(_ isBegunAnew: Bool) {
        var (checker, violations) = (CredentialChecker(), [Violation]())
        func shows(_ credential: String, on link: ConnectionID) -> SessionEvent.Content {
            .effect(.send(link, Frame(request: 1, .login(request(credential: credential)))))
        }
        let second = isBegunAnew ? ConnectionID(2) : link
        var contents: [(Int64, SessionEvent.Content)] = [
            (0, login(credential: "old")), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
            (1, shows("old", on: link)), (2, .input(.clientCommand(CommandID(2), .renewToken(credential: "new")))),
            (2, .effect(.complete(CommandID(2), Completion(.ok)))),
        ]
        if isBegunAnew {
            contents += [
                (2, .effect(.closeLink(link))), (2, .effect(.connect(second))), (3, .input(.linkOpened(second))),
                (3, shows("new", on: second)),
            ]
        }
        contents.append((4, .input(.frame(second, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1)))))))
        traced(contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.kind) == (isBegunAnew ? [] : ["a login goes on with the token before"]))
    }

    @Test func aPartOfASyncThatIsMissingIsSeen() {
        for (new, isFine) in [(3, true), (2, false)] {
            var (checker, violations) = (SyncChecker(), [Violation]())
            let command = ServerCommand.populate(user: "alice", [SyncAmount(.groups, 3)])
            served([
                .input(.serverCommand(CommandID(1), command)), .effect(.complete(CommandID(1), Completion(.ok))),
            ]) { checker.observeServer($0, $1, into: &violations) }
            traced([
                (1, login()), (1, .effect(.connect(link))), (2, .input(.linkOpened(link))),
                (3, .input(.frame(link, Frame(.loginAck(LoginReply(.ok, epoch: 1)))))),
                (4, .effect(.notify(.synced(.groups, new: new)))),
            ]) { checker.observeClient($0, $1) }
            #expect((checker.violation(of: "phone", user: "alice") == nil) == isFine)
        }
    }

    @Test func aLoginThatTheOperatorEndedUntoldIsSeen() throws {
        let policy = try #require(Dialects.named("agora-chat")).serverPolicy
        for isTold in [true, false] {
            var (checker, violations) = (OperatorKickChecker(policy), [Violation]())
            let kicked = SessionEvent.Content.effect(.send(link, Frame(.kicked(KickNotice(reason: .banned, epoch: 1)))))
            served([
                .input(.frame(link, Frame(request: 1, .login(request())))),
                .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
                .input(.serverCommand(CommandID(1), .banAccount("alice"))),
                isTold ? kicked : .effect(.closeLink(ConnectionID(9))),
                .effect(.complete(CommandID(1), Completion(.ok))), .input(.deadlineReached),
            ]) { checker.observeServer($0, $1, into: &violations) }
            #expect(violations.map(\.rule) == (isTold ? [] : ["C-7"]))
        }
    }
}
