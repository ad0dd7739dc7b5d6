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

/// Checkers of events that come late, twice or out of order.
@Suite struct OvertakenCheckerTests: CheckerScript {
    private let accepted = Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1)))

    private func push(_ id: UInt32, _ name: String) -> [(Int64, SessionEvent.Content)] {
        [
            (0, command(id, .tree(.push(path: "log", TreeNode(.text("x")))))),
            (1, done(id, .ok, rows: [AnswerRow([("path", "log/\(name)")])])),
        ]
    }

    @Test(arguments: [true, false])
    func namesOutOfOrderAreSeen(_ isInOrder: Bool) {
        var (checker, violations) = (PushOrderChecker(), [Violation]())
        let names = isInOrder ? ["-Oa", "-Ob"] : ["-Ob", "-Oa"]
        // Answers may come in another order than the calls.
        traced(push(2, names[1]) + push(1, names[0])) { event, _ in checker.observe(event, into: &violations) }
        #expect(violations.map(\.rule) == (isInOrder ? [] : ["SYNC-7"]))
    }

    @Test func namesOfTwoProcessesMayBeInAnyOrder() {
        var (checker, violations) = (PushOrderChecker(), [Violation]())
        traced(push(1, "-Ob") + [(2, .stop)] + push(2, "-Oa")) { event, _ in checker.observe(event, into: &violations) }
        #expect(violations.isEmpty)
    }

    @Test(arguments: [true, false])
    func aLoginOverAnOlderLinkIsSeen(_ isTaken: Bool) throws {
        var (checker, violations) = (LateLoginChecker(try serverPolicy("agora-rtm")), [Violation]())
        func asks(_ id: UInt32) -> SessionEvent.Content {
            .input(.frame(ConnectionID(id), Frame(request: 1, .login(request()))))
        }
        let refused = Frame(request: 1, .goodbye(.replaced, detail: ""))
        served([
            asks(2), .effect(.send(ConnectionID(2), accepted)), asks(1),
            .effect(.send(ConnectionID(1), isTaken ? accepted : refused)),
        ]) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isTaken ? ["C-8"] : []))
    }

    @Test(arguments: [LoginMode.resume, .forced])
    func aReturnThatIsALoginOfItsOwnRightIsSeen(_ mode: LoginMode) throws {
        var (checker, violations) = (LoginCallChecker(try policy("nim")), [Violation]())
        var back = request()
        back.mode = mode
        traced([
            (0, login()), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
            (1, .effect(.send(link, Frame(request: 1, .login(request()))))), (2, .input(.frame(link, accepted))),
            (3, .effect(.send(ConnectionID(2), Frame(request: 2, .login(back))))),
        ]) { checker.observe($0, $1, epochMilliseconds: 0, into: &violations) }
        #expect(violations.map(\.rule) == (mode == .resume ? [] : ["C-6"]))
    }

    @Test(arguments: [true, false])
    func aMessageThatWasTakenAwayIsSeen(_ isOperatedTwice: Bool) throws {
        let dialect = try #require(Dialects.named("agora-chat"))
        var checker = MessageChecker(client: dialect.clientPolicy, server: dialect.serverPolicy)
        var violations: [Violation] = []
        func says(_ id: UInt32, _ body: FrameBody, _ answer: FrameBody) -> [SessionEvent.Content] {
            [
                .input(.frame(ConnectionID(id), Frame(request: 1, body))),
                .effect(.send(ConnectionID(id), Frame(request: 1, answer))),
            ]
        }
        let message = ChatMessage(id: "m", from: "bob", to: "alice", text: "secret")
        let operation = DeviceOperation(id: "o", kind: .messagesRemoved, target: "bob", ext: "")
        let removal = says(1, .operation(operation), .operationAck(.ok))
        let saying = says(2, .send(message), .sendAck(.ok, id: "m"))
        let ack = FrameBody.loginAck(LoginReply(.ok, epoch: 1))
        var bob = request()
        bob.user = "bob"
        var contents = says(1, .login(request()), ack) + says(2, .login(bob), ack)
        // A repeated removal does nothing, and a message sent in between stays.
        contents += isOperatedTwice ? removal + saying + removal : saying + removal
        contents.append(.effect(.send(ConnectionID(1), Frame(.message(message)))))
        served(contents) { event, _ in checker.observeServer(event, into: &violations) }
        #expect(violations.map(\.rule) == (isOperatedTwice ? [] : ["CHAT-9"]))
    }

    @Test(arguments: [true, false])
    func whatIsForgottenBeforeItIsToldIsSeen(_ isAnswered: Bool) {
        var (checker, violations) = (LocalChangeChecker(), [Violation]())
        let read = LocalChange.readElsewhere(ConversationID(kind: .peer, id: "carol"), upTo: 1).record()
        var kept = LocalData()
        kept.unsent = UnsentChanges(changes: [UnsentChanges.Change(user: "alice", change: read)])
        let answer = NodeInput.frame(link, Frame(request: 2, .changeAck(.ok)))
        traced([
            (0, .effect(.persist(kept))), (1, .input(isAnswered ? answer : .deadlineReached)),
            (1, .effect(.persist(LocalData()))),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isAnswered ? [] : ["ZIM-9"]))
    }

    @Test(arguments: [true, false])
    func aTokenEndsByTheRenewalThatWasAskedForLast(_ isOlder: Bool) throws {
        var (checker, violations) = (TokenChecker(try policy("zim")), [Violation]())
        func renewed(_ request: UInt32, until end: Int64) -> SessionEvent.Content {
            .input(.frame(link, Frame(request: request, .renewTokenAck(.ok, expiresAtMilliseconds: end))))
        }
        let reply = LoginReply(.ok, epoch: 1)
        traced([
            (0, login()), (0, .effect(.connect(link))), (0, .input(.linkOpened(link))),
            (0, .input(.frame(link, Frame(request: 1, .loginAck(reply))))),
            (1, command(2, .renewToken(credential: "a"))), (1, command(3, .renewToken(credential: "b"))),
            (2, renewed(isOlder ? 4 : 3, until: 900_000)), (2, done(3, .ok)),
            (3, renewed(isOlder ? 3 : 4, until: 100_000)), (3, done(2, .ok)),
            (100_000, .effect(.notify(.tokenExpired))),
        ]) { checker.observe($0, $1, epochMilliseconds: 0, into: &violations) }
        #expect(violations.contains { $0.rule == "C-10" } == isOlder)
    }

    @Test(arguments: [true, false])
    func whatTheServerHadNoRoomForIsSentAgainFirst(_ isByServer: Bool) throws {
        var (checker, violations) = (FailedMessageChecker(try policy("zim")), [Violation]())
        func send(_ id: UInt32, _ text: String) -> SessionEvent.Content {
            command(id, .send(to: "bob", text: text))
        }
        let full = NodeInput.frame(link, Frame(.sendAck(.limitExceeded, id: "1")))
        traced([
            (0, send(1, "one")), (1, .input(isByServer ? full : .deadlineReached)), (1, done(1, .limitExceeded)),
            (2, send(2, "two")), (3, .input(.deadlineReached)), (3, done(2, .timeout)), (4, command(3, .resend)),
            (4, .effect(.send(link, Frame(.send(ChatMessage(id: "1", from: "alice", to: "bob", text: "one")))))),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isByServer ? [] : ["ZIM-10"]))
    }
}
