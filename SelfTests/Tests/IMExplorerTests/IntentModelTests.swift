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

/// Tests of the model of intent: the granted requests of apps and the operator must have their effect.
@Suite struct IntentModelTests: CheckerScript {
    private let other = ConnectionID(2)

    private func login(_ user: String, over connection: ConnectionID) -> [SessionEvent.Content] {
        let login = LoginRequest(
            application: "nim", user: user, device: Device(id: "\(user)-1", platform: .ios), mode: .manual, epoch: 0,
            credential: .verdict(CredentialVerdict(.valid, user: user)))
        return [
            .input(.frame(connection, Frame(request: 1, .login(login)))),
            .effect(.send(connection, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
        ]
    }

    private func command(_ command: ServerCommand) -> [SessionEvent.Content] {
        [
            .input(.serverCommand(CommandID(1), command)),
            .effect(.complete(CommandID(1), Completion(.ok))),
        ]
    }

    private func rules(_ contents: [SessionEvent.Content], in profile: String = "nim") throws -> [String] {
        var (grants, violations) = (ServerGrants(try serverPolicy(profile)), [Violation]())
        served(contents) { grants.observe($0, $1, into: &violations) }
        return violations.map(\.rule)
    }

    @Test(arguments: [
        (true, Status.ok, []), (true, .stored, ["C-14"]), (false, .ok, ["C-14"]), (false, .stored, []),
    ])
    func `a message is only stored while its receiver is away`(
        _ isConnected: Bool, _ status: Status, _ expected: [String]
    ) throws {
        let message = ChatMessage(id: "1", from: "alice", to: "bob", text: "hello")
        var contents = login("alice", over: link) + login("bob", over: other)
        if !isConnected { contents.append(.input(.linkClosed(other, .reset))) }
        contents.append(.input(.frame(link, Frame(.send(message)))))
        contents.append(.effect(.send(link, Frame(.sendAck(status, id: "1")))))
        #expect(try rules(contents) == expected)
    }

    @Test(arguments: [("a/b", ["SYNC-10"]), ("c", [])])
    func `a rule of the tree forbids a write`(_ path: String, _ expected: [String]) throws {
        let write = Frame(request: 2, .tree(.set(path: path, TreeNode(.bool(true)))))
        let contents =
            command(.setTreeRule(path: "a", TreeRule(write: .nobody))) + login("alice", over: link) + [
                .input(.frame(link, write)), .effect(.send(link, Frame(request: 2, .treeAck(.ok, .empty)))),
            ]
        #expect(try rules(contents, in: "wilddog") == expected)
    }

    @Test(arguments: [ServerCommand.banAccount("alice"), .setRefusal(user: "alice", .banned)])
    func `a user who is banned or refused cannot log in`(_ order: ServerCommand) throws {
        #expect(try rules(command(order) + login("alice", over: link)) == ["NIM-7"])
        #expect(try rules(command(order) + login("bob", over: link)) == [])
        let lifted = command(.addAccount("alice")) + command(.setRefusal(user: "alice", nil))
        #expect(try rules(command(order) + lifted + login("alice", over: link)) == [])
    }

    @Test(arguments: [true, false])
    func `a confirmed kick is over`(_ isConfirmed: Bool) throws {
        var server = ServerMachine(policy: try serverPolicy("nim"), epochMilliseconds: 1000)
        var effects: [ServerEffect] = []
        var contents = login("alice", over: link)
        server.handle(.connectionOpened(link), at: .zero, into: &effects)
        if case .input(.frame(_, let frame)) = contents[0] {
            server.handle(.frameReceived(link, frame), at: .zero, into: &effects)
        }
        server.handle(.command(CommandID(2), .kick(user: "alice", device: nil)), at: .zero, into: &effects)
        let epoch = try #require(server.deviceViews.first?.pendingKick?.epoch)
        contents.append(.effect(.send(link, Frame(.kicked(KickNotice(reason: .server, epoch: epoch))))))
        if isConfirmed { contents.append(.input(.frame(link, Frame(.kickedAck(epoch: epoch))))) }
        var (grants, violations) = (ServerGrants(server.policy), [Violation]())
        served(contents) { grants.observe($0, $1, into: &violations) }
        #expect(grants.violations(server).map(\.rule) == (isConfirmed ? ["C-7"] : []))
    }

    @Test func `granted joins and leaves are stored until the login ends`() {
        var app = AppIntent()
        func run(_ contents: SessionEvent.Content...) {
            traced(online() + contents.map { (3, $0) }) { event, trace in
                if event.time >= .zero + .milliseconds(3) { app.observe(event, trace) }
            }
        }
        run(command(2, .join(channel: "tea")), done(2, .ok), command(3, .join(channel: "milk")), done(3, .timeout))
        #expect(app.channels == ["tea": true])
        run(command(4, .leave(channel: "tea")), done(4, .ok), command(5, .watch(user: "bob", isOn: true)), done(5, .ok))
        #expect(app.channels == ["tea": false])
        #expect(app.watches == ["bob": true])
        run(command(6, .join(channel: "tea")), command(7, .leave(channel: "tea")), done(6, .ok))
        #expect(app.channels == [:])
        run(done(7, .ok))
        #expect(app.channels == ["tea": false])
        run(.effect(.transition(StateChange(from: .online, to: .kicked, reason: .kickedByServer))))
        #expect(app.channels.isEmpty && app.watches.isEmpty)
    }

    @Test(arguments: [(true, "alice"), (false, nil)])
    func `a confirmed logout ends push messages`(_ isAnswered: Bool, _ expected: String?) {
        var app = AppIntent()
        var contents = online() + [(3, command(2, .logout(keepsPush: false)))]
        if isAnswered { contents.append((4, .input(.frame(link, Frame(.logoutAck(.ok)))))) }
        traced(contents + [(5, done(2, .ok))]) { app.observe($0, $1) }
        #expect(app.takeUnboundUser() == expected)
        #expect(app.takeUnboundUser() == nil)
    }
}
