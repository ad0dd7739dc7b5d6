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

/// Tests of checkers for events that come late, twice or out of order.
@Suite struct OvertakenCheckerTests: CheckerScript {
    private let accepted = Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1)))

    @Test(arguments: [LoginMode.resume, .forced])
    func aReturnThatCountsAsANewLoginIsAViolation(_ mode: LoginMode) throws {
        var (checker, violations) = (LoginCallChecker(try policy("nim")), [Violation]())
        var secondLogin = request()
        secondLogin.mode = mode
        traced([
            (0, login()), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
            (1, .effect(.send(link, Frame(request: 1, .login(request()))))), (2, .input(.frame(link, accepted))),
            (3, .effect(.send(ConnectionID(2), Frame(request: 2, .login(secondLogin))))),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (mode == .resume ? [] : ["C-6"]))
    }

    @Test(arguments: [1, 2])
    func anAutomaticLoginWhoseEndIsNotifiedAgainIsAViolation(_ count: Int) throws {
        var (checker, violations) = (LoginCallChecker(try policy("agora-chat")), [Violation]())
        let end = (Int64(2), SessionEvent.Content.effect(.notify(.autologinCompleted(.ok))))
        let call = command(1, .login(user: "alice", credential: "", mode: .automatic))
        traced([(0, call)] + Array(repeating: end, count: count)) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "P13", count: count - 1))
    }

    @Test(arguments: [true, false])
    func aRemovedMessageIsAViolation(_ isOperatedTwice: Bool) throws {
        let dialect = try #require(Dialects.named("agora-chat"))
        var checker = MessageChecker(client: dialect.clientPolicy, server: dialect.serverPolicy)
        var violations: [Violation] = []
        func exchange(_ id: UInt32, _ body: FrameBody, _ answer: FrameBody) -> [SessionEvent.Content] {
            [
                .input(.frame(ConnectionID(id), Frame(request: 1, body))),
                .effect(.send(ConnectionID(id), Frame(request: 1, answer))),
            ]
        }
        let message = ChatMessage(id: "m", from: "bob", to: "alice", text: "secret")
        let operation = DeviceOperation(id: "o", kind: .messagesRemoved, target: "bob", ext: "")
        let removal = exchange(1, .operation(operation), .operationAck(.ok))
        let sending = exchange(2, .send(message), .sendAck(.ok, id: "m"))
        let ack = FrameBody.loginAck(LoginReply(.ok, epoch: 1))
        var bob = request()
        bob.user = "bob"
        var contents = exchange(1, .login(request()), ack) + exchange(2, .login(bob), ack)
        // A repeated removal has no effect, so it does not remove a message that was sent between the two removals.
        contents += isOperatedTwice ? removal + sending + removal : sending + removal
        contents.append(.effect(.send(ConnectionID(1), Frame(.message(message)))))
        served(contents) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isOperatedTwice ? [] : ["CHAT-9"]))
    }

    @Test(arguments: [true, false])
    func theLatestRenewalDeterminesTheExpiry(_ isOlder: Bool) throws {
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
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.contains { $0.rule == "C-10" } == isOlder)
    }

    @Test(arguments: [true, false])
    func aMessageRefusedForSpaceIsSentAgainFirst(_ isByServer: Bool) throws {
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
