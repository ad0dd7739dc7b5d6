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

/// Checkers of waiting messages, of late or missing notifications, and of credentials.
@Suite struct WaitingCheckerTests: CheckerScript {
    private func gone(_ link: ConnectionID, at time: Int64) -> [(Int64, SessionEvent.Content)] {
        [
            (time, .input(.linkClosed(link, .reset))),
            (time, .effect(.transition(StateChange(from: .online, to: .reconnecting, reason: .interrupted)))),
        ]
    }

    @Test(arguments: [true, false])
    func aMessageThatWaitsBesideALinkIsSeen(_ isSent: Bool) {
        var (checker, violations) = (RestoreChecker(), [Violation]())
        let second = ConnectionID(2)
        let message = ChatMessage(id: "1", from: "alice", to: "bob", text: "hello")
        var contents = online() + gone(link, at: 3)
        contents += [
            (4, .input(.clientCommand(CommandID(2), .send(to: "bob", text: "hello")))), (5, .effect(.connect(second))),
            (6, .input(.linkOpened(second))), (7, .input(.frame(second, accepted))),
            (7, .effect(.transition(StateChange(from: .reconnecting, to: .online, reason: .loginSucceeded)))),
        ]
        if isSent { contents.append((7, .effect(.send(second, Frame(.send(message)))))) }
        traced(contents + [(8, .input(.deadlineReached))]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isSent ? [] : ["C-14"]))
    }

    @Test(arguments: [true, false])
    func aReadThatIsNotAskedAgainIsSeen(_ isSent: Bool) {
        var (checker, violations) = (RestoreChecker(), [Violation]())
        let second = ConnectionID(2)
        var contents = online()
        contents += [
            (3, .input(.clientCommand(CommandID(2), .tree(.get(path: "/a/"))))),
            (3, .effect(.send(link, Frame(request: 2, .tree(.get(path: "a")))))),
        ]
        contents += gone(link, at: 4)
        contents += [
            (5, .effect(.connect(second))), (6, .input(.linkOpened(second))), (7, .input(.frame(second, accepted))),
            (7, .effect(.transition(StateChange(from: .reconnecting, to: .online, reason: .loginSucceeded)))),
        ]
        if isSent { contents.append((7, .effect(.send(second, Frame(request: 2, .tree(.get(path: "a"))))))) }
        traced(contents + [(8, .input(.deadlineReached))]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isSent ? [] : ["SYNC-10"]))
    }

    @Test(arguments: [true, false])
    func aRetryThatANetworkDoesNotWakeIsSeen(_ isTried: Bool) throws {
        var (checker, violations) = (RetryChecker(try policy("nim")), [Violation]())
        var contents = online() + gone(link, at: 3)
        contents.append((9, .input(.network(.up))))
        if isTried { contents.append((9, .effect(.connect(ConnectionID(2))))) }
        traced(contents + [(10, .input(.app(.background)))]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isTried ? [] : ["C-9"]))
    }

    @Test(arguments: [true, false])
    func aLinkThatIsNotAskedBehindASleepIsSeen(_ isAsked: Bool) throws {
        var (checker, violations) = (HeartbeatChecker(try policy("nim")), [Violation]())
        var contents = online()
        contents.append((9, .input(.app(.woke(slept: .seconds(1))))))
        if isAsked { contents.append((9, .effect(.send(link, Frame(.heartbeat))))) }
        traced(contents + [(10, .input(.app(.background)))]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isAsked ? [] : ["C-10"]))
    }

    /// RTM hides it from the app for 4 s.
    @Test(arguments: [(3999, 1), (4000, 0)])
    func aBrokenLinkThatIsToldTooEarlyIsSeen(_ time: Int64, _ count: Int) throws {
        var (checker, violations) = (LinkChecker(try policy("agora-rtm")), [Violation]())
        let told = StateChange(from: .online, to: .reconnecting, reason: .interrupted)
        let contents: [(Int64, SessionEvent.Content)] = [
            (10, .input(.linkClosed(link, .reset))), (10 + time, .input(.deadlineReached)),
            (10 + time, .effect(.transition(told))),
        ]
        traced(online() + contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.filter { $0.rule == "RTM-3" }.count == count)
    }

    @Test(arguments: [(4000, 0), (4001, 1)])
    func aBrokenLinkThatIsKeptSecretForTooLongIsSeen(_ time: Int64, _ count: Int) throws {
        var (checker, violations) = (LinkChecker(try policy("agora-rtm")), [Violation]())
        let contents = online() + [(10, .input(.linkClosed(link, .reset))), (10 + time, .input(.deadlineReached))]
        traced(contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.filter { $0.rule == "RTM-3" }.count == count)
    }

    @Test(arguments: [true, false])
    func anAppThatLeavesSomethingOpenIsSeen(_ isOrderly: Bool) throws {
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

    @Test(arguments: [true, false])
    func aLogoutThatTheServerDoesNotKnowOfIsSeen(_ isHeard: Bool) throws {
        var (checker, violations) = (LogoutChecker(try policy("agora-chat")), [Violation]())
        var contents = online()
        contents.append((3, .input(.clientCommand(CommandID(2), .logout(keepsPush: false)))))
        contents.append((3, .effect(.send(link, Frame(request: 2, .logout(keepsPush: false))))))
        if isHeard { contents.append((4, .input(.frame(link, Frame(request: 2, .logoutAck(.ok)))))) }
        contents.append((5, .effect(.complete(CommandID(2), Completion(.ok)))))
        traced(contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isHeard ? [] : ["CHAT-11"]))
    }

    @Test(arguments: [(Status.ok, 29_000, 1), (.ok, 30_000, 0), (.credentialTooShort, 29_000, 0)])
    func anOfflineLoginWithAShortTokenIsSeen(_ status: Status, _ life: Int64, _ count: Int) throws {
        var (checker, violations) = (LoginCallChecker(try policy("zim")), [Violation]())
        let clock = TokenClock(expiresAtMilliseconds: 1_000_000 + life, deviceMilliseconds: 1_000_000)
        let command = ClientCommand.login(user: "alice", credential: "t", mode: .offline, clock: clock)
        var local = LocalData()
        local.lastUser = "alice"
        traced([
            (0, .effect(.persist(local))), (1, .input(.clientCommand(CommandID(2), command))),
            (1, .effect(.complete(CommandID(2), Completion(status)))),
        ]) { checker.observe($0, $1, epochMilliseconds: 0, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "ZIM-1", count: count))
    }

    /// The device's clock is an hour late, and the server's time is available.
    @Test(arguments: [(Int64(29_000), 1), (31_000, 0)])
    func anOfflineLoginIsJudgedByTheTimeThatIsKnown(_ life: Int64, _ count: Int) throws {
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
            online() + [
                (3, .input(.frame(link, timed))),
                (4, .effect(.persist(local))), (now, .input(.clientCommand(CommandID(2), command))),
                (now, .effect(.complete(CommandID(2), Completion(.ok)))),
            ]
        ) { checker.observe($0, $1, epochMilliseconds: epoch, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "ZIM-1", count: count))
    }

    @Test(arguments: [true, false])
    func aRenewedTokenThatIsForgottenIsSeen(_ isKept: Bool) {
        var (checker, violations) = (CredentialChecker(), [Violation]())
        var local = LocalData()
        (local.lastUser, local.credentialReference) = ("alice", isKept ? "new" : "old")
        var contents = online()
        contents.append((3, .input(.clientCommand(CommandID(2), .renewToken(credential: "new")))))
        contents.append((4, .effect(.persist(local))))
        contents.append((4, .effect(.complete(CommandID(2), Completion(.ok)))))
        traced(contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isKept ? [] : ["P11"]))
    }

    @Test(arguments: [(true, nil), (false, "SYNC-5")])
    func anAppThatIsToldOtherwiseOfItsConnectionIsSeen(_ isConnected: Bool, _ rule: String?) {
        var checker = ConnectedChecker()
        let told = ClientNotification.treeValue(path: ".info/connected", TreeNode(.bool(true)))
        for content: SessionEvent.Content in [
            .input(.clientCommand(CommandID(1), .tree(.listen(path: ".info/connected")))), .effect(.notify(told)),
        ] { checker.observe(event(0, content)) }
        #expect(checker.violation(isConnected)?.rule == rule)
    }

    @Test(arguments: [
        (CredentialVerdict(.valid, user: "alice", issuedAtMilliseconds: 1000), false),
        (CredentialVerdict(.valid, user: "alice", issuedAtMilliseconds: 999), true),
        (CredentialVerdict(.valid, user: "bob"), true), (CredentialVerdict(.expired, user: "alice"), true),
        (CredentialVerdict(.wrong), true), (CredentialVerdict(.missing), true),
    ])
    func aLoginThatProvesNothingIsSeen(_ verdict: CredentialVerdict, _ isFlawed: Bool) throws {
        var (checker, violations) = (
            CredentialUseChecker(try #require(Dialects.named("nim")).serverPolicy), [Violation]()
        )
        var asked = request()
        asked.credential = .verdict(verdict)
        served([
            .input(.serverCommand(CommandID(1), .passwordChanged(user: "alice"))),
            .effect(.complete(CommandID(1), Completion(.ok))),
            .input(.frame(link, Frame(request: 1, .login(asked)))), .effect(.send(link, accepted)),
            .input(.frame(link, Frame(request: 2, .renewToken(.verdict(verdict))))),
            .effect(.send(link, Frame(request: 2, .renewTokenAck(.ok, expiresAtMilliseconds: 0)))),
        ]) { checker.observeServer($0, $1, epochMilliseconds: 1000, into: &violations) }
        #expect(violations.map(\.rule) == (isFlawed ? ["C-11", "P11"] : []))
    }

    @Test(arguments: [(0, "never"), (1, nil), (2, "twice")])
    func anOperationThatIsNotToldOnceIsSeen(_ times: Int, _ kind: String?) {
        var (checker, violations) = (OperationChecker(), [Violation]())
        let operation = DeviceOperation(id: "1", kind: .groupCreate, target: "x")
        served([
            .input(.frame(link, Frame(request: 1, .login(request())))), .effect(.send(link, accepted)),
            .effect(.send(link, Frame(.operated(operation)))),
        ]) { checker.observeServer($0, $1) }
        for _ in 0..<times {
            checker.observeClient(
                event(1, .effect(.notify(.operated(operation)))), "alice", device: "phone-1", into: &violations)
        }
        if let violation = checker.violation(of: "phone", user: "alice", device: "phone-1", ServerTrace()) {
            violations.append(violation)
        }
        #expect(violations.map { $0.kind.contains(kind ?? "-") } == (kind == nil ? [] : [true]))
    }

    @Test(arguments: [([1, 2, 3], []), ([1, 3, 2], ["C-15"]), ([0, 0], [])] as [([UInt64], [String])])
    func aNotificationOutOfOrderIsSeen(_ numbers: [UInt64], _ rules: [String]) {
        var (order, violations) = (NotificationOrder(), [Violation]())
        for number in numbers {
            let operation = DeviceOperation(id: "\(number)", kind: .groupCreate, target: "x")
            let confirmation = Frame(.operatedAck(id: operation.id, number: number))
            for effect in [NodeEffect.send(link, confirmation), .notify(.operated(operation))] {
                order.observeClient(event(1, .effect(effect)), "alice", into: &violations)
            }
        }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(["1", "2"], []), (["2", "1"], ["CHAT-8"])])
    func operationsOutOfOrderAreSeen(_ order: [String], _ rules: [String]) {
        var (checker, violations) = (OperationChecker(), [Violation]())
        func operation(_ id: String) -> DeviceOperation { DeviceOperation(id: id, kind: .contactBan, target: "x") }
        served([
            .input(.frame(link, Frame(request: 1, .login(request())))), .effect(.send(link, accepted)),
            .effect(.send(link, Frame(.operated(operation("1"))))),
            .effect(.send(link, Frame(.operated(operation("2"))))),
        ]) { checker.observeServer($0, $1) }
        for (ids, time, node) in [(order, Int64(1), "phone"), (["1", "2"], 2, "pad")] {
            for id in ids {
                let told = event(time, .effect(.notify(.operated(operation(id)))), node: node)
                checker.observeClient(told, "alice", device: "\(node)-1", into: &violations)
            }
        }
        #expect(violations.map(\.rule) == rules)
        let pair = checker.violations([("phone", "alice", "phone-1"), ("pad", "alice", "pad-1")])
        #expect(pair.map(\.rule) == rules)
    }

    @Test(arguments: [("1", ["CHAT-8"]), ("2", [])])
    func anOperationOfOnesOwnIsSeen(_ told: String, _ rules: [String]) {
        var (checker, violations) = (OperationChecker(), [Violation]())
        let done = DeviceOperation(id: "1", kind: .groupCreate, target: "x")
        let other = DeviceOperation(id: told, kind: .groupCreate, target: "y")
        for content in [.effect(.send(link, Frame(.operation(done)))), .effect(.notify(.operated(other)))]
            as [SessionEvent.Content]
        {
            checker.observeClient(event(1, content), "alice", device: "phone-1", into: &violations)
        }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [true, false])
    func whatAChannelsMemberIsNotToldIsSeen(_ isTold: Bool) throws {
        var checker = ChannelChecker(try #require(Dialects.named("agora-rtm")).serverPolicy)
        let message = ChatMessage(id: "1", from: "bob", to: "lobby", text: "hello", isToChannel: true)
        var contents = online()
        contents.append((3, .input(.clientCommand(CommandID(2), .join(channel: "lobby")))))
        contents.append((4, .effect(.complete(CommandID(2), Completion(.ok)))))
        traced(contents) { checker.observeClient($0, $1) }
        let trace = ServerTrace()
        var asked = request()
        asked.user = "bob"
        let said: [SessionEvent.Content] = [
            .input(.frame(link, Frame(request: 1, .login(asked)))), .effect(.send(link, accepted)),
            .input(.frame(link, Frame(.send(message)))), .effect(.send(link, Frame(.sendAck(.ok, id: "1")))),
        ]
        for content in said {
            let event = event(5, content, node: "server")
            trace.note(event)
            var violations: [Violation] = []
            checker.observeServer(event, trace, { [] }, into: &violations)
        }
        if isTold { checker.observeClient(event(6, .effect(.notify(.messageReceived(message)))), ClientTrace()) }
        #expect(checker.violation(of: "phone", user: "alice")?.rule == (isTold ? nil : "RTM-8"))
        #expect(checker.violation(of: "phone", user: "bob") == nil)
    }

    @Test func whoIsToldAsGoneThoughSheLogsInElsewhereIsSeen() throws {
        let policy = try #require(Dialects.named("agora-rtm")).serverPolicy
        for (user, count) in [("alice", 1), ("bob", 0)] {
            var (checker, violations) = (SlotLimitChecker(), [Violation]())
            served([
                .input(.frame(link, Frame(request: 1, .login(request())))),
                .effect(.send(ConnectionID(2), Frame(.presence(user: user, .kicked)))),
            ]) { checker.observeServer($0, $1, policy, into: &violations) }
            #expect(violations.map(\.rule) == Array(repeating: "ZIM-5", count: count))
        }
    }

    @Test(arguments: [true, false])
    func aConversationThatIsNotListedIsSeen(_ isListed: Bool) throws {
        var (checker, violations) = (ConversationChecker(try policy("zim")), [Violation]())
        let fields = [
            AnswerField(name: "conversationType", value: "peer"), AnswerField(name: "conversationID", value: "bob"),
        ]
        let change = ChangeRecord(number: 1, kind: .message, fields: fields)
        let question = LocalRequest(.queryConversationList)
        let rows = isListed ? [AnswerRow([("conversationID", "bob")])] : []
        let ask: [(Int64, SessionEvent.Content)] = [
            (4, .input(.clientCommand(CommandID(2), .call(question)))),
            (4, .effect(.complete(CommandID(2), Completion(.ok, rows: rows)))),
        ]
        // Before the changes have arrived nothing must be present.
        var contents = online() + [(3, .effect(.send(link, Frame(request: 7, .fetchChanges(after: 0)))))]
        if !isListed { contents += ask }
        contents.append(
            (
                3,
                .input(.frame(link, Frame(request: 7, .changes(ChangePage(after: 0, changes: [change], isLast: true)))))
            ))
        traced(contents + ask) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isListed ? [] : ["ZIM-9"]))
    }

    @Test(arguments: ["alice", "bob"])
    func aMessageOfTheUserBeforeIsSeen(_ user: String) throws {
        let dialect = try #require(Dialects.named("zim"))
        var (checker, violations) = (
            MessageChecker(client: dialect.clientPolicy, server: dialect.serverPolicy), [Violation]()
        )
        let message = ChatMessage(id: "1", from: "alice", to: "carol", text: "hello")
        checker.observeClient(event(0, .effect(.send(link, Frame(.send(message))))), user: user, into: &violations)
        #expect(violations.map(\.rule) == (user == "alice" ? [] : ["C-13"]))
    }

    @Test(arguments: ["phone", "pad"])
    func whatOneIsToldOfOneselfIsSeen(_ node: String) throws {
        let dialect = try #require(Dialects.named("agora-chat"))
        var (checker, violations) = (
            MessageChecker(client: dialect.clientPolicy, server: dialect.serverPolicy), [Violation]()
        )
        let say = ClientCommand.send(to: "bob", text: "hello")
        checker.observeClient(event(0, .input(.clientCommand(CommandID(1), say))), user: "alice", into: &violations)
        let message = ChatMessage(id: "1", from: "alice", to: "bob", text: "hello")
        checker.observeClient(
            event(1, .effect(.notify(.messageReceived(message))), node: node), user: "alice", into: &violations)
        #expect(violations.map(\.kind) == (node == "pad" ? [] : ["what one has said oneself is told"]))
    }

    @Test(arguments: [(1, []), (2, ["ZIM-7"])])
    func whoHasToGoThoughThereIsRoomIsSeen(_ places: Int, _ rules: [String]) throws {
        var policy = try #require(Dialects.named("agora-chat")).serverPolicy
        (policy.exclusion, policy.deviceCountMax) = (.unlimited, places)
        var (checker, violations) = (SlotLimitChecker(), [Violation]())
        let second = ConnectionID(2)
        var other = request()
        other.device = Device(id: "pad-1", platform: .ios)
        served([
            .input(.frame(link, Frame(request: 1, .login(request())))),
            .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
            .input(.frame(second, Frame(request: 1, .login(other)))),
            .effect(.send(link, Frame(.kicked(KickNotice(reason: .otherLogin, epoch: 1))))),
            .effect(.presence(user: "alice", device: "phone-1", .kicked)),
            .effect(.send(second, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 2))))),
            .input(.deadlineReached),
        ]) { checker.observeServer($0, $1, policy, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(LoginMode.automatic, ["CHAT-3"]), (.manual, [])])
    func whoTakesAPlaceByComingBackIsSeen(_ mode: LoginMode, _ rules: [String]) throws {
        var policy = try #require(Dialects.named("agora-chat")).serverPolicy
        policy.takenPlace = .keepsCurrent
        var (checker, violations) = (SlotLimitChecker(), [Violation]())
        let second = ConnectionID(2)
        var other = request()
        other.device = Device(id: "pad-1", platform: .ios)
        other.mode = mode
        served([
            .input(.frame(link, Frame(request: 1, .login(request())))),
            .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
            .input(.frame(second, Frame(request: 1, .login(other)))),
            .effect(.send(link, Frame(.kicked(KickNotice(reason: .otherLogin, epoch: 1))))),
        ]) { checker.observeServer($0, $1, policy, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }
}
