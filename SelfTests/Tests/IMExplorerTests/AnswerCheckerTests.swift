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

/// Checkers of call results, reasons of state changes, refused logins and causes of kicks.
@Suite struct AnswerCheckerTests: CheckerScript {
    // MARK: Logins at the server

    @Test(arguments: [(true, 0), (false, 1)])
    func aKickBeforeTheAnswerIsAViolation(_ isAnswered: Bool, _ count: Int) throws {
        let server = try #require(Dialects.named("agora-chat")).serverPolicy
        var (checker, violations) = (EndedLoginChecker(server), [Violation]())
        let call = AccountCall(
            application: "agora-chat", user: "alice", credential: .reference(""), action: .kick(device: "phone-1"))
        let answer = SessionEvent.Content.effect(.send(link, Frame(request: 2, .accountCallAck(.ok, []))))
        let kick = SessionEvent.Content.effect(.send(link, Frame(.kicked(KickNotice(reason: .otherDevice, epoch: 1)))))
        let asked = SessionEvent.Content.input(.frame(link, Frame(request: 2, .accountCall(call))))
        served([asked] + (isAnswered ? [answer, kick] : [kick, answer])) {
            checker.observeServer($0, $1, into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "CHAT-6", count: count))
    }

    // MARK: At the server

    private func asked(_ device: Device, _ mode: LoginMode, over link: ConnectionID, _ reply: LoginReply)
        -> [SessionEvent.Content]
    {
        var request = request()
        (request.device, request.mode) = (device, mode)
        return [
            .input(.frame(link, Frame(request: 1, .login(request)))),
            .effect(.send(link, Frame(request: 1, .loginAck(reply)))),
        ]
    }

    private let phone = Device(id: "phone-1", platform: .ios)

    @Test(arguments: [true, false])
    func aServerThatLosesStateIsAViolation(_ isKept: Bool) throws {
        var server = ServerMachine(policy: try #require(Dialects.named("nim")).serverPolicy, epochMilliseconds: 1000)
        var effects: [ServerEffect] = []
        server.handle(.command(CommandID(1), .addAccount("alice")), at: .zero, into: &effects)
        let empty = ServerMachine(policy: server.policy, epochMilliseconds: 1000)
        #expect((StoredServerState.forgotten(from: server, in: isKept ? server : empty) == nil) == isKept)
    }

    // MARK: Changes and the tree

    @Test(arguments: [
        (TreeQuery(order: .value, start: .init(.number(2)), end: .init(.number(3))), ["b", "c"]),
        (TreeQuery(order: .value, limit: .init(.last, 2)), ["d", "text"]),
        (TreeQuery(order: .key, limit: .init(.first, 2)), ["9", "10"]),
        (TreeQuery(order: .priority, end: .init(nil)), ["9", "10", "a", "b", "c", "d", "text"]),
    ])
    func aQueryIsReadByItself(_ query: TreeQuery, _ names: [String]) {
        var node = TreeNode.empty
        for (key, number) in [("10", 1.0), ("9", 1), ("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
            node = node.setting(TreeKey(key), to: TreeNode(.number(number)))
        }
        node = node.setting(TreeKey("text"), to: TreeNode(.text("x")))
        #expect(TreeQueryChecker.given(by: query, of: node) == Set(names))
        #expect(Set(node.given(by: query).children.map(\.key.text)) == Set(names))
    }

    // MARK: Answers that are too late

    @Test(arguments: [(LoginEpoch(2), ["alice"], 1), (2, ["bob"], 0), (1, ["alice"], 0)])
    func inheritedChannelsAreAViolation(_ epoch: LoginEpoch, _ there: [String], _ count: Int) throws {
        var checker = ChannelChecker(try #require(Dialects.named("agora-chat")).serverPolicy)
        var violations: [Violation] = []
        let joined = SessionEvent.Content.effect(
            .send(link, Frame(request: 2, .joinAck(.ok, channel: "lobby", members: []))))
        served(
            asked(phone, .manual, over: link, LoginReply(.ok, epoch: 1)) + [joined]
                + asked(phone, .manual, over: ConnectionID(2), LoginReply(.ok, epoch: epoch))
        ) { event, trace in
            trace.channelMembers = { [(channel: "lobby", members: there)] }
            checker.observeServer(event, trace, into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "RTM-4", count: count))
    }
}
