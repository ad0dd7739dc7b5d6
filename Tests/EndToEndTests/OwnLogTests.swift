import Foundation
import TestSupport
import Testing

/// Tests of a log with an app's own lines: `import` suggests a format, and `reproduce` finds the cause of the kick.
@Suite(.onOwnThreads) struct OwnLogTests {
    private let sandbox: Sandbox

    /// Two threads of the app write the log, so neighbouring lines can be swapped. From 21:40:48 on, the device's
    /// network was silent, and another device logged in.
    private static let log = """
        2026/11/18 21:40:02:419 <boot> Heron 4.2.1 (9120) starting, build=release
        2026/11/18 21:40:02:718 <theme> dark mode enabled
        2026/11/18 21:40:03:221 <chat> sign-in requested uid=lily
        2026/11/18 21:40:03:221 <chat> phase -> dialing (1)
        2026/11/18 21:40:03:237 <chat> phase -> authorising (4)
        2026/11/18 21:40:03:238 <chat> phase -> socket up (2)
        2026/11/18 21:40:03:261 <chat> phase -> authorised (5)
        2026/11/18 21:40:03:266 <chat> phase -> pulling history (7)
        2026/11/18 21:40:03:268 <chat> sign-in done code=200
        2026/11/18 21:40:03:286 <chat> phase -> ready (8)
        2026/11/18 21:40:06:520 <ui> keyboard shown
        2026/11/18 21:40:08:259 <chat> other devices changed: 1
        2026/11/18 21:40:23:517 <ui> scroll fps=59.8
        2026/11/18 21:40:40:523 <ui> scroll fps=59.8
        2026/11/18 21:40:57:527 <ui> scroll fps=59.8
        2026/11/18 21:41:13:260 <chat> phase -> dialing (1)
        2026/11/18 21:41:13:263 <chat> phase -> dropped (9)
        2026/11/18 21:41:14:521 <ui> avatar cache hit 92%
        2026/11/18 21:41:23:259 <chat> phase -> dial failed (3)
        2026/11/18 21:41:25:258 <chat> phase -> dialing (1)
        2026/11/18 21:41:31:522 <ui> scroll fps=59.8
        2026/11/18 21:41:35:259 <chat> phase -> dial failed (3)
        2026/11/18 21:41:39:268 <chat> phase -> dialing (1)
        2026/11/18 21:41:48:519 <ui> avatar cache hit 92%
        2026/11/18 21:41:49:266 <chat> phase -> dial failed (3)
        2026/11/18 21:41:55:266 <chat> phase -> dialing (1)
        2026/11/18 21:42:05:266 <chat> phase -> dial failed (3)
        2026/11/18 21:42:05:526 <ui> scroll fps=59.8
        2026/11/18 21:42:13:259 <chat> phase -> dialing (1)
        2026/11/18 21:42:23:260 <chat> phase -> dial failed (3)
        2026/11/18 21:42:39:264 <chat> phase -> dialing (1)
        2026/11/18 21:42:49:265 <chat> phase -> dial failed (3)
        2026/11/18 21:43:21:267 <chat> phase -> dialing (1)
        2026/11/18 21:43:31:267 <chat> phase -> dial failed (3)
        2026/11/18 21:44:28:218 <chat> phase -> dialing (1)
        2026/11/18 21:44:28:244 <chat> phase -> socket up (2)
        2026/11/18 21:44:28:245 <chat> phase -> authorising (4)
        2026/11/18 21:44:28:263 <chat> booted out! why=1 by=2

        """

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write(Self.log, "heron.log")
    }

    /// Writes a format file with these entries.
    private func format(_ entries: [String: String], _ name: String) throws {
        let patterns = entries.sorted { $0.key < $1.key }.map { #""\#($0.key)": {"pattern": "\#($0.value)"}"# }
        try sandbox.write(#"{"heron": {"search-table": {\#(patterns.joined(separator: ", "))}}}"#, name)
    }

    private static let entries = [
        "call_login": #"sign-in requested uid=(?<user>\\w+)"#, "return_login": #"sign-in done code=(?<code>\\d+)"#,
        "callback_onLogin": #"phase -> [a-z ]+ \\((?<step>\\d+)\\)"#,
        "callback_onKick": #"booted out! why=(?<reason>\\d+) by=(?<clientType>\\d+)"#,
        "callback_onMultiLoginClientsChanged": #"other devices changed: \\d+"#,
    ]

    private func reproduce(_ arguments: String...) throws -> Program.Result {
        try sandbox.imrepl(["reproduce", "heron.log", "--profile", "nim", "--platform", "ios"] + arguments)
    }

    @Test func `the suggested format has the states, the kick and the other lines`() throws {
        let suggested = try sandbox.imrepl(
            "import", "heron.log", "--suggest", "--profile", "nim", "-o", "heron.json")
        #expect(suggested.status == 0, "\(suggested.errors)")
        #expect(suggested.output.contains("wrote heron.json: 6 patterns"), "\(suggested.output)")
        // The output lists the shapes of lines without a pattern.
        #expect(suggested.output.contains("scroll fps=59.8\n"), "\(suggested.output)")
        #expect(suggested.output.contains("'imrepl help onLogin' and 'imrepl help onKick' describe the fields"))
        let shown = try sandbox.imrepl("show", "heron.log", "--format", "heron.json", "--filter", "kind != line")
        for line in [
            "> login user=lily", "result login code=200", "callback onLogin step=7", "callback onLogin step=9",
            "callback onMultiLoginClientsChanged", "callback onKick reason=1 clientType=2",
        ] {
            #expect(shown.output.contains(line), "\(line)\n\(shown.output)")
        }
        let found = try reproduce("--format", "heron.json")
        #expect(found.status == 0, "\(found.output)")
        #expect(found.output.contains("1. another login of the account (ios)"), "\(found.output)")
    }

    @Test(arguments: [[], ["--complete"]])
    func `the login of the log is the only one, and one login of another device explains its line`(
        _ options: [String]
    ) throws {
        try format(Self.entries, "own.json")
        let found = try sandbox.imrepl(
            ["reproduce", "heron.log", "--profile", "nim", "--format", "own.json", "-o", "cause.imr"] + options)
        #expect(found.status == 0, "\(found.output)")
        #expect(found.output.contains("reproduced: 28 lines; the simulation has 0 more"), "\(found.output)")
        #expect(!found.output.contains("@phone login") && !found.output.contains("the log lacks"), "\(found.output)")
        #expect(!found.output.contains("logout"), "\(found.output)")
        #expect(found.output.contains("\nwrote cause.imr\n"), "\(found.output)")
        // The other device can have logged in at any time of the silence. The silence can have begun after the last
        // answer of the server.
        #expect(
            found.output.contains("another device of the account (such as ios) logged in between 21:40:33"),
            "\(found.output)")
        #expect(found.output.contains(" and 21:44:28:263?"), "\(found.output)")
        // The script has the same times as the answer.
        let time = try #require(found.output.firstMatch(of: /(\+264\.\d+s)  21:44:28:\d+  @phone net up/)).output.1
        let played = try sandbox.imrepl("run", "--no-record", "cause.imr")
        #expect(played.output.contains("\(time)   phone   net up"), "\(played.output)")
    }

    @Test func `lines that only look like a call in another form of time are read`() throws {
        let lines = [
            "03:221 <chat> call login user=lily", "03:222 <chat> onLogin step=1", "03:241 <chat> onLogin step=2",
            "03:242 <chat> onLogin step=4", "03:262 <chat> onLogin step=5", "03:263 <chat> return login code=200",
            "03:264 <chat> onLogin step=7", "03:282 <chat> onLogin step=8",
            "33:282 <chat> onKick reason=1 clientType=2",
        ]
        try sandbox.write(lines.map { "2026/11/18 21:40:\($0)\n" }.joined(), "forms.log")
        let found = try sandbox.imrepl("reproduce", "forms.log")
        #expect(found.status == 0, "\(found.output)")
        #expect(found.output.contains("reproduced: 9 lines; the simulation has 0 more"), "\(found.output)")
        #expect(found.output.contains("logged in at 21:40:33:282?"), "\(found.output)")
        #expect(!found.output.contains("login lily  (for line 1"), "\(found.output)")
    }

    @Test func `a log of which too little is understood is not reproduced`() throws {
        try format(Self.entries.filter { $0.key.hasSuffix("_login") }, "little.json")
        let found = try reproduce("--format", "little.json")
        #expect(found.status == 1)
        #expect(found.output.hasPrefix("nothing to explain: 2 of "), "\(found.output)")
        #expect(found.output.contains("'imrepl import heron.log --suggest --profile nim'"), "\(found.output)")
        let rows = try reproduce("--format", "little.json", "--json")
        #expect(rows.status == 1 && rows.output.contains(#""kind":"no-ending","lines":"2","understood":"2""#))
    }

    @Test func `a field with another meaning is named, and the best attempt is written`() throws {
        // The pattern takes the number of devices for the type of the change, so no explanation exists.
        var entries = Self.entries
        entries["callback_onMultiLoginClientsChanged"] = #"other devices changed: (?<type>\\d+)"#
        try format(entries, "type.json")
        let missed = try reproduce("--format", "type.json", "-o", "attempt.imr")
        #expect(missed.status == 1, "\(missed.output)")
        #expect(missed.output.contains("the first line without an explanation is line 12"), "\(missed.output)")
        #expect(missed.output.contains("with type=2, or without 'type', it would fit"), "\(missed.output)")
        #expect(missed.output.contains("wrote attempt.imr: the best attempt, up to line 12"), "\(missed.output)")
    }

    @Test func `swapped lines are one note, and why names the search for the cause`() throws {
        try format(Self.entries, "own.json")
        let checked = try sandbox.imrepl("check", "heron.log", "--profile", "nim", "--format", "own.json")
        #expect(checked.status == 0, "\(checked.output)")
        #expect(
            checked.output.contains("note: lines 5 and 6 are swapped, 1 ms apart; so are "), "\(checked.output)")
        let why = try sandbox.imrepl("why", "heron.log", "--format", "own.json", "callback == onKick")
        #expect(why.output.contains("'imrepl reproduce LOG' searches for the cause"), "\(why.output)")
    }
}
