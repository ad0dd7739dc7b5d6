import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMTree
import SansIO
import Testing

@testable import IMCheckers
@testable import IMExplorer

/// Checkers of behaviour without a network, a connection or an answer of the server.
@Suite struct AbsenceCheckerTests: CheckerScript {
    private func accepted(_ reply: LoginReply = LoginReply(.ok, epoch: 1)) -> SessionEvent.Content {
        .input(.frame(link, Frame(request: 1, .loginAck(reply))))
    }

    private var linked: [(Int64, SessionEvent.Content)] {
        [(0, login()), (0, .effect(.connect(link))), (1, .input(.linkOpened(link)))]
    }

    @Test(arguments: [(false, false, 1), (false, true, 0), (true, false, 0)])
    func aMessageThatWaitsForAFirstConnectionIsSeen(_ wasSeen: Bool, _ isRefused: Bool, _ count: Int) {
        var (checker, violations) = (OfflineCallChecker(), [Violation]())
        let offline = ClientCommand.login(user: "alice", credential: "", mode: .offline)
        var contents: [(Int64, SessionEvent.Content)] = [(0, command(2, offline)), (0, done(2, .ok))]
        contents += [(0, .effect(.connect(link))), (1, .input(.linkOpened(link)))]
        if wasSeen { contents.append((2, accepted())) }
        contents.append((3, command(3, .send(to: "bob", text: "hello"))))
        if isRefused { contents.append((3, done(3, .networkUnavailable))) }
        traced(contents + [(4, .input(.deadlineReached))]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "ZIM-3", count: count))
    }

    @Test(arguments: [(ClientState.reconnecting, 1), (.loggedOut, 0)])
    func aLogoutThatLeavesPushBoundAndFailsIsSeen(_ state: ClientState, _ count: Int) throws {
        var (checker, violations) = (LogoutChecker(try policy("agora-chat")), [Violation]())
        traced([
            (3, command(2, .logout(keepsPush: true))),
            (4, .effect(.transition(StateChange(from: .online, to: state, reason: .logout)))), (4, done(2, .timeout)),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "CHAT-11", count: count))
    }

    @Test(arguments: [(false, 1), (true, 0)])
    func anEndThatIsAnnouncedTwiceIsSeen(_ isRenewed: Bool, _ count: Int) throws {
        var (checker, violations) = (TokenChecker(try policy("agora-chat")), [Violation]())
        let reply = LoginReply(.ok, epoch: 1, serverTimeMilliseconds: 1002, expiresAtMilliseconds: 60_000)
        let warning = SessionEvent.Content.effect(.notify(.tokenWillExpire(inMilliseconds: 9000)))
        let renewal: [(Int64, SessionEvent.Content)] = [(50_500, command(2, .renewToken(credential: "new")))]
        let contents = linked + [(2, accepted(reply)), (50_000, warning)] + (isRenewed ? renewal : [])
        traced(contents + [(51_000, warning)]) { checker.observe($0, $1, epochMilliseconds: 1000, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "CHAT-10", count: count))
    }

    @Test(arguments: [(Int64(7), true, 0), (8, true, 1), (7, false, 1)])
    func aReadOfAnotherValueThanOnesOwnIsSeen(_ value: Int64, _ isTaken: Bool, _ count: Int) {
        var (checker, violations) = (OwnWriteChecker(), [Violation]())
        let path = "\(TreeLedger.own)/phone"
        let (seven, shown) = (TreeNode(.number(7)), TreeNode(.number(Double(value))))
        let row = AnswerRow([("path", path), ("value", shown.description)])
        let second = TreeNode(.number(9))
        let contents: [SessionEvent.Content] = [
            command(1, .tree(.set(path: path, isTaken ? seven : second))), done(1, .ok),
            command(2, .tree(.get(path: path))), done(2, .ok, rows: [row]),
        ]
        for content in contents {
            checker.observe(event(0, content), ClientTrace(), isReliable: true, isKept: true, into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "SYNC-4", count: count))
    }

    /// The device's clock is an hour early when the second connection is opened.
    @Test(arguments: [(-3_600_000.0, nil), (0.0, "SYNC-5")])
    func anOffsetOfAnOlderLinkIsSeen(_ told: Double, _ rule: String?) {
        var (checker, violations) = (ClockOffsetChecker(), [Violation]())
        let clock = TokenClock(deviceMilliseconds: 1_000_000)
        let reply = LoginReply(.ok, epoch: 1, serverTimeMilliseconds: 1_000_010)
        let path = ".info/serverTimeOffset"
        traced(
            [(0, command(1, .tree(.listen(path: path), clock: clock))), (5, .input(.app(.clockSet(by: .minutes(60)))))]
                + linked
                + [
                    (10, accepted(reply)),
                    (10, .effect(.notify(.treeValue(path: path, TreeNode(.number(told)), nil)))),
                ]
        ) { checker.observe($0, $1, epochMilliseconds: 1_000_000, into: &violations) }
        #expect(checker.violation?.rule == rule)
        #expect(violations.isEmpty)
    }

    /// The device's clock is a second early, and the server has sent the time.
    @Test(arguments: [(1_000_120.0, nil), (999_120.0, "SYNC-7")])
    func aTimeThatIsEstimatedWronglyIsSeen(_ shown: Double, _ rule: String?) {
        var (checker, violations) = (ClockOffsetChecker(), [Violation]())
        let clock = TokenClock(deviceMilliseconds: 999_000)
        traced(
            [(0, command(1, .tree(.listen(path: "a"), clock: clock)))] + linked
                + [
                    (10, accepted(LoginReply(.ok, epoch: 1, serverTimeMilliseconds: 1_000_010))),
                    (120, command(2, .tree(.set(path: "a", TreeNode(.serverTimestamp)), clock: clock))),
                    (120, .effect(.notify(.treeValue(path: "a", TreeNode(.number(shown)), nil)))),
                ]
        ) { checker.observe($0, $1, epochMilliseconds: 1_000_000, into: &violations) }
        #expect(violations.first?.rule == rule)
    }

    /// RTM holds presence for thirty seconds after the heartbeat that did not come.
    @Test(arguments: [(Int64(30_500), 0), (31_500, 1)])
    func whoIsHeldForTooLongIsSeen(_ time: Int64, _ count: Int) throws {
        let policy = try #require(Dialects.named("agora-rtm")).serverPolicy
        var (checker, violations) = (PresenceHoldChecker(policy), [Violation]())
        let heard = Frame(request: 1, .login(request()))
        let trace = ServerTrace()
        let silent = policy.silenceLimit.inMilliseconds
        let contents: [(Int64, SessionEvent.Content)] = [
            (0, .input(.linkOpened(link))), (0, .input(.frame(link, heard))),
            (0, .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1)))))),
            (silent, .input(.deadlineReached)), (silent, .effect(.closeLink(link))),
            (max(time, silent), .input(.deadlineReached)),
            (max(time, silent), .effect(.presence(user: "alice", device: "phone-1", .offline))),
            (max(time, silent) + 1000, .input(.deadlineReached)),
        ]
        for (time, content) in contents {
            let event = event(time, content, node: "server")
            trace.note(event)
            checker.observeServer(event, trace, into: &violations)
        }
        let latest = policy.silenceLimit.inMilliseconds
        #expect(
            violations.count == (max(time, silent) > latest + 1 ? 1 : 0), "given up \(max(time, silent)), \(latest)")
        #expect(violations.count == count)
    }

    @Test(arguments: [(Status.notFound, 1), (.ok, 0)])
    func aFailedMessageThatIsGoneIsSeen(_ status: Status, _ count: Int) throws {
        var (checker, violations) = (FailedMessageChecker(try policy("zim")), [Violation]())
        traced([
            (Int64(0), command(2, .send(to: "bob", text: "hello"))), (30_000, .input(.deadlineReached)),
            (30_000, done(2, .timeout)), (31_000, command(3, .resend)), (31_000, done(3, status)),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "ZIM-10", count: count))
    }

    @Test(arguments: [(false, 1), (true, 0)])
    func aPullThatEndsWithoutABeginningIsSeen(_ isBegunAnew: Bool, _ count: Int) {
        var (checker, violations) = (SyncAnnouncementChecker(), [Violation]())
        let begun = SessionEvent.Content.effect(.notify(.syncStarted))
        let broken: [(Int64, SessionEvent.Content)] = [(2, begun), (3, .input(.linkClosed(link, .reset)))]
        let anew: [(Int64, SessionEvent.Content)] = isBegunAnew ? [(Int64(5), begun)] : []
        traced(linked + broken + anew + [(6, .effect(.notify(.syncFinished)))]) {
            checker.observe($0, $1, into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "CHAT-12", count: count))
    }

    @Test(arguments: [
        ("groups-1", "alice", []), ("groups-2", "alice", ["NIM-14"]), ("groups-2", "bob", ["C-13", "NIM-14"]),
    ])
    func aThingThatASyncBroughtAndIsNotThereIsSeen(_ shown: String, _ owner: String, _ rules: [String]) {
        var (checker, violations) = (SyncItemChecker(), [Violation]())
        let item = SyncItem(id: "groups-1", text: "a group")
        let online = StateChange(from: .connecting, to: .online, reason: .loginSucceeded)
        traced(
            linked
                + [
                    (2, accepted()), (2, .effect(.transition(online))),
                    (3, .input(.frame(link, Frame(.syncPhase(.groups, count: 1, items: [item]))))),
                    (3, .effect(.keep(LocalItem(user: owner, kind: .group, id: shown, text: "a group")))),
                    (4, command(2, .query(.items))), (4, done(2, .ok, rows: [AnswerRow([("id", shown)])])),
                ]
        ) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [("nim", Status.timeout, 1), ("nim", .alreadyLoggedIn, 0), ("agora-chat", .timeout, 0)])
    func anAutomaticLoginBehindOneThatReachedNobodyIsSeen(_ profile: String, _ status: Status, _ count: Int) throws {
        var (checker, violations) = (LoginCallChecker(try policy(profile)), [Violation]())
        let automatic = ClientCommand.login(user: "alice", credential: "", mode: .automatic)
        traced([
            (0, login(2)), (10, done(2, status)), (11, command(3, automatic)), (11, .effect(.connect(link))),
        ]) { checker.observe($0, $1, epochMilliseconds: 0, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "NIM-3", count: count))
    }

    @Test(arguments: [(Status.ok, 1), (.networkUnavailable, 0)])
    func aLogoutThatUnbindsPushWithoutTheServerIsSeen(_ status: Status, _ count: Int) throws {
        var (checker, violations) = (LogoutChecker(try policy("agora-chat")), [Violation]())
        let opening = DataRequest(generation: 1, .open(user: "alice"))
        let trying = StateChange(from: .loggedOut, to: .connecting, reason: .login)
        traced([
            (0, login()), (0, .effect(.transition(trying))), (0, .effect(.connect(link))), (0, .effect(.data(opening))),
            (1, command(2, .logout(keepsPush: false))), (1, done(2, status)),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "CHAT-11", count: count))
    }

    @Test(arguments: [(Status.wrongCredential, 1), (.rateLimited, 0)])
    func aPasswordThatWasChangedAndIsCalledWrongIsSeen(_ status: Status, _ count: Int) throws {
        var checker = EndedLoginChecker(try #require(Dialects.named("agora-chat")).serverPolicy)
        var violations: [Violation] = []
        let changed: [SessionEvent.Content] = [
            .input(.linkClosed(link, .reset)), .input(.serverCommand(CommandID(2), .passwordChanged(user: "alice"))),
        ]
        let again = asked(.resume, over: ConnectionID(2), status)
        served(asked(.manual, over: link) + changed + again) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "CHAT-10", count: count))
    }

    private func asked(
        _ mode: LoginMode, over link: ConnectionID, _ status: Status = .ok
    ) -> [SessionEvent.Content] {
        var request = request()
        request.mode = mode
        let ack = Frame(request: 1, .loginAck(LoginReply(status, epoch: 1)))
        return [.input(.frame(link, Frame(request: 1, .login(request)))), .effect(.send(link, ack))]
    }

    @Test(arguments: [(LoginMode.resume, 1), (.manual, 0)])
    func aKickedDeviceOfWhomNobodyHasTakenThePlaceIsSeen(_ mode: LoginMode, _ count: Int) throws {
        // Under this policy a returning device may take its slot from another one.
        var checker = EndedLoginChecker(try #require(Dialects.named("agora-chat")).serverPolicy)
        var violations: [Violation] = []
        let ended: [SessionEvent.Content] = [
            .input(.linkClosed(link, .reset)), .input(.serverCommand(CommandID(2), .kick(user: "alice", device: nil))),
        ]
        served(asked(.manual, over: link) + ended + asked(mode, over: ConnectionID(2))) {
            checker.observeServer($0, $1, into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "C-7", count: count))
    }

    @Test(arguments: [("1", 1), ("2", 0)])
    func aLoginBeyondALowerLimitIsSeen(_ limit: String, _ count: Int) throws {
        var checker = LoginRuleChecker(try #require(Dialects.named("nim")).serverPolicy)
        var violations: [Violation] = []
        let lowered = ServerCommand.setPolicy(key: "login-rate-max", value: limit)
        let set = SessionEvent.Content.input(.serverCommand(CommandID(1), lowered))
        served([set] + asked(.manual, over: link) + asked(.manual, over: ConnectionID(2))) {
            checker.observeServer($0, $1, into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "NIM-8", count: count))
    }

    @Test(arguments: [(NetAction.down, 1), (.halfOpen, 0)])
    func aNetworkThatSaysGoodbyeIsSeen(_ action: NetAction, _ count: Int) throws {
        var (checker, violations) = (NetworkChecker(), [Violation]())
        try login(into: &checker, &violations)
        checker.observeClient(event(3, .environment(.net(action))), 1, ClientTrace(), into: &violations)
        checker.observeServer(event(4, .input(.linkClosed(link, .reset)), node: "server"), into: &violations)
        #expect(violations.map(\.rule) == Array(repeating: "ZIM-5", count: count))
    }

    @Test(arguments: [
        (NetAction.switchNetwork, NetworkChange?.some(.switched), 1), (.halfOpen, nil, 0), (.down, .down, 0),
    ])
    func aNetworkThatConnectsNobodyIsSeen(_ action: NetAction, _ change: NetworkChange?, _ count: Int) throws {
        var (checker, violations) = (NetworkChecker(), [Violation]())
        try login(into: &checker, &violations)
        checker.observeClient(event(3, .environment(.net(action))), 1, ClientTrace(), into: &violations)
        let second = ConnectionID(2)
        let told = change.map { [(Int64(3), SessionEvent.Content.input(.network($0)))] } ?? []
        traced(
            told + [
                (4, .effect(.connect(second))), (20_000, .input(.deadlineReached)),
                (20_000, .effect(.closeLink(second))),
            ]
        ) { checker.observeClient($0, 1, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "C-9", count: count))
    }

    @Test(arguments: [Int64(203), 103])
    func anEndThatTakesNoTimeIsSeen(_ time: Int64) throws {
        var (checker, violations) = (NetworkChecker(), [Violation]())
        try login(into: &checker, &violations)
        let delay = NetAction.delay(.milliseconds(200), jitter: .zero)
        for content in [.environment(.net(delay)), .effect(.closeLink(link))] as [SessionEvent.Content] {
            checker.observeClient(event(3, content), 1, ClientTrace(), into: &violations)
        }
        checker.observeServer(event(time, .input(.linkClosed(link, .closedByPeer)), node: "server"), into: &violations)
        #expect(violations.map(\.kind) == (time == 203 ? [] : ["an end comes before its delay is over"]))
    }

    @Test(arguments: [true, false])
    func anEndThatOvertakesIsSeen(_ isInOrder: Bool) throws {
        var (checker, violations) = (NetworkChecker(), [Violation]())
        try login(into: &checker, &violations)
        let ack = Frame(.messageAck(id: "1"))
        for content in [.effect(.send(link, ack)), .effect(.closeLink(link))] as [SessionEvent.Content] {
            checker.observeClient(event(2, content), 1, ClientTrace(), into: &violations)
        }
        let arrives: [SessionEvent.Content] = isInOrder ? [.input(.frame(link, ack))] : []
        for content in arrives + [.input(.linkClosed(link, .closedByPeer))] {
            checker.observeServer(event(3, content, node: "server"), into: &violations)
        }
        #expect(violations.map(\.kind) == (isInOrder ? [] : ["an end overtakes what was said before it"]))
    }

    @Test(arguments: [(Int64(40), 0), (400, 1)])
    func aFrameThatIsLateWithoutADelayIsSeen(_ taken: Int64, _ count: Int) throws {
        var (checker, violations) = (NetworkChecker(), [Violation]())
        try login(into: &checker, &violations)
        // A delay that was removed delays nothing.
        for action in [NetAction.delay(.zero, jitter: .seconds(3)), .clear] {
            checker.observeClient(event(1, .environment(.net(action))), 1, ClientTrace(), into: &violations)
        }
        let ack = Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1)))
        checker.observeServer(event(2, .effect(.send(link, ack)), node: "server"), into: &violations)
        checker.observeClient(event(2 + taken, .input(.frame(link, ack))), 1, ClientTrace(), into: &violations)
        #expect(
            checker.violation(of: 1).map { [$0.kind] } ?? [] == (count == 0 ? [] : ["a frame comes behind its delay"]))
    }

    private func login(into checker: inout NetworkChecker, _ violations: inout [Violation]) throws {
        let start = StartRecord(
            name: "phone", profile: "nim",
            body: .client(
                policy: try policy("nim"), device: Device(id: "phone-1", platform: .ios), local: LocalData(), seed: 1,
                firstConnection: link, nonce: nil))
        let frame = Frame(request: 1, .login(request()))
        for content in [.start(start), .input(.linkOpened(link)), .effect(.send(link, frame))]
            as [SessionEvent.Content]
        {
            checker.observeClient(event(0, content), 1, ClientTrace(), into: &violations)
        }
        checker.observeServer(event(1, .input(.frame(link, frame)), node: "server"), into: &violations)
    }

    @Test(arguments: [(false, 1), (true, 0)])
    func aPullThatBeginsTwiceIsSeen(_ hasEnded: Bool, _ count: Int) {
        var (checker, violations) = (SyncAnnouncementChecker(), [Violation]())
        let begun = SessionEvent.Content.effect(.notify(.syncStarted))
        let ended: [(Int64, SessionEvent.Content)] = hasEnded ? [(3, .effect(.notify(.syncFinished)))] : []
        traced(linked + [(2, begun)] + ended + [(4, begun)]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "CHAT-12", count: count))
    }

    @Test(arguments: [
        ("agora-chat", ClientState.reconnecting, 1), ("agora-chat", .loggedOut, 0), ("nim", .connecting, 1),
    ])
    func aLogoutThatNeedsNobodyAndDoesNothingIsSeen(_ profile: String, _ state: ClientState, _ count: Int) throws {
        var (checker, violations) = (LogoutChecker(try policy(profile)), [Violation]())
        let trying = StateChange(from: .loggedOut, to: .connecting, reason: .login)
        traced([
            (0, login()), (0, .effect(.transition(trying))), (0, .effect(.connect(link))),
            (1, command(2, .logout(keepsPush: false))),
            (1, .effect(.transition(StateChange(from: .connecting, to: state, reason: .logout)))),
            (1, done(2, .networkUnavailable)),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "CHAT-11", count: count))
    }

    @Test(arguments: [(["one", "two"], 0), (["two", "one"], 1)])
    func messagesThatGoOutInAnotherOrderAreSeen(_ order: [String], _ count: Int) {
        var (checker, violations) = (SendOrderChecker(), [Violation]())
        let asked: [(Int64, SessionEvent.Content)] = ["one", "two"].enumerated().map { index, text in
            (Int64(index), command(UInt32(index + 2), .send(to: "bob", text: text)))
        }
        let sent: [(Int64, SessionEvent.Content)] = order.map { text in
            (9, .effect(.send(link, Frame(.send(ChatMessage(id: text, from: "alice", to: "bob", text: text))))))
        }
        traced(asked + [(9, .input(.linkOpened(link)))] + sent) { event, _ in checker.observe(event, into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "C-14", count: count))
    }
}
