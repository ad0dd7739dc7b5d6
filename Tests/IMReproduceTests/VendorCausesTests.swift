import IMProtocol
import IMSession
import Testing

@testable import IMReproduce

/// Tests of the causes that `reproduce` considers for each possible last line of a log.
@Suite struct VendorCausesTests {
    struct Case: Sendable, CustomStringConvertible {
        var profile: String
        /// The log lines with which a client of the profile goes online.
        var online: [(AppLine.Kind, String, [(String, String)])]
        var ending: (String, [(String, String)])
        var causes: [String]

        var description: String { "\(profile) \(ending.0) \(ending.1.map { "\($0.0)=\($0.1)" })" }
    }

    private static let login: (AppLine.Kind, String, [(String, String)]) = (.call, "login", [("user", "alice")])

    private static func nim(_ name: String, _ fields: [(String, String)], _ causes: [String]) -> Case {
        Case(
            profile: "nim", online: [login, (.callback, "onLogin", [("step", "5")])], ending: (name, fields),
            causes: causes)
    }

    private static func state(
        _ profile: String, _ online: [(String, String)], _ name: String, _ fields: [(String, String)],
        _ causes: [String]
    ) -> Case {
        let callback = profile == "agora-chat" ? "connectionStateDidChange" : "connectionStateChanged"
        return Case(
            profile: profile, online: [login, (.callback, callback, online)], ending: (name, fields), causes: causes)
    }

    static let cases: [Case] = [
        nim("onLogin", [("step", "9")], ["network", "server", "sleep"]),
        nim("onKick", [("reason", "1"), ("clientType", "1")], ["other-login"]),
        nim("onKick", [("reason", "2"), ("clientType", "0")], ["kick-by-server", "ban", "removal", "password"]),
        nim("onKick", [("reason", "3"), ("clientType", "4")], ["kick-by-device"]),
        nim("onAutoLoginFailed", [("error", "302")], ["password", "token", "removal"]),
        nim("onAutoLoginFailed", [("error", "422")], ["ban"]),
        state(
            "zim", [("state", "2"), ("event", "0")], "connectionStateChanged", [("state", "3"), ("event", "3")],
            ["network", "server", "sleep"]),
        state(
            "zim", [("state", "2"), ("event", "0")], "connectionStateChanged", [("state", "0"), ("event", "4")],
            ["other-login", "kick-by-server", "ban", "removal"]),
        state(
            "zim", [("state", "2"), ("event", "0")], "connectionStateChanged", [("state", "0"), ("event", "5")],
            ["token"]),
        // An event that does not end a login. Its extreme number must not overflow.
        state("zim", [("state", "2"), ("event", "0")], "tokenWillExpire", [("second", "\(Int64.max)")], []),
        state(
            "agora-chat", [("state", "0")], "connectionStateDidChange", [("state", "1")],
            ["network", "server", "sleep"]),
        state(
            "agora-chat", [("state", "0")], "userAccountDidLoginFromOtherDeviceWithInfo", [("code", "206")],
            ["other-login"]),
        state(
            "agora-chat", [("state", "0")], "userAccountDidForcedToLogout", [("code", "217")],
            ["kick-by-server", "kick-by-device"]),
        state("agora-chat", [("state", "0")], "userAccountDidForcedToLogout", [("code", "216")], ["password"]),
        state("agora-chat", [("state", "0")], "userAccountDidRemoveFromServer", [("code", "207")], ["removal"]),
        state("agora-chat", [("state", "0")], "userDidForbidByServer", [("code", "305")], ["ban"]),
        state("agora-chat", [("state", "0")], "tokenDidExpire", [("code", "108")], ["token"]),
        state(
            "agora-rtm", [("state", "3"), ("reason", "2")], "connectionStateChanged",
            [("state", "4"), ("reason", "5")], ["network", "server", "sleep"]),
        state(
            "agora-rtm", [("state", "3"), ("reason", "2")], "connectionStateChanged",
            [("state", "5"), ("reason", "8")], ["other-login"]),
        state(
            "agora-rtm", [("state", "3"), ("reason", "2")], "connectionStateChanged",
            [("state", "5"), ("reason", "7")], ["kick-by-server", "ban", "removal"]),
        state("agora-rtm", [("state", "3"), ("reason", "2")], "rtmKitTokenDidExpire", [], ["token"]),
        Case(
            profile: "wilddog",
            online: [
                (.call, "sync", [("verb", "on"), ("path", ".info/connected")]),
                (.callback, "valueChanged", [("path", ".info/connected"), ("value", "true")]),
            ], ending: ("valueChanged", [("path", ".info/connected"), ("value", "false")]),
            causes: ["network", "server", "sleep"]),
    ]

    @Test(arguments: cases) func `a vendor has every cause of an ending`(_ one: Case) throws {
        var events: [(offset: Int64, event: LoggedEvent, awake: Int64?)] = [
            (0, LoggedEvent(kind: .life, name: LoggedEvent.processStarted, line: 1), nil)
        ]
        let lines = one.online + [(.callback, one.ending.0, one.ending.1)]
        for (index, line) in lines.enumerated() {
            var event = LoggedEvent(kind: line.0 == .call ? .call : .callback, name: line.1, line: index + 2)
            event.fields = line.2.map { AnswerField(name: $0.0, value: $0.1) }
            events.append(([1, 1.04, 900][index].nanoseconds, event, nil))
        }
        let app = try #require(ObservedApp(events, profile: one.profile, platform: .ios, hasMonotonicClock: true))
        let vendor = try #require(VendorCausesList.causes(of: one.profile))
        var match = LineMatch(app, app.lines)
        match.simulated = app.lines.dropLast()
        let point = BranchPoint(
            app: app, vendor: vendor, candidate: Candidate(), lines: app.lines, index: app.lines.count - 1, match: match
        )
        let causes = vendor.moves(point).flatMap { move in
            Candidate(decisions: [Decision(line: point.index, move: move, otherMoves: [])]).endings(app, vendor).map(
                \.cause.kind)
        }
        for cause in one.causes { #expect(causes.contains(cause), "\(one): \(cause) is missing in \(causes)") }
    }

    @Test(arguments: [("2", 1), ("3", 2), (nil, 1)])
    func `a change of the other devices needs as few events as its type allows`(_ type: String?, _ count: Int) throws {
        var events: [(offset: Int64, event: LoggedEvent, awake: Int64?)] = []
        func add(_ seconds: Double, _ kind: LoggedEvent.Kind, _ name: String, _ fields: [AnswerField]) {
            var event = LoggedEvent(kind: kind, name: name, line: events.count + 1)
            event.fields = fields
            events.append((seconds.nanoseconds, event, nil))
        }
        add(0, .life, LoggedEvent.processStarted, [])
        add(1, .call, "login", [AnswerField(name: "user", value: "alice")])
        add(1.04, .callback, "onLogin", [AnswerField(name: "step", value: "5")])
        add(9, .callback, "onMultiLoginClientsChanged", type.map { [AnswerField(name: "type", value: $0)] } ?? [])
        let app = try #require(ObservedApp(events, profile: "nim", platform: .ios, hasMonotonicClock: true))
        var match = LineMatch(app, app.lines)
        match.simulated = app.lines.dropLast()
        let point = BranchPoint(
            app: app, vendor: NIMCauses(), candidate: Candidate(), lines: app.lines, index: 3, match: match)
        let cheapest = try #require(NIMCauses().moves(point).min { $0.cost < $1.cost })
        #expect(cheapest.events.count == count)
    }

    @Test func `a time of day keeps the form of the log`() throws {
        for (stamp, later) in [
            ("2026/11/18 21:40:03:221", "21:41:03:321"), ("2026-11-18T21:40:03.2+0100", "21:41:03.300"),
            ("23:59:30,000", "00:00:30,100"), ("21:40:03", "21:41:03"),
        ] {
            #expect(try #require(TimeOfDay(stamp)).adding(60_100).text == later)
        }
        #expect(TimeOfDay("") == nil)
        #expect(TimeOfDay("line 12") == nil)
    }
}

extension Double {
    fileprivate var nanoseconds: Int64 { Int64(self * 1_000_000_000) }
}
