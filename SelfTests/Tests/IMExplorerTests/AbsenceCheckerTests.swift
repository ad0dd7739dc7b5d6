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

/// Tests of checkers for behaviour without a network, a connection or an answer of the server.
@Suite struct AbsenceCheckerTests: CheckerScript {
    private func accepted(_ reply: LoginReply = LoginReply(.ok, epoch: 1)) -> SessionEvent.Content {
        .input(.frame(link, Frame(request: 1, .loginAck(reply))))
    }

    private var linked: [(Int64, SessionEvent.Content)] {
        [(0, login()), (0, .effect(.connect(link))), (1, .input(.linkOpened(link)))]
    }

    @Test(arguments: [(false, 1), (true, 0)])
    func anEndThatIsReportedTwiceIsAViolation(_ isRenewed: Bool, _ count: Int) throws {
        var (checker, violations) = (TokenChecker(try policy("agora-chat")), [Violation]())
        let reply = LoginReply(.ok, epoch: 1, serverTimeMilliseconds: 1002, expiresAtMilliseconds: 60_000)
        let warning = SessionEvent.Content.effect(.notify(.tokenWillExpire(inMilliseconds: 9000)))
        let renewal: [(Int64, SessionEvent.Content)] = [(50_500, command(2, .renewToken(credential: "new")))]
        let contents = linked + [(2, accepted(reply)), (50_000, warning)] + (isRenewed ? renewal : [])
        traced(epoch: 1000, contents + [(51_000, warning)]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "CHAT-10", count: count))
    }

    @Test(arguments: [(Status.notFound, 1), (.ok, 0)])
    func aMissingFailedMessageIsAViolation(_ status: Status, _ count: Int) throws {
        var (checker, violations) = (FailedMessageChecker(try policy("zim")), [Violation]())
        traced([
            (Int64(0), command(2, .send(to: "bob", text: "hello"))), (30_000, .input(.deadlineReached)),
            (30_000, done(2, .timeout)), (31_000, command(3, .resend)), (31_000, done(3, status)),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "ZIM-10", count: count))
    }

    @Test(arguments: [("nim", Status.timeout, 1), ("nim", .alreadyLoggedIn, 0), ("agora-chat", .timeout, 0)])
    func anAutologinAfterAFailedConnectIsAViolation(_ profile: String, _ status: Status, _ count: Int) throws {
        var (checker, violations) = (LoginCallChecker(try policy(profile)), [Violation]())
        let automatic = ClientCommand.login(user: "alice", credential: "", mode: .automatic)
        traced([
            (0, login(2)), (10, done(2, status)), (11, command(3, automatic)), (11, .effect(.connect(link))),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "NIM-3", count: count))
    }

    private func loginEvents(
        _ mode: LoginMode, over link: ConnectionID, _ status: Status = .ok
    ) -> [SessionEvent.Content] {
        var request = request()
        request.mode = mode
        let ack = Frame(request: 1, .loginAck(LoginReply(status, epoch: 1)))
        return [.input(.frame(link, Frame(request: 1, .login(request)))), .effect(.send(link, ack))]
    }

    @Test(arguments: [(LoginMode.resume, 1), (.manual, 0)])
    func aKickWithoutAnotherLoginIsAViolation(_ mode: LoginMode, _ count: Int) throws {
        // Under this policy, a returning device may take its slot from another device.
        var checker = EndedLoginChecker(try #require(Dialects.named("agora-chat")).serverPolicy)
        var violations: [Violation] = []
        let ended: [SessionEvent.Content] = [
            .input(.linkClosed(link, .reset)), .input(.serverCommand(CommandID(2), .kick(user: "alice", device: nil))),
        ]
        served(loginEvents(.manual, over: link) + ended + loginEvents(mode, over: ConnectionID(2))) {
            checker.observeServer($0, $1, into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "C-7", count: count))
    }

    @Test(arguments: [("1", 1), ("2", 0)])
    func aLoginBeyondALowerLimitIsAViolation(_ limit: String, _ count: Int) throws {
        var checker = LoginRateChecker(try #require(Dialects.named("nim")).serverPolicy)
        var violations: [Violation] = []
        let lowered = ServerCommand.setPolicy(key: "login-rate-max", value: limit)
        let set = SessionEvent.Content.input(.serverCommand(CommandID(1), lowered))
        served([set] + loginEvents(.manual, over: link) + loginEvents(.manual, over: ConnectionID(2))) {
            checker.observeServer($0, $1, into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "NIM-8", count: count))
    }

    @Test(arguments: [(NetAction.down, 1), (.halfOpen, 0)])
    func aCloseOnALostNetworkIsAViolation(_ action: NetAction, _ count: Int) throws {
        var (checker, violations) = (NetworkChecker(), [Violation]())
        try login(into: &checker, &violations)
        checker.observe(event(3, .environment(.net(action))), ClientTrace(node: 1), into: &violations)
        checker.observeServer(event(4, .input(.linkClosed(link, .reset)), node: "server"), into: &violations)
        #expect(violations.map(\.rule) == Array(repeating: "ZIM-5", count: count))
    }

    @Test(arguments: [
        (NetAction.switchNetwork, NetworkChange?.some(.switched), 1), (.halfOpen, nil, 0), (.down, .down, 0),
    ])
    func aNetworkWithoutConnectionsIsAViolation(_ action: NetAction, _ change: NetworkChange?, _ count: Int) throws {
        var (checker, violations) = (NetworkChecker(), [Violation]())
        try login(into: &checker, &violations)
        checker.observe(event(3, .environment(.net(action))), ClientTrace(node: 1), into: &violations)
        let second = ConnectionID(2)
        let notice = change.map { [(Int64(3), SessionEvent.Content.input(.network($0)))] } ?? []
        traced(
            node: 1,
            notice + [
                (4, .effect(.connect(second))), (20_000, .input(.deadlineReached)),
                (20_000, .effect(.closeLink(second))),
            ]
        ) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "C-9", count: count))
    }

    @Test(arguments: [Int64(203), 103])
    func aCloseWithoutLatencyIsAViolation(_ time: Int64) throws {
        var (checker, violations) = (NetworkChecker(), [Violation]())
        try login(into: &checker, &violations)
        let delay = NetAction.delay(.milliseconds(200), jitter: .zero)
        for content in [.environment(.net(delay)), .effect(.closeLink(link))] as [SessionEvent.Content] {
            checker.observe(event(3, content), ClientTrace(node: 1), into: &violations)
        }
        checker.observeServer(event(time, .input(.linkClosed(link, .closedByPeer)), node: "server"), into: &violations)
        #expect(violations.map(\.kind) == (time == 203 ? [] : ["a close arrives before its delay"]))
    }

    @Test(arguments: [true, false])
    func aCloseThatOvertakesFramesIsAViolation(_ isInOrder: Bool) throws {
        var (checker, violations) = (NetworkChecker(), [Violation]())
        try login(into: &checker, &violations)
        let ack = Frame(.messageAck(id: "1"))
        for content in [.effect(.send(link, ack)), .effect(.closeLink(link))] as [SessionEvent.Content] {
            checker.observe(event(2, content), ClientTrace(node: 1), into: &violations)
        }
        let arrives: [SessionEvent.Content] = isInOrder ? [.input(.frame(link, ack))] : []
        for content in arrives + [.input(.linkClosed(link, .closedByPeer))] {
            checker.observeServer(event(3, content, node: "server"), into: &violations)
        }
        #expect(violations.map(\.kind) == (isInOrder ? [] : ["a close overtakes earlier frames"]))
    }

    @Test(arguments: [(Int64(40), 0), (400, 1)])
    func aLateFrameWithoutADelayIsAViolation(_ taken: Int64, _ count: Int) throws {
        var (checker, violations) = (NetworkChecker(), [Violation]())
        try login(into: &checker, &violations)
        // The delay was removed, so it must not delay the frame.
        for action in [NetAction.delay(.zero, jitter: .seconds(3)), .clear] {
            checker.observe(event(1, .environment(.net(action))), ClientTrace(node: 1), into: &violations)
        }
        let ack = Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1)))
        checker.observeServer(event(2, .effect(.send(link, ack)), node: "server"), into: &violations)
        checker.observe(event(2 + taken, .input(.frame(link, ack))), ClientTrace(node: 1), into: &violations)
        #expect(
            checker.violation(of: 1).map { [$0.kind] } ?? [] == (count == 0 ? [] : ["a frame arrives after its delay"]))
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
            checker.observe(event(0, content), ClientTrace(node: 1), into: &violations)
        }
        checker.observeServer(event(1, .input(.frame(link, frame)), node: "server"), into: &violations)
    }
}
