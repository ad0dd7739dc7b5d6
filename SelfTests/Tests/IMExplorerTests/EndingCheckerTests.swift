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

/// Tests of checkers for the state after a logout, a failure, a refusal and the end of a process.
@Suite struct EndingCheckerTests: CheckerScript {
    @Test(arguments: [(true, []), (false, ["C-4"])])
    func aCallThatSurvivesALogoutIsAViolation(_ isEnded: Bool, _ rules: [String]) throws {
        var (checker, violations) = (CommandChecker(try policy("agora-chat")), [Violation]())
        var contents: [(Int64, SessionEvent.Content)] = [
            (0, command(1, .accountCall(user: "alice", credential: "", .listDevices))),
            (5, command(2, .logout(keepsPush: false))),
        ]
        if isEnded { contents.append((5, done(1, .cancelled))) }
        contents += [(5, done(2, .ok)), (9, .input(.linkOpened(link)))]
        traced(contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    // MARK: Messages that failed

    private func resent(_ texts: [String], behind: [(Int64, SessionEvent.Content)] = []) throws -> [String] {
        var (checker, violations) = (FailedMessageChecker(try policy("zim")), [Violation]())
        var contents: [(Int64, SessionEvent.Content)] = []
        for (index, text) in ["one", "two"].enumerated() {
            contents.append((0, command(UInt32(index) + 1, .send(to: "bob", text: text, isToChannel: false))))
        }
        contents += [(30, done(1, .timeout)), (30, done(2, .timeout))] + behind
        for (index, text) in texts.enumerated() {
            let id = UInt32(index) + 3
            contents.append((40, command(id, .resend)))
            let message = ChatMessage(id: "m", from: "alice", to: "bob", text: text)
            contents.append((40, text.isEmpty ? done(id, .notFound) : .effect(.send(link, Frame(.send(message))))))
        }
        traced(contents) { checker.observe($0, $1, into: &violations) }
        return violations.map(\.kind)
    }

    @Test(arguments: [
        (["one", "two"], nil), (["two"], "the resent message is not the oldest failed one"),
        (["one", ""], "a failed message cannot be resent"), (["one", "two", ""], nil),
    ])
    func messagesThatFailedAreSentAgainInOrder(_ texts: [String], _ kind: String?) throws {
        #expect(try resent(texts) == (kind.map { [$0] } ?? []))
    }

    @Test func nothingIsResentDuringALogout() throws {
        #expect(try resent([""], behind: [(35, command(9, .logout(keepsPush: false)))]) == [])
    }

    private func start(_ local: LocalData = LocalData(), of profile: String = "zim") throws -> SessionEvent.Content {
        let body = StartRecord.Body.client(
            policy: try policy(profile), device: Device(id: "phone-1", platform: .ios), local: local, seed: 1,
            firstConnection: link, nonce: nil)
        return .start(StartRecord(name: "phone", profile: profile, body: body))
    }

    // MARK: Data that outlives a process

    @Test(arguments: [(true, []), (false, ["C-11"])])
    func unsentDataIsStored(_ isKept: Bool, _ rules: [String]) throws {
        var (checker, violations) = (StoredLoginChecker(try policy("zim")), [Violation]())
        var local = LocalData()
        local.lastUser = "alice"
        local.received = ReceivedNumbers(users: [ReceivedNumbers.OfUser(user: "alice")])
        var found = local
        if !isKept { found.received = ReceivedNumbers(users: [ReceivedNumbers.OfUser(user: "bob")]) }
        traced(isDataOpen: true, [(0, try start()), (1, .effect(.persist(local))), (2, .stop), (3, try start(found))]) {
            checker.observe($0, $1, into: &violations)
        }
        #expect(violations.map(\.rule) == rules)
    }

    // MARK: Attempts, members, replaced processes

    @Test(arguments: [(Int64(1000), false, ["C-9"]), (1000, true, []), (20_000, false, [])])
    func anAttemptThatEndsTooEarlyIsAViolation(_ lasted: Int64, _ isByApp: Bool, _ rules: [String]) throws {
        var (checker, violations) = (AttemptChecker(try policy("zim")), [Violation]())
        var contents: [(Int64, SessionEvent.Content)] = [
            (0, login()), (0, .effect(.connect(link))), (lasted, .input(.deadlineReached)),
            (lasted, .effect(.closeLink(link))),
        ]
        if isByApp { contents.append((lasted, done(1, .timeout))) }
        traced(contents + [(lasted + 1, .input(.deadlineReached))]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [("bob", true, ["RTM-4"]), ("bob", false, []), ("carol", true, []), ("carol", false, ["RTM-4"])])
    func aRepeatedMemberEventIsAViolation(_ user: String, _ isJoin: Bool, _ rules: [String]) {
        var (checker, violations) = (MemberChecker(), [Violation]())
        let joined = ClientNotification.memberChanged(channel: "lobby", user: user, joined: isJoin)
        traced([
            (0, command(1, .join(channel: "lobby"))),
            (1, done(1, .ok, rows: ["alice", "bob"].map { AnswerRow([("member", $0)]) })),
            (2, .effect(.notify(joined))),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(false, ["SYNC-1"]), (true, [])])
    func aReplacedProcessThatReconnectsIsAViolation(_ isRequested: Bool, _ rules: [String]) throws {
        var (checker, violations) = (LinkChecker(try policy("wilddog")), [Violation]())
        let online = StateChange(from: .connecting, to: .online, reason: .loginSucceeded)
        var contents: [(Int64, SessionEvent.Content)] = [
            (0, command(1, .goOnline)), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
            (2, .input(.frame(link, Frame(.loginAck(LoginReply(.ok, epoch: 1)))))), (2, .effect(.transition(online))),
            (3, .input(.frame(link, Frame(.goodbye(.replaced, detail: ""))))),
            (4, .input(.linkClosed(link, .closedByPeer))),
        ]
        let out = StateChange(from: .online, to: .offline, reason: .remoteLogin)
        contents.insert((3, .effect(.transition(out))), at: contents.count - 1)
        if isRequested { contents.append((5, command(2, .goOnline))) }
        contents.append((5, .effect(.connect(ConnectionID(2)))))
        traced(contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }
}
