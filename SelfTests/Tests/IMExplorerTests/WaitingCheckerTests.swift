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

/// Tests of checkers for waiting messages, late or missing notifications, and credentials.
@Suite struct WaitingCheckerTests: CheckerScript {
    private func disconnected(_ link: ConnectionID, at time: Int64) -> [(Int64, SessionEvent.Content)] {
        [
            (time, .input(.linkClosed(link, .reset))),
            (time, .effect(.transition(StateChange(from: .online, to: .reconnecting, reason: .interrupted)))),
        ]
    }

    @Test(arguments: [true, false])
    func aRetryDelayAfterTheNetworksReturnIsAViolation(_ isTried: Bool) throws {
        var (checker, violations) = (RetryChecker(try policy("nim")), [Violation]())
        var contents = online() + disconnected(link, at: 3)
        contents.append((9, .input(.network(.up))))
        if isTried { contents.append((9, .effect(.connect(ConnectionID(2))))) }
        traced(contents + [(10, .input(.app(.background)))]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isTried ? [] : ["C-9"]))
    }

    @Test(arguments: [true, false])
    func anUnprobedLinkAfterASleepIsAViolation(_ isProbed: Bool) throws {
        var (checker, violations) = (HeartbeatChecker(try policy("nim")), [Violation]())
        var contents = online()
        contents.append((9, .input(.app(.woke(slept: .seconds(1))))))
        if isProbed { contents.append((9, .effect(.send(link, Frame(.heartbeat))))) }
        traced(contents + [(10, .input(.app(.background)))]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isProbed ? [] : ["C-10"]))
    }

    /// RTM hides a broken connection from the app for 4 s.
    @Test(arguments: [(3999, 1), (4000, 0)])
    func anEarlyReportOfABrokenLinkIsAViolation(_ time: Int64, _ count: Int) throws {
        var (checker, violations) = (LinkChecker(try policy("agora-rtm")), [Violation]())
        let notification = StateChange(from: .online, to: .reconnecting, reason: .interrupted)
        let contents: [(Int64, SessionEvent.Content)] = [
            (10, .input(.linkClosed(link, .reset))), (10 + time, .input(.deadlineReached)),
            (10 + time, .effect(.transition(notification))),
        ]
        traced(online() + contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.filter { $0.rule == "RTM-3" }.count == count)
    }

    @Test(arguments: [(4000, 0), (4001, 1)])
    func aLateReportOfABrokenLinkIsAViolation(_ time: Int64, _ count: Int) throws {
        var (checker, violations) = (LinkChecker(try policy("agora-rtm")), [Violation]())
        let contents = online() + [(10, .input(.linkClosed(link, .reset))), (10 + time, .input(.deadlineReached))]
        traced(contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.filter { $0.rule == "RTM-3" }.count == count)
    }

    @Test(arguments: [true, false])
    func anIncompleteCommandAtTheEndIsAViolation(_ isOrderly: Bool) throws {
        var (links, commands) = (LinkChecker(try policy("nim")), CommandChecker(try policy("nim")))
        var violations: [Violation] = []
        var contents = online()
        contents.append((3, .effect(.complete(CommandID(1), Completion(.ok)))))
        contents.append((4, .input(.clientCommand(CommandID(2), .send(to: "bob", text: "hello")))))
        contents.append((5, .input(.app(.closing))))
        if isOrderly {
            contents.append((5, .effect(.closeLink(link))))
            contents.append((5, .effect(.complete(CommandID(2), Completion(.cancelled)))))
        }
        traced(contents + [(6, .stop)]) {
            links.observe($0, $1, into: &violations)
            commands.observe($0, $1, into: &violations)
        }
        #expect(violations.map(\.rule) == (isOrderly ? [] : ["C-4", "C-1"]))
    }

    @Test(arguments: [(Status.ok, 29_000, 1), (.ok, 30_000, 0), (.credentialTooShort, 29_000, 0)])
    func anOfflineLoginWithAShortTokenIsAViolation(_ status: Status, _ life: Int64, _ count: Int) throws {
        var (checker, violations) = (LoginCallChecker(try policy("zim")), [Violation]())
        let clock = TokenClock(expiresAtMilliseconds: 1_000_000 + life, deviceMilliseconds: 1_000_000)
        let command = ClientCommand.login(user: "alice", credential: "t", mode: .offline, clock: clock)
        var local = LocalData()
        local.lastUser = "alice"
        traced([
            (0, .effect(.persist(local))), (1, .input(.clientCommand(CommandID(2), command))),
            (1, .effect(.complete(CommandID(2), Completion(status)))),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "ZIM-1", count: count))
    }

    /// The device's clock is an hour late, but the client has the server's time.
    @Test(arguments: [(Int64(29_000), 1), (31_000, 0)])
    func anOfflineLoginIsCheckedAgainstTheKnownTime(_ life: Int64, _ count: Int) throws {
        var (checker, violations) = (LoginCallChecker(try policy("zim")), [Violation]())
        let (epoch, now) = (Int64(10_000_000), Int64(5))
        let clock = TokenClock(
            expiresAtMilliseconds: epoch + now + life, deviceMilliseconds: epoch + now - 3_600_000)
        let command = ClientCommand.login(user: "alice", credential: "t", mode: .offline, clock: clock)
        let reply = LoginReply(.ok, epoch: 1, serverTimeMilliseconds: epoch + 3)
        let timed = Frame(request: 1, .loginAck(reply))
        var local = LocalData()
        local.lastUser = "alice"
        traced(
            epoch: epoch,
            online() + [
                (3, .input(.frame(link, timed))),
                (4, .effect(.persist(local))), (now, .input(.clientCommand(CommandID(2), command))),
                (now, .effect(.complete(CommandID(2), Completion(.ok)))),
            ]
        ) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "ZIM-1", count: count))
    }

    @Test(arguments: [
        (CredentialVerdict(.valid, user: "alice", issuedAtMilliseconds: 1000), false),
        (CredentialVerdict(.valid, user: "alice", issuedAtMilliseconds: 999), true),
        (CredentialVerdict(.valid, user: "bob"), true), (CredentialVerdict(.expired, user: "alice"), true),
        (CredentialVerdict(.wrong), true), (CredentialVerdict(.missing), true),
    ])
    func anInvalidCredentialIsAViolation(_ verdict: CredentialVerdict, _ isFlawed: Bool) throws {
        var (checker, violations) = (
            CredentialUseChecker(try #require(Dialects.named("nim")).serverPolicy), [Violation]()
        )
        var loginRequest = request()
        loginRequest.credential = .verdict(verdict)
        served(
            epoch: 1000,
            [
                .input(.serverCommand(CommandID(1), .passwordChanged(user: "alice"))),
                .effect(.complete(CommandID(1), Completion(.ok))),
                .input(.frame(link, Frame(request: 1, .login(loginRequest)))), .effect(.send(link, accepted)),
                .input(.frame(link, Frame(request: 2, .renewToken(.verdict(verdict))))),
                .effect(.send(link, Frame(request: 2, .renewTokenAck(.ok, expiresAtMilliseconds: 0)))),
            ]
        ) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isFlawed ? ["C-11", "P11"] : []))
    }

    @Test(arguments: [(0, "not notified"), (1, nil), (2, "twice")])
    func anOperationThatIsNotReportedOnceIsAViolation(_ times: Int, _ kind: String?) {
        var (checker, violations) = (OperationChecker(), [Violation]())
        let operation = DeviceOperation(id: "1", kind: .groupCreate, target: "x")
        served([
            .input(.frame(link, Frame(request: 1, .login(request())))), .effect(.send(link, accepted)),
            .effect(.send(link, Frame(.operated(operation)))),
        ]) { checker.observeServer($0, $1, into: &violations) }
        for _ in 0..<times {
            checker.observe(
                event(1, .effect(.notify(.operated(operation)))), trace(of: "alice"), into: &violations)
        }
        if let violation = checker.missing(at: "phone", ServerTrace.DeviceSlot(user: "alice", device: "phone-1")) {
            violations.append(violation)
        }
        #expect(violations.map { $0.kind.contains(kind ?? "-") } == (kind == nil ? [] : [true]))
    }

    @Test(arguments: [(["1", "2"], []), (["2", "1"], ["CHAT-8"])])
    func operationsOutOfOrderAreAViolation(_ order: [String], _ rules: [String]) {
        var (checker, violations) = (OperationChecker(), [Violation]())
        func operation(_ id: String) -> DeviceOperation { DeviceOperation(id: id, kind: .contactBan, target: "x") }
        served([
            .input(.frame(link, Frame(request: 1, .login(request())))), .effect(.send(link, accepted)),
            .effect(.send(link, Frame(.operated(operation("1"))))),
            .effect(.send(link, Frame(.operated(operation("2"))))),
        ]) { checker.observeServer($0, $1, into: &violations) }
        for (ids, time, node) in [(order, Int64(1), "phone"), (["1", "2"], 2, "pad")] {
            for id in ids {
                let notification = event(time, .effect(.notify(.operated(operation(id)))), node: node)
                checker.observe(notification, trace(of: "alice", on: "\(node)-1"), into: &violations)
            }
        }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [("1", ["CHAT-8"]), ("2", [])])
    func aReportOfTheDevicesOwnOperationIsAViolation(_ reportedID: String, _ rules: [String]) {
        var (checker, violations) = (OperationChecker(), [Violation]())
        let done = DeviceOperation(id: "1", kind: .groupCreate, target: "x")
        let other = DeviceOperation(id: reportedID, kind: .groupCreate, target: "y")
        for content in [.effect(.send(link, Frame(.operation(done)))), .effect(.notify(.operated(other)))]
            as [SessionEvent.Content]
        {
            checker.observe(event(1, content), trace(of: "alice"), into: &violations)
        }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [true, false])
    func aMissingMemberEventIsAViolation(_ isNotified: Bool) throws {
        var checker = ChannelChecker(try #require(Dialects.named("agora-rtm")).serverPolicy)
        let message = ChatMessage(id: "1", from: "bob", to: "lobby", text: "hello", isToChannel: true)
        var contents = online()
        contents.append((3, .input(.clientCommand(CommandID(2), .join(channel: "lobby")))))
        contents.append((4, .effect(.complete(CommandID(2), Completion(.ok)))))
        var violations: [Violation] = []
        traced(contents) { checker.observe($0, $1, into: &violations) }
        let trace = ServerTrace()
        var loginRequest = request()
        loginRequest.user = "bob"
        let loginContents: [SessionEvent.Content] = [
            .input(.frame(link, Frame(request: 1, .login(loginRequest)))), .effect(.send(link, accepted)),
            .input(.frame(link, Frame(.send(message)))), .effect(.send(link, Frame(.sendAck(.ok, id: "1")))),
        ]
        for content in loginContents {
            let event = event(5, content, node: "server")
            trace.note(event)
            checker.observeServer(event, trace, into: &violations)
        }
        let notification = event(6, .effect(.notify(.messageReceived(message))))
        if isNotified { checker.observe(notification, ClientTrace(), into: &violations) }
        #expect(checker.violation(of: "phone", user: "alice")?.rule == (isNotified ? nil : "RTM-8"))
        #expect(checker.violation(of: "phone", user: "bob") == nil)
    }

    @Test func memberLeftDuringAnotherLoginIsAViolation() throws {
        let policy = try #require(Dialects.named("agora-rtm")).serverPolicy
        for (user, count) in [("alice", 1), ("bob", 0)] {
            var (checker, violations) = (SlotLimitChecker(), [Violation]())
            served(
                policy: policy,
                [
                    .input(.frame(link, Frame(request: 1, .login(request())))),
                    .effect(.send(ConnectionID(2), Frame(.presence(user: user, .kicked)))),
                ]
            ) { checker.observeServer($0, $1, into: &violations) }
            #expect(violations.map(\.rule) == Array(repeating: "ZIM-5", count: count))
        }
    }

    @Test(arguments: ["alice", "bob"])
    func aMessageOfThePreviousUserIsAViolation(_ user: String) throws {
        let dialect = try #require(Dialects.named("zim"))
        var (checker, violations) = (
            MessageChecker(client: dialect.clientPolicy, server: dialect.serverPolicy), [Violation]()
        )
        let message = ChatMessage(id: "1", from: "alice", to: "carol", text: "hello")
        checker.observe(event(0, .effect(.send(link, Frame(.send(message))))), trace(of: user), into: &violations)
        #expect(violations.map(\.rule) == (user == "alice" ? [] : ["C-13"]))
    }

    @Test(arguments: ["phone", "pad"])
    func aReportOfTheUsersOwnMessageIsAViolation(_ node: String) throws {
        let dialect = try #require(Dialects.named("agora-chat"))
        var (checker, violations) = (
            MessageChecker(client: dialect.clientPolicy, server: dialect.serverPolicy), [Violation]()
        )
        let sendCommand = ClientCommand.send(to: "bob", text: "hello")
        checker.observe(
            event(0, .input(.clientCommand(CommandID(1), sendCommand))), trace(of: "alice"), into: &violations)
        let message = ChatMessage(id: "1", from: "alice", to: "bob", text: "hello")
        checker.observe(
            event(1, .effect(.notify(.messageReceived(message))), node: node), trace(of: "alice"), into: &violations)
        #expect(violations.map(\.kind) == (node == "pad" ? [] : ["a sender receives its own message"]))
    }

    @Test(arguments: [(1, []), (2, ["ZIM-7"])])
    func aKickWithAFreeSlotIsAViolation(_ slots: Int, _ rules: [String]) throws {
        var policy = try #require(Dialects.named("agora-chat")).serverPolicy
        (policy.exclusion, policy.deviceCountMax) = (.unlimited, slots)
        var (checker, violations) = (SlotLimitChecker(), [Violation]())
        let second = ConnectionID(2)
        var other = request()
        other.device = Device(id: "pad-1", platform: .ios)
        served(
            policy: policy,
            [
                .input(.frame(link, Frame(request: 1, .login(request())))),
                .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
                .input(.frame(second, Frame(request: 1, .login(other)))),
                .effect(.send(link, Frame(.kicked(KickNotice(reason: .otherLogin, epoch: 1))))),
                .effect(.presence(user: "alice", device: "phone-1", .kicked)),
                .effect(.send(second, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 2))))),
                .input(.deadlineReached),
            ]
        ) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(LoginMode.automatic, ["CHAT-3"]), (.manual, [])])
    func aReturnThatTakesASlotIsAViolation(_ mode: LoginMode, _ rules: [String]) throws {
        var policy = try #require(Dialects.named("agora-chat")).serverPolicy
        policy.takenPlace = .keepsCurrent
        var (checker, violations) = (SlotLimitChecker(), [Violation]())
        let second = ConnectionID(2)
        var other = request()
        other.device = Device(id: "pad-1", platform: .ios)
        other.mode = mode
        served(
            policy: policy,
            [
                .input(.frame(link, Frame(request: 1, .login(request())))),
                .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
                .input(.frame(second, Frame(request: 1, .login(other)))),
                .effect(.send(link, Frame(.kicked(KickNotice(reason: .otherLogin, epoch: 1))))),
            ]
        ) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }
}
