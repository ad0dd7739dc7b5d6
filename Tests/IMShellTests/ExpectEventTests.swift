import IMClient
import IMProfiles
import IMProtocol
import SansIO
import Testing

@testable import IMDebugger
@testable import IMSession
@testable import IMShell
@testable import IMText

/// Tests of `expect event FILTER`, an expectation that contains a filter.
@Suite struct ExpectEventTests {
    private func clause(_ line: String, _ variables: [String: String] = [:]) throws -> ExpectClause {
        let statement = try #require(try Statement.parse(line))
        let words = try statement.expand(variables)
        return try ExpectClause(words: Array(words.dropFirst()), isNegative: words[0] == "expect-none")
    }

    // MARK: Reading

    @Test(arguments: [
        "expect event kind == transition and to == kicked", "expect event text =~ \"two  words\" within 5s as $e",
        "expect event not (user in {b, for} or user == 'for') within 250ms",
        "expect-none event kind == link and link == failed for 1m", "expect event callback",
    ])
    func `a clause is printed as it was typed`(line: String) throws {
        #expect(try clause(line).text == line)
    }

    @Test func `the filter ends at the end of the clause, and not at an equal value`() throws {
        let found = try clause("expect event user == within or text =~ for or user in {as, for} within 5s as $e")
        #expect(found.filter?.source == "user == within or text =~ for or user in {as, for}")
        #expect(found.within == .seconds(5))
        #expect(found.captureName == "e")
        #expect(try clause("expect none event user == as for 5s") == clause("expect-none event user == as for 5s"))
    }

    @Test(arguments: [
        ("user == $u", "user == alice", "alice"), ("user == $u", "user == \"al ice\"", "al ice"),
        ("user == \"$u!\"", "user == \"al \\\"ice\\\"!\"", "al \"ice\""), ("user == $u", "user == \"\"", ""),
        ("user in {x, ${u}}", "user in {x, alice}", "alice"), ("text =~ 'a$u'", "text =~ 'a$u'", "alice"),
        ("reason == $u", "reason == NIMKickReasonByClient(1)", "NIMKickReasonByClient(1)"),
        ("text =~ \"$u\"", "text =~ \"a\\\\.b\"", "a\\.b"), ("user == $u", "user == \"and or\"", "and or"),
        ("user == $u", "user == \"or\"", "or"),
    ])
    func `a variable stays one value of the filter`(typed: String, read: String, value: String) throws {
        #expect(try clause("expect event \(typed)", ["u": value]).filter?.source == read)
    }

    @Test(arguments: [
        ("expect event kind == transitoin within 5s", 22, 10, "'kind' is never 'transitoin'"),
        ("@a expect event text =~ \"a  b\" and knd within 5s", 36, 3, "there is no field 'knd'"),
        ("expect event   kind   ==   transitoin", 28, 10, "'kind' is never 'transitoin'"),
        ("expect event", 13, 1, "the condition is missing"),
        ("expect event within 5s", 14, 6, "the condition is missing before 'within'"),
        ("expect event to ==", 19, 1, "a value is missing after '=='"),
        ("expect event kind == frame and", 31, 1, "a condition is missing at the end"),
        ("expect event (kind == frame", 14, 1, "the parenthesis is not closed"),
        ("expect event kind == frame and kicks>1", 32, 5, "'kicks' is a field of recordings, not of events"),
        ("expect event to == online for 5s", 27, 3, "only 'expect-none' takes 'for'"),
        ("expect-none event to == online", 31, 1, "'expect-none' must end with 'for' and a duration"),
        ("expect-none event to == onlin for 5s", 25, 5, "'to' is probably never 'onlin'"),
        ("expect event user == $u and knd", 29, 3, "there is no field 'knd'"),
    ])
    func `an error names its character, before anything runs`(
        line: String, column: Int, length: Int, message: String
    ) throws {
        let script = "#! imrepl script 1\nclient new a\n\(line)\n"
        let errors = errors(of: script)
        #expect(errors.map(\.message) == [message], "\(line)")
        #expect(errors.first?.position.line == 3)
        #expect(errors.first?.position.column == column)
        #expect(errors.first?.length == length)
    }

    private func errors(of text: String) -> [Diagnostic] {
        do throws(ScriptErrors) {
            _ = try Script.parse(text, named: "a.imr", variables: ["u"], check: CommandParser.check)
            return []
        } catch {
            return error.diagnostics
        }
    }

    @Test func `a filter that depends on a variable is checked when its value is known`() throws {
        #expect(errors(of: "#! imrepl script 1\nexpect event in-state == $u and t > $u\n") == [])
        #expect(throws: WordError.self) { try clause("expect event in-state == $u", ["u": "onlin"]) }
    }

    // MARK: Matching

    private func log() -> EventLog {
        let log = EventLog(dialect: NIMDialect())
        let contents: [SessionEvent.Content] = [
            .input(.clientCommand(CommandID(1), .logout(keepsPush: false))),
            .effect(.transition(StateChange(from: .loggedOut, to: .connecting, reason: .login))),
            .effect(.send(ConnectionID(1), Frame(.heartbeat))),
            .input(.linkClosed(ConnectionID(1), .reset)),
            .effect(.transition(StateChange(from: .connecting, to: .reconnecting, reason: .interrupted))),
            .input(.deadlineReached),
        ]
        for (index, content) in contents.enumerated() {
            log.take(
                SessionEvent(
                    number: UInt64(index + 1), time: Instant(nanoseconds: Int64(index) * 1_000_000_000), node: "phone",
                    content: content))
        }
        return log
    }

    private func numbers(_ filter: String, in log: EventLog) throws -> [String] {
        let clause = try clause("expect event \(filter)")
        var cursor = EventLog.Cursor.start
        var found: [String] = []
        while found.count < 20, let event = log.firstMatch(of: clause, node: "phone", from: &cursor) {
            found.append(event["n"] ?? "?")
        }
        return found
    }

    @Test(arguments: [
        ("kind == transition", ["2", "5"]), ("kind in {timer, link}", ["4", "6"]), ("n > 2 and t < 4s", ["3", "4"]),
        ("in-state == connecting", ["4", "5"]), ("in-state == logged-out and kind == command", []),
        ("command == logout", ["1"]), ("text =~ HEART", ["3"]), ("node == pad", []),
        ("profile == nim and n == 1", ["1"]),
        ("dir == in", ["1", "4", "6"]), ("not kind == frame", ["1", "2", "4", "5", "6"]),
    ])
    func `events of every kind are matched, each once and in order`(filter: String, expected: [String]) throws {
        #expect(try numbers(filter, in: log()) == expected)
    }

    @Test func `a matched event is before the cursor, but its other forms are not`() throws {
        let log = EventLog(dialect: AgoraRTMDialect())
        log.take(
            SessionEvent(
                number: 1, time: .zero, node: "phone",
                content: .effect(.transition(StateChange(from: .loggedOut, to: .connecting, reason: .login)))))
        let event = try clause("expect event kind == transition")
        let state = try clause("expect state connecting")
        let name = try #require(log.observations(of: "phone").last?.name)
        let callback = try clause("expect callback \(name)")
        var cursor = EventLog.Cursor.start
        #expect(log.firstMatch(of: event, node: "phone", from: &cursor) != nil)
        var afterEvent = cursor
        #expect(log.firstMatch(of: event, node: "phone", from: &afterEvent) == nil)
        #expect(log.firstMatch(of: callback, node: "phone", from: &cursor) != nil)
        cursor = .start
        #expect(log.firstMatch(of: state, node: "phone", from: &cursor) != nil)
        #expect(log.firstMatch(of: event, node: "phone", from: &cursor) == nil)
    }

    @Test func `the matched event can be used in later lines`() throws {
        let clause = try clause("expect event kind == transition as $e")
        var cursor = EventLog.Cursor.start
        let found = try #require(log().firstMatch(of: clause, node: "phone", from: &cursor))
        let variables = clause.captures(from: found)
        #expect(variables["e"] == "state logged-out → connecting: login")
        #expect(variables["e.name"] == "transition")
        #expect(variables["e.n"] == "2")
        #expect(variables["e.t"] == "1s")
        #expect(variables["e.to"] == "connecting")
    }

    @Test func `a failed expectation shows the nearest events and the failed comparison of each`() throws {
        let clause = try clause("expect event kind == transition and (to == kicked or reason == banned) and not n < 3")
        let filter = try #require(clause.filter)
        let seen = log().observations(of: "phone", asking: filter)
        #expect(seen.count == 6)
        #expect(
            clause.explain(nearest: seen) == """
                expected: \(clause.text)
                nearest:
                  #2 +1.000s  state logged-out → connecting: login
                      to is connecting; reason is login; n is 2
                  #5 +4.000s  state connecting → reconnecting: interrupted
                      to is reconnecting; reason is interrupted
                  #6 +5.000s  timer
                      kind is timer; has no field 'to'; has no field 'reason'
                """)
    }
}
