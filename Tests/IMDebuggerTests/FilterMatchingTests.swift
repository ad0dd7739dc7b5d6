import IMClient
import IMProfiles
import IMProtocol
import SansIO
import Testing

@testable import IMDebugger
@testable import IMSession
@testable import IMText

@Suite struct FilterMatchingTests {
    private let formatter = EventFormatter(dialect: NIMDialect())

    private func holds(
        _ source: String, _ content: SessionEvent.Content, number: UInt64 = 41, at time: Int64 = 3_250_417_000,
        inState: String? = nil
    ) throws -> Bool {
        let event = SessionEvent(number: number, time: Instant(nanoseconds: time), node: "phone", content: content)
        let formatted = formatter.format(event)
        return try Filter(parsing: source).matches(
            EventFields(event, formatted: formatted, formatter: formatter, inState: inState))
    }

    private static let kick = SessionEvent.Content.effect(
        .transition(StateChange(from: .syncing, to: .kicked, reason: .remoteLogin)))
    private static let onKick = SessionEvent.Content.effect(
        .notify(.kicked(KickNotice(reason: .otherLogin, epoch: 2))))
    private static let message = SessionEvent.Content.input(
        .frame(
            ConnectionID(3), Frame(request: 7, .message(ChatMessage(id: "m1", from: "bob", to: "alice", text: "Hi 5"))))
    )
    private static let woke = SessionEvent.Content.input(.app(.woke(slept: .seconds(30))))

    @Test(arguments: [
        "kind == transition", "to == kicked and from == syncing", "state == kicked", "state", "not kind == frame",
        "kind != frame", "to != online", "to in {online, kicked}", "to not in {online, syncing}", "role == effect",
        "dir == out", "channel == runtime", "node == phone", "n == 41", "n >= 41 and n <= 41", "n > 40.5", "n < 42",
        "not n < 41", "not n > 41", "not n < 40.5",
        "text =~ \"syncing.*kicked\"", "text =~ KICK", "not text =~ \"(?-i)KICK\"", "reason == remote-login",
        "user or to == kicked", "not (user and to == kicked)", "fields.to == kicked", "profile == nim",
        "not title", "not connection", "not callback", "not user != bob", "from == syncing and not to == online",
        "user or to == kicked and from == syncing", "(kind == frame or kind == transition) and not user",
    ])
    func holdsForAKick(source: String) throws {
        #expect(try holds(source, Self.kick))
        #expect(try !holds("not (\(source))", Self.kick))
    }

    @Test(arguments: [
        "t == 3.250s", "t == 3250ms", "t > 3.250s", "t < 3.251s", "t >= 3250417us", "t <= 3250417us", "t != 3.251s",
        "t < 1m", "t =~ \"^3[.]25\"", "t in {1s, 3.25s}", "not t == 3.2504s", "t == 3250417us", "t > -5s",
    ])
    func comparesTimes(source: String) throws {
        #expect(try holds(source, Self.kick))
    }

    /// A seed has more digits than a floating-point number can hold.
    @Test func comparesLongNumbers() throws {
        let number: UInt64 = 9_007_199_254_740_993
        #expect(try holds("n > 9007199254740992", Self.kick, number: number))
        #expect(try !holds("n == 9007199254740992", Self.kick, number: number))
    }

    @Test func matchesTheVendorsNames() throws {
        for value in ["NIMKickReasonByClient", "1", "NIMKickReasonByClient(1)"] {
            #expect(try holds("callback == onKick and reason == \(value)", Self.onKick))
            #expect(try holds("callback.reason in {2, \(value)}", Self.onKick))
            #expect(try !holds("reason != \(value)", Self.onKick))
            #expect(try !holds("fields.reason == \(value)", Self.onKick))
        }
        #expect(try !holds("reason == 2", Self.onKick))
        #expect(try holds("reason < 2 and reason > 0", Self.onKick))
        #expect(try holds("kicked == other-login", Self.onKick))
        #expect(try !holds("callback.kicked", Self.onKick))
    }

    @Test func matchesTheStateAtTheEvent() throws {
        #expect(try holds("callback == onKick and in-state == syncing", Self.onKick, inState: "syncing"))
        #expect(try !holds("in-state == syncing", Self.onKick, inState: "online"))
        #expect(try !holds("in-state", Self.onKick))
    }

    @Test func matchesFrames() throws {
        for source in [
            "type == message", "from == bob and to == alice", "text == \"Hi 5\"", "dir == in", "channel == transport",
            "connection == 3", "request == 7", "role == input", "type in {login, message}", "text =~ \"← message\"",
        ] {
            #expect(try holds(source, Self.message), "\(source)")
        }
        #expect(try !holds("text == hi", Self.message))
        #expect(try !holds("status", Self.message))
    }

    @Test func readsMilliseconds() throws {
        for source in ["slept-ms == 30000", "slept-ms == 30s", "slept-ms > 29.5s", "slept-ms < 1m", "app == woke"] {
            #expect(try holds(source, Self.woke), "\(source)")
        }
        #expect(try !holds("slept-ms > 30s", Self.woke))
    }

    @Test func matchesTheResultOfACommand() throws {
        let login = ClientCommand.login(user: "alice", credential: "t", mode: .manual)
        #expect(try holds("command == login and user == alice", .input(.clientCommand(CommandID(1), login))))
        let refused = SessionEvent.Content.effect(.complete(CommandID(1), Completion(.wrongCredential)))
        #expect(try holds("result == login and status == failed", refused))
        #expect(try holds("status == wrong-credential and not status == ok", refused))
        #expect(try holds("code =~ NIM or code > 0", refused))
        #expect(try holds("status == ok", .effect(.complete(CommandID(1), Completion(.ok)))))
    }

    @Test func completesTypedText() {
        #expect(FilterCompletion.candidates(for: "kin") == ["kind"])
        #expect(FilterCompletion.candidates(for: "kind == tr") == ["transition"])
        #expect(FilterCompletion.candidates(for: "kind==tr") == ["transition"])
        #expect(FilterCompletion.candidates(for: "kind in {frame, tr") == ["transition"])
        #expect(FilterCompletion.candidates(for: "user a") == ["and"])
        #expect(FilterLexer.endsInQuotes("text == \"it's") && !FilterLexer.endsInQuotes("text == \"it's\" "))
        #expect(FilterCompletion.candidates(for: "user == a ") == ["and", "or"])
        #expect(FilterCompletion.candidates(for: "(user == a ") == ["and", "or", ")"])
        #expect(FilterCompletion.candidates(for: "dir == ") == ["in", "out"])
        #expect(FilterCompletion.candidates(for: "user not ") == ["in"])
        #expect(FilterCompletion.candidates(for: "user in {a ") == [",", "}"])
        #expect(FilterCompletion.candidates(for: "to == kicked and not in-s") == ["in-state"])
        #expect(FilterCompletion.candidates(for: "node == p", nodes: ["pad", "server", "phone"]) == ["pad", "phone"])
        #expect(FilterCompletion.candidates(for: "").contains("final-state"))
        #expect(FilterCompletion.candidates(for: "user ").prefix(3) == ["==", "!=", "<="])
        #expect(FilterCompletion.candidates(for: "user = ").isEmpty)
        #expect(FilterCompletion.candidates(for: "text == \"a").isEmpty)
    }

    @Test func describesItself() throws {
        for width in [60, 80, 120] {
            #expect(FilterHelp.text(width: width).split(separator: "\n").allSatisfy { $0.count <= max(width, 80) })
        }
        for example in FilterHelp.exampleFilters { _ = try Filter(parsing: example.filter) }
        for field in FilterFields.all {
            _ = try Filter(parsing: field.name)
            #expect(FilterHelp.text().contains(field.name))
            for value in field.values { _ = try Filter(parsing: "\(field.name) == \(value)") }
        }
        #expect(Set(FilterFields.all.map(\.name)).count == FilterFields.all.count)
    }
}
