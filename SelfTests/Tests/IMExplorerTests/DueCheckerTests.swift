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

/// Checkers of due events: a warning, a confirmation, a request for missing data.
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

    /// The warning is due thirty seconds before the expiry.
    @Test(arguments: [69_000, 70_000, 73_000])
    func aWarningThatComesAtAnotherTimeIsSeen(_ time: Int64) throws {
        var (checker, violations) = (TokenChecker(try policy("zim")), [Violation]())
        traced(
            connected + [
                (0, accepted(until: 100_000, since: 0)), (0, online), (time, .input(.deadlineReached)),
                (time, .effect(.notify(.tokenWillExpire(inMilliseconds: 30_000)))),
            ]
        ) { checker.observe($0, $1, epochMilliseconds: 0, into: &violations) }
        #expect(violations.map(\.rule) == (time == 70_000 ? [] : ["ZIM-6"]))
    }

    @Test(arguments: [0, 1500])
    func anInterruptionCountsFromTheLastSignOfLife(_ late: Int64) throws {
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
    func anOfflineLoginThatIsRefusedForNothingIsSeen(_ life: Int64) throws {
        var (checker, violations) = (LoginCallChecker(try policy("zim")), [Violation]())
        let clock = TokenClock(expiresAtMilliseconds: 1_000_000 + life, deviceMilliseconds: 1_000_000)
        let login = ClientCommand.login(user: "alice", credential: "token", mode: .offline, clock: clock)
        traced([(0, command(1, login)), (0, done(1, .credentialTooShort))]) {
            checker.observe($0, $1, epochMilliseconds: 0, into: &violations)
        }
        #expect(violations.map(\.rule) == (life < 30_000 ? [] : ["ZIM-1"]))
    }

    @Test(arguments: [UInt64(2), 3])
    func aPartOfASyncThatIsNotConfirmedIsSeen(_ last: UInt64) {
        var (checker, violations) = (SyncItemChecker(), [Violation]())
        let items = (1...3).map { SyncItem(id: "\($0)", text: "", number: $0) }
        let page = Frame(request: 2, .syncPhase(.offlineMessages, count: 3, items: items))
        traced(
            connected + [
                (0, accepted()), (0, online), (1, .input(.frame(link, page))),
                (1, .effect(.send(link, Frame(.syncAck(.offlineMessages, first: 1, last: last))))),
                (2, .input(.deadlineReached)),
            ]
        ) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (last == 3 ? [] : ["NIM-14"]))
    }

    @Test(arguments: [UInt64(2), 3])
    func whatIsConfirmedAndBroughtAgainIsSeen(_ last: UInt64) {
        var (checker, violations) = (SyncChecker(), [Violation]())
        // An item that was not sent yet is not confirmed, even inside a confirmed range.
        let items = (1...3).map { SyncItem(id: "\($0)", text: "", number: $0) }
        let (first, second) = last == 3 ? (items, [items[2]]) : (Array(items.prefix(1)), [items[1], items[2]])
        func page(_ items: [SyncItem]) -> Frame { Frame(.syncPhase(.groups, count: 1, items: items)) }
        let ack = Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1)))
        served([
            .input(.frame(link, Frame(request: 1, .login(request())))), .effect(.send(link, ack)),
            .effect(.send(link, page(first))), .input(.frame(link, Frame(.syncAck(.groups, first: 1, last: last)))),
            .input(.frame(link, Frame(request: 2, .sync))), .effect(.send(link, page(second))),
        ]) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (last == 2 ? [] : ["CHAT-12"]))
    }

    /// A change that arrives before the requested page is requested after it.
    @Test(arguments: [true, false])
    func aChangeThatHasComeAndIsNowhereIsSeen(_ isAskedFor: Bool) {
        var (checker, violations) = (ChangeChecker(), [Violation]())
        func change(_ number: UInt64) -> ChangeRecord {
            var change = LocalChange.readElsewhere(ConversationID(kind: .peer, id: "bob"), upTo: 1).record()
            change.number = number
            return change
        }
        func page(_ number: UInt64) -> ChangePage {
            ChangePage(after: number - 1, changes: [change(number)], isLast: true)
        }
        func fetch(_ request: UInt32, after number: UInt64) -> SessionEvent.Content {
            .effect(.send(link, Frame(request: request, .fetchChanges(after: number))))
        }
        let opened = DataAnswer(generation: 1, .opened(position: 4))
        let apply = DataRequest(generation: 1, .apply(page(5)))
        var contents = connected + [(0, .input(.data(opened))), (0, accepted()), (0, online), (0, fetch(2, after: 4))]
        contents += [
            (1, .input(.frame(link, Frame(.changes(page(6)))))),
            (2, .input(.frame(link, Frame(request: 2, .changes(page(5)))))), (2, .effect(.data(apply))),
        ]
        if isAskedFor { contents.append((2, fetch(3, after: 5))) }
        traced(contents + [(3, .input(.deadlineReached))]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isAskedFor ? [] : ["C-15"]))
    }

    @Test(arguments: [true, false])
    func aTransactionThatFailsWithALinkItNeverSawIsSeen(_ isSent: Bool) throws {
        var (checker, violations) = (TransactionChecker(), [Violation]())
        let expression = try TransactionExpression("value + 1")
        let request = Frame(request: 3, .tree(.transaction(path: "a", .empty, over: TreeHash(rawValue: 0))))
        var contents: [(Int64, SessionEvent.Content)] = [
            (0, command(1, .tree(.transaction(path: "a", expression, isHidden: false))))
        ]
        if isSent { contents.append((0, .effect(.send(link, request)))) }
        traced(contents + [(1, .input(.linkClosed(link, .reset))), (1, done(1, .connectionFailed))]) { event, _ in
            checker.observe(event, into: &violations)
        }
        #expect(violations.map(\.rule) == (isSent ? [] : ["SYNC-10"]))
    }

    @Test(arguments: [true, false])
    func theEndOfATokenThatNobodyTellsIsSeen(_ isTold: Bool) throws {
        var (checker, violations) = (TokenChecker(try policy("agora-chat")), [Violation]())
        let end: SessionEvent.Content = isTold ? .effect(.notify(.tokenExpired)) : .input(.deadlineReached)
        traced(
            connected + [
                (0, accepted(until: 100_000)), (0, online), (5_000, command(2, .logout(keepsPush: false))),
                (8_000, done(2, .timeout)), (80_000, .effect(.notify(.tokenWillExpire(inMilliseconds: 20_000)))),
                (100_000, end), (103_000, .input(.deadlineReached)),
            ]
        ) { checker.observe($0, $1, epochMilliseconds: 0, into: &violations) }
        #expect(violations.map(\.kind) == (isTold ? [] : ["a token has ended and nobody says so"]))
    }

    @Test(arguments: [Int64(0), 100_000])
    func theEndOfATokenWithoutOneIsSeen(_ end: Int64) throws {
        var (checker, violations) = (TokenChecker(try policy("agora-rtm")), [Violation]())
        traced(
            connected + [
                (0, accepted(until: 50_000)), (0, online), (1, command(2, .renewToken(credential: "new"))),
                (2, .input(.frame(link, Frame(request: 2, .renewTokenAck(.ok, expiresAtMilliseconds: end))))),
                (2, done(2, .ok)), (100_000, .effect(.notify(.tokenExpired))),
            ]
        ) { checker.observe($0, $1, epochMilliseconds: 0, into: &violations) }
        #expect(violations.map(\.kind) == (end > 0 ? [] : ["a token that has no end ends"]))
    }

    @Test(arguments: [500, 4000])
    func aWaitThatOutlivesTheSwitchIsSeen(_ delay: Int64) throws {
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

    @Test(arguments: ["hello", ""])
    func aDraftThatIsGoneIsSeen(_ draft: String) {
        var (checker, violations) = (DraftChecker(), [Violation]())
        let conversationKey = [("conversationID", "bob"), ("conversationType", "peer")]
        let row = AnswerRow([("conversationID", "bob"), ("draft", draft)])
        traced([
            (0, login()), (0, .effect(.connect(link))),
            (1, command(2, .call(LocalRequest(.setConversationDraft, conversationKey + [("draft", "hello")])))),
            (1, done(2, .ok)),
            (2, .effect(.notify(.dataChanged(.conversation, "bob")))),
            (3, command(3, .call(LocalRequest(.queryConversation, conversationKey)))), (3, done(3, .ok, rows: [row])),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (draft == "hello" ? [] : ["ZIM-9"]))
    }

    @Test(arguments: [true, false])
    func aLoginOfAnotherProcessThatIsTakenForALateOneIsSeen(_ isDropped: Bool) throws {
        var (checker, violations) = (LateLoginChecker(try serverPolicy("agora-rtm")), [Violation]())
        func asks(_ id: UInt32, _ instance: UInt64) -> SessionEvent.Content {
            var login = request()
            login.instance = instance
            return .input(.frame(ConnectionID(id), Frame(request: 1, .login(login))))
        }
        let ack = Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1)))
        let replaced = Frame(request: 1, .goodbye(.replaced, detail: ""))
        served([
            asks(2, 2), .effect(.send(ConnectionID(2), ack)), asks(1, 1),
            .effect(.send(ConnectionID(1), isDropped ? replaced : ack)),
        ]) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isDropped ? ["RTM-6"] : []))
    }

    @Test(arguments: [true, false])
    func whatWasSoAlreadyAndIsToldIsSeen(_ needsCheck: Bool) {
        var (checker, violations) = (IdleOperationChecker(), [Violation]())
        var contents: [SessionEvent.Content] = [
            .input(.frame(link, Frame(request: 1, .login(request())))),
            .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
        ]
        for (number, kind) in [OperationKind.contactBan, needsCheck ? .contactAllow : .contactBan].enumerated() {
            let operation = DeviceOperation(id: "\(number)", kind: kind, target: "bob", ext: "")
            contents += [
                .input(.frame(link, Frame(request: 2, .operation(operation)))),
                .effect(.send(ConnectionID(2), Frame(.operated(operation)))),
                .effect(.send(link, Frame(request: 2, .operationAck(.ok)))),
            ]
        }
        served(contents) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (needsCheck ? [] : ["CHAT-8"]))
    }

    @Test(arguments: [Int64(90_000), 95_000])
    func aServerThatKeepsASilentConnectionIsSeen(_ closed: Int64) throws {
        var (checker, violations) = (SilenceChecker(try serverPolicy("nim")), [Violation]())
        for (time, content) in [
            (0, .input(.linkOpened(link))), (0, .input(.frame(link, Frame(.heartbeat)))),
            (closed, .input(.deadlineReached)), (closed, .effect(.closeLink(link))),
        ] as [(Int64, SessionEvent.Content)] {
            checker.observeServer(event(time, content, node: "server"), into: &violations)
        }
        #expect(violations.map(\.rule) == (closed == 90_000 ? [] : ["C-12"]))
    }

    @Test(arguments: [1, 2])
    func whatWasKeptLastAndIsGoneIsSeen(_ first: Int) throws {
        var (checker, violations) = (SyncItemChecker(), [Violation]())
        let count = ClientMachine.itemCountMax + 1
        let items = (1...count).map { LocalItem(user: "alice", kind: .message, id: "\($0)", text: "") }
        var local = LocalData()
        // The oldest item was removed, or the newest.
        local.items = first == 2 ? Array(items.dropFirst()) : Array(items.dropLast())
        let start = StartRecord(
            name: "phone", profile: "nim",
            body: .client(
                policy: try policy("nim"), device: Device(id: "phone-1", platform: .ios), local: local, seed: 1,
                firstConnection: link, nonce: nil))
        traced(items.map { (0, .effect(.keep($0))) } + [(1, .stop), (2, .start(start))]) {
            checker.observe($0, $1, into: &violations)
        }
        #expect(violations.map(\.rule) == (first == 2 ? [] : ["NIM-14"]))
    }
}
