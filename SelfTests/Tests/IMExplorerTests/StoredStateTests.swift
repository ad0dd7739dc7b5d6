import IMClient
import IMLocalData
import IMProtocol
import IMServer
import IMSession
import SansIO
import Testing

@testable import IMCheckers
@testable import IMExplorer

/// Tests of checkers that compare a device's stored state and the users' rights with the server's grants.
@Suite struct StoredStateTests: CheckerScript {
    private let other = ConnectionID(2)

    // MARK: The stored login

    private func stored(_ epoch: LoginEpoch, _ user: String = "alice", permits: Bool = true) -> SessionEvent.Content {
        .effect(.persist(LocalData(lastUser: user, lastEpoch: epoch, lastResult: .ok, autologinAllowed: permits)))
    }

    @Test(arguments: [(LoginEpoch(1), "alice", []), (2, "alice", ["C-6"]), (1, "bob", ["C-6"])])
    func `the stored login is the granted one`(_ epoch: LoginEpoch, _ user: String, _ rules: [String]) throws {
        var (checker, violations) = (StoredLoginChecker(try policy("nim")), [Violation]())
        var contents = online()
        contents.append((2, stored(epoch, user)))
        contents.append((3, .input(.deadlineReached)))
        traced(contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(true, ["NIM-3"]), (false, [])])
    func `after a kick no automatic login is permitted`(_ permits: Bool, _ rules: [String]) throws {
        var (checker, violations) = (StoredLoginChecker(try policy("nim")), [Violation]())
        let kicked = StateChange(from: .online, to: .kicked, reason: .kickedByServer)
        traced([
            (0, stored(1)), (1, .input(.deadlineReached)), (1, stored(1, permits: permits)),
            (1, .effect(.transition(kicked))), (2, .input(.deadlineReached)),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    // MARK: The stored data

    private func data(_ action: DataRequest.Action) -> SessionEvent.Content {
        .effect(.data(DataRequest(generation: 1, action)))
    }

    @Test(arguments: [(UInt64(2), [String]()), (UInt64(1), ["ZIM-9"])])
    func `the store keeps all changes`(_ position: UInt64, _ rules: [String]) {
        var (checker, violations) = (StoredDataChecker(), [Violation]())
        let changes = [1, 2].map { (number: UInt64) -> ChangeRecord in
            var record = LocalChange.friend(LocalFriend(user: "user-\(number)")).record()
            record.number = number
            return record
        }
        traced([
            (0, data(.open(user: "alice"))),
            (0, .input(.data(DataAnswer(generation: 1, .opened(position: 0))))),
            (1, data(.apply(ChangePage(after: 0, changes: changes, isLast: true)))), (2, .stop),
            (3, data(.open(user: "alice"))),
            (3, .input(.data(DataAnswer(generation: 1, .opened(position: position))))),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(true, []), (false, ["ZIM-9"])])
    func `a change of a call is kept for the server`(_ isKept: Bool, _ rules: [String]) {
        var (checker, violations) = (StoredDataChecker(), [Violation]())
        let read = LocalRequest(.clearConversationTotalUnreadMessageCount, [])
        var database = UserDatabase(owner: "alice")
        let answer = database.answer(read)
        var local = LocalData()
        if isKept {
            local.unsent = UnsentChanges(changes: read.changesToSend.map { .init(user: "alice", change: $0) })
        }
        traced([
            (0, data(.open(user: "alice"))),
            (0, .input(.data(DataAnswer(generation: 1, .opened(position: 0))))),
            (1, data(.call(number: 1, read))),
            (1, .input(.data(DataAnswer(generation: 1, .answered(number: 1, answer))))),
            (1, .effect(.persist(local))), (2, .input(.deadlineReached)),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    // MARK: Requests at the server

    private func login(_ device: String, over connection: ConnectionID, _ user: String = "alice")
        -> [SessionEvent.Content]
    {
        let login = LoginRequest(
            application: "nim", user: user, device: Device(id: device, platform: .ios), mode: .manual, epoch: 0,
            credential: .verdict(CredentialVerdict(.valid, user: user)))
        return [
            .input(.frame(connection, Frame(request: 1, .login(login)))),
            .effect(
                .send(connection, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: LoginEpoch(connection.rawValue)))))
            ),
        ]
    }

    @Test(arguments: [([UInt32(2)], [String]()), ([1, 2], ["C-8"]), ([], ["NIM-12"])])
    func `a kick ends exactly the logins that it names`(_ ended: [UInt32], _ rules: [String]) throws {
        var (checker, violations) = (KickChecker(try serverPolicy("nim")), [Violation]())
        var contents = login("phone-1", over: link) + login("pad-1", over: other)
        contents.append(.input(.frame(link, Frame(request: 2, .kick(device: "")))))
        for number in ended {
            let notice = KickNotice(reason: .otherDevice, epoch: LoginEpoch(number))
            contents.append(.effect(.send(ConnectionID(number), Frame(.kicked(notice)))))
        }
        contents.append(.effect(.send(link, Frame(request: 2, .kickAck(.ok)))))
        contents.append(.input(.deadlineReached))
        served(contents) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [("alice", []), ("bob", ["CHAT-8"])])
    func `only the owner changes a role`(_ user: String, _ rules: [String]) {
        var (checker, violations) = (GroupRightsChecker(), [Violation]())
        let owner = GroupMember(user: "alice", role: .owner)
        let admin = GroupMember(user: "bob", role: .admin)
        var carol = GroupMember(user: "carol")
        let change = LocalChange.member(group: "tea", carol).record()
        let contents: [SessionEvent.Content] =
            [.input(.serverCommand(CommandID(1), .addAccount("carol")))] + login("phone-1", over: link, user) + [
                .input(.frame(link, Frame(request: 2, .change(change))))
            ]
        served(contents) { event, trace in
            if case .input(.frame(_, let frame)) = event.content, case .change = frame.body { carol.role = .admin }
            let members = [owner, admin, carol]
            trace.groupMembers = { [(group: "tea", parent: "", members: members)] }
            checker.observeServer(event, trace, into: &violations)
        }
        #expect(violations.map(\.rule) == rules)
    }

    // MARK: Notifications

    @Test(arguments: [(true, []), (false, ["ZIM-5"])])
    func `the app is notified that a watched user is kicked`(_ isNotified: Bool, _ rules: [String]) {
        var (checker, violations) = (PresenceChecker(), [Violation]())
        var contents = online()
        contents += [
            (3, command(2, .watch(user: "bob", isOn: true))),
            (4, .effect(.notify(.presence(user: "bob", .online)))),
            (5, .input(.frame(link, Frame(.presence(user: "bob", .kicked))))),
        ]
        if isNotified { contents.append((5, .effect(.notify(.presence(user: "bob", .kicked))))) }
        contents.append((6, .input(.deadlineReached)))
        traced(contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }
}
