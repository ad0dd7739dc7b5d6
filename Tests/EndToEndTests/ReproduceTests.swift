import Foundation
import TestSupport
import Testing

/// Tests of `reproduce`: it finds the hidden events that explain a log.
@Suite(.onOwnThreads) struct ReproduceTests {
    private let sandbox: Sandbox
    private static let login = """
        2026-11-20 09:31:02.391 [IM] start process
        2026-11-20 09:31:02.400 [IM] call login user=alice token=abcdefghijkl
        2026-11-20 09:31:02.400 [IM] onLogin step=1
        2026-11-20 09:31:02.420 [IM] onLogin step=2
        2026-11-20 09:31:02.420 [IM] onLogin step=4
        2026-11-20 09:31:02.440 [IM] onLogin step=5
        2026-11-20 09:31:02.440 [IM] return login code=200
        2026-11-20 09:31:02.440 [IM] onLogin step=7
        2026-11-20 09:31:02.460 [IM] onLogin step=8

        """

    private static let otherNumbers = """
        2026-11-20 09:31:02.391 [IM] start process
        2026-11-20 09:31:02.400 [IM] call login user=alice
        2026-11-20 09:31:02.400 [IM] onLogin step=1
        2026-11-20 09:31:03.200 [IM] onLogin step=2
        2026-11-20 09:31:03.200 [IM] onLogin step=4
        2026-11-20 09:31:04.000 [IM] onLogin step=5
        2026-11-20 09:31:04.000 [IM] return login code=200
        2026-11-20 09:31:04.000 [IM] onLogin step=7
        2026-11-20 09:31:04.800 [IM] onLogin step=8
        2026-11-20 09:31:04.800 [IM] onLogin step=8
        2026-11-20 09:33:00.000 [IM] onLogin step=9
        2026-11-20 09:33:00.000 [IM] onLogin step=1
        2026-11-20 09:33:06.000 [IM] onLogin step=3
        2026-11-20 09:33:07.100 [IM] onLogin step=1
        2026-11-20 09:33:13.100 [IM] onLogin step=3
        2026-11-20 09:33:17.100 [IM] onLogin step=1
        2026-11-20 09:33:23.100 [IM] onLogin step=3
        2026-11-20 09:33:30.000 [IM] onLogin step=1
        2026-11-20 09:33:30.800 [IM] onLogin step=2
        2026-11-20 09:33:30.800 [IM] onLogin step=4
        2026-11-20 09:33:31.600 [IM] onLogin step=5
        2026-11-20 09:33:31.600 [IM] onLogin step=7
        2026-11-20 09:33:32.400 [IM] onLogin step=8
        2026-11-20 09:33:32.400 [IM] onLogin step=8

        """

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write(Self.login + "2026-11-20 09:31:10.500 [IM] onKick reason=1 clientType=1\n", "kick.log")
        // This log is impossible, because one login cannot be kicked twice.
        try sandbox.write(
            Self.login + """
                2026-11-20 09:31:10.500 [IM] onKick reason=1 clientType=1
                2026-11-20 09:31:11.500 [IM] onKick reason=1 clientType=1

                """, "impossible.log")
    }

    @Test func `a kick by another login is reproduced, with the question that confirms it`() throws {
        let found = try sandbox.imrepl("reproduce", "kick.log", "--platform", "ios", "-o", "explanation.imr")
        #expect(found.status == 0, "\(found.errors)")
        #expect(found.output.contains("reproduced: 10 lines; the simulation has 0 more"))
        #expect(found.output.contains("@android1 login alice  (for line 10)"))
        #expect(found.output.contains("1. another login of the account (android)"))
        #expect(
            found.output.contains(
                "ask: was another device of the account (such as android) logged in at 09:31:10.500?"))
        #expect(!found.output.contains("abcdefghijkl"))
        // The explanation is a script that can be run.
        let again = try sandbox.imrepl("run", "--no-record", "explanation.imr")
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.contains("callback onKick"))
    }

    @Test func `the statuses of NIM's Android SDK are reproduced`() throws {
        try sandbox.write(
            """
            11-20 09:31:00.000  6734  6734 I App     : start process
            11-20 09:31:00.100  6734  6734 I App     : call login user=alice
            11-20 09:31:00.110  6734  6734 I App     : User status changed to: CONNECTING
            11-20 09:31:00.150  6734  6734 I App     : User status changed to: LOGINING
            11-20 09:31:00.190  6734  6734 I App     : User status changed to: LOGINED
            11-20 09:31:00.190  6734  6734 I App     : return login code=200
            11-20 09:33:10.000  6734  6734 I App     : User status changed to: NET_BROKEN
            11-20 09:33:25.000  6734  6734 I App     : User status changed to: CONNECTING
            11-20 09:33:25.050  6734  6734 I App     : User status changed to: LOGINING
            11-20 09:33:25.100  6734  6734 I App     : User status changed to: LOGINED
            11-20 09:34:25.100  6734  6734 I App     : User status changed to: KICKOUT

            """, "status.log")
        let found = try sandbox.imrepl("reproduce", "status.log", "--platform", "android")
        #expect(found.status == 0, "\(found.output)\(found.errors)")
        #expect(found.output.contains("1. the network"))
        #expect(found.output.contains("another login of the account"))
    }

    @Test func `a file of the tap is reproduced, with the login that kicked it`() throws {
        // `NIMTapTests` in Packages/VendorSDKs writes this file.
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let example = tests.appendingPathComponent("../../Packages/Tap/Example/nim-other-login.ndjson")
        let found = try sandbox.imrepl("reproduce", example.standardizedFileURL.path, "--platform", "ios")
        #expect(found.status == 0, "\(found.errors)")
        #expect(found.output.contains("another login of the account (ios)"))
    }

    @Test func `a client with other settings is reproduced, and settings that do not fit are reported`() throws {
        // This client has other settings: an attempt takes 6 s, the delays are 1.1 s and 4 s, the one-way delay is 400
        // ms, and step 8 is reported twice.
        try sandbox.write(Self.otherNumbers, "numbers.log")
        let found = try sandbox.imrepl("reproduce", "numbers.log", "--profile", "nim", "-o", "numbers.imr")
        #expect(found.status == 0, "\(found.errors)")
        #expect(found.output.contains("with attempt-time-limit-ms=6000 (nim: 10000), retry-delays-ms=1100,4000,"))
        #expect(found.output.contains("one-way delay 400 ms"))
        #expect(found.output.contains("it comes twice each time: onLogin step=8, lines 10, 24"))
        #expect(found.output.contains("1. the network"))
        let again = try sandbox.imrepl("run", "--no-record", "numbers.imr")
        #expect(again.status == 0, "\(again.errors)")
    }

    @Test func `parts of a corpus merge to the table of the whole one`() throws {
        for (name, text) in [("a", Self.login), ("b", Self.otherNumbers), ("c", "no log\n"), ("d", Self.login)] {
            try sandbox.write(text, "logs-\(name).log")
        }
        let logs = ["a", "b", "c", "d"].map { "logs-\($0).log" }
        let options = ["--profile", "nim", "--json"]
        let whole = try sandbox.imrepl(["reproduce"] + logs + options + ["--jobs", "2", "-o", "found"])
        #expect(whole.status == 1)
        #expect(whole.output.contains(#""kind":"unreadable","log":"logs-c.log""#))
        #expect(whole.output.contains(#""cause":"network","logs":"1","first":"logs-b.log""#))
        #expect(whole.output.contains(#""rule":"NIM-9""#))
        #expect(try sandbox.files(below: "found").contains { $0.hasSuffix("logs-b.log.txt") })
        for part in 1...3 {
            let result = try sandbox.imrepl(["reproduce"] + logs + options + ["--shard", "\(part)/3"])
            try sandbox.write(result.output, "part-\(part).ndjson")
        }
        let merges = [3, 1, 2].flatMap { ["--merge", "part-\($0).ndjson"] }
        #expect(try sandbox.imrepl(["reproduce", "--json"] + merges).output == whole.output)
        try sandbox.write(whole.lines.dropLast().joined(separator: "\n"), "cut.ndjson")
        let cut = try sandbox.imrepl("reproduce", "--merge", "cut.ndjson")
        #expect(cut.status == 5 && cut.errors.contains("is incomplete"))
    }

    @Test func `a log without an explanation reports the first unexplained line`() throws {
        let missed = try sandbox.imrepl("reproduce", "impossible.log", "--platform", "ios")
        #expect(missed.status == 1)
        #expect(missed.output.contains("no explanation of the log was found"))
        #expect(missed.output.contains("the first line without an explanation is line 11"))
        #expect(try sandbox.imrepl("reproduce", "kick.log", "--platform", "fridge").status == 2)
        #expect(try sandbox.imrepl("reproduce", "missing.log").status == 3)
    }

    @Test(arguments: [
        ("agora-chat", "", "202", "the token of line 2 is wrong"),
        ("agora-rtm", "connectionStateChanged state=1 reason=3", "2", "server account ban alice"),
        ("nim", "onLogin step=6", "302", "the token of line 2 is wrong"),
    ])
    func `a first login that is refused is reproduced`(
        _ profile: String, _ callback: String, _ code: String, _ event: String
    ) throws {
        let before = "2026-11-20 09:31:02.000 [IM] start process\n2026-11-20 09:31:02.100 [IM] call login user=alice\n"
        let first: [String] =
            switch profile {
            case "nim": ["onLogin step=1", "onLogin step=2", "onLogin step=4", callback]
            case "agora-rtm": ["connectionStateChanged state=2 reason=1", callback]
            default: []
            }
        let lines = (first + ["return login code=\(code)"]).map { "2026-11-20 09:31:02.130 [IM] \($0)\n" }
        try sandbox.write(before + lines.joined(), "first.log")
        let found = try sandbox.imrepl("reproduce", "first.log", "--profile", profile, "-o", "first.imr")
        #expect(found.status == 0, "\(found.output)")
        #expect(found.output.contains(event), "\(found.output)")
        #expect(try sandbox.imrepl("run", "--no-record", "first.imr").status == 0)
    }

    @Test func `a planted callback is not explained by a call without other evidence`() throws {
        // The log is online after a kick without the lines of a login, so the added step 8 has no explanation.
        try sandbox.write(
            Self.login + """
                2026-11-20 09:31:10.500 [IM] onKick reason=1 clientType=1
                2026-11-20 09:31:20.500 [IM] onLogin step=8
                2026-11-20 09:31:30.500 [IM] call logout
                2026-11-20 09:31:30.500 [IM] return logout code=200

                """, "planted.log")
        let missed = try sandbox.imrepl("reproduce", "planted.log", "--platform", "ios")
        #expect(missed.status == 1)
        #expect(missed.output.contains("the first line without an explanation is line 11"), "\(missed.output)")
    }

    @Test func `the output to a pipe is JSON, with the progress of the search`() throws {
        // The unusual settings and an impossible line make the search longer.
        let kicks = ["50", "55"].map { "2026-11-20 09:33:\($0).400 [IM] onKick reason=1 clientType=1\n" }
        try sandbox.write(Self.otherNumbers + kicks.joined(), "long.log")
        let missed = try sandbox.imrepl("reproduce", "long.log", "--profile", "nim", "--json")
        #expect(missed.status == 1 && missed.errors.isEmpty)
        #expect(missed.output.contains(#""kind":"progress","runs":"10","explained":"#), "\(missed.output)")
        for line in missed.lines { #expect(line.hasPrefix("{") && line.hasSuffix("}"), "\(line)") }
        #expect(missed.output.contains(#""kind":"no-explanation""#))
        let found = try sandbox.imrepl("reproduce", "kick.log", "--platform", "ios", "--json")
        #expect(found.output.contains(#""rule":"NIM-11""#), "\(found.output)")
        #expect(!found.output.contains("%"))
    }

    @Test func `a slow pattern affects only its own log`() throws {
        let slow = #"{"own": {"search-table": {"callback_x": {"pattern": "(?=a)(a|a)*(a|a)*(a|a)*b"}}}}"#
        try sandbox.write(slow, "slow.json")
        let line = "2026-11-20 09:31:02.391 [IM] " + String(repeating: "a", count: 300) + "\n"
        try sandbox.write(String(repeating: line, count: 100), "slow.log")
        let found = try sandbox.imrepl(
            "reproduce", "slow.log", "kick.log", "--profile", "nim", "--format", "slow.json")
        #expect(found.status == 1)
        #expect(found.output.contains("the pattern of 'x' in the format 'own' takes too long"))
        #expect(found.output.contains("kick.log:10  other-login:android"))
    }

    @Test func `in a complete log, a missing callback is evidence`() throws {
        // The sync does not end in this log, although the log has later lines.
        let unfinishedLogin = Self.login.split(separator: "\n").dropLast().map { $0 + "\n" }.joined()
        try sandbox.write(unfinishedLogin + "2026-11-20 09:33:00.000 [IM] onKick reason=1 clientType=1\n", "stuck.log")
        #expect(try sandbox.imrepl("reproduce", "stuck.log", "--platform", "ios").status == 0)
        let missed = try sandbox.imrepl("reproduce", "stuck.log", "--platform", "ios", "--complete")
        #expect(missed.status == 1)
        #expect(
            missed.output.contains(
                "before it the simulation has a line that the log lacks: callback onLogin step=8"), "\(missed.output)")
        #expect(try sandbox.imrepl("reproduce", "kick.log", "--platform", "ios", "--complete").status == 0)
    }

    @Test func `a token that disconnects the SDK is reproduced`() throws {
        let lines = [
            "02.000 [IM] start process", "02.100 [IM] call login user=alice",
            "02.100 [IM] connectionStateChanged state=2 reason=1",
            "02.140 [IM] connectionStateChanged state=3 reason=2",
            "02.140 [IM] return login code=0", "42.140 [IM] rtmKitTokenDidExpire",
            "42.140 [IM] connectionStateChanged state=1 reason=9", "50.000 [IM] call login user=alice",
            "50.000 [IM] connectionStateChanged state=2 reason=1",
            "50.040 [IM] connectionStateChanged state=3 reason=2",
            "50.040 [IM] return login code=0",
        ]
        for left in [lines, lines.filter { !$0.hasSuffix("DidExpire") }] {
            try sandbox.write(left.map { "2026-11-20 09:31:\($0)\n" }.joined(), "token.log")
            let found = try sandbox.imrepl("reproduce", "token.log", "--profile", "agora-rtm")
            #expect(found.status == 0, "\(found.output)")
            #expect(found.output.contains("callback connectionStateChanged state=1 reason=9"), "\(found.output)")
            #expect(found.output.contains("1. the token ended"), "\(found.output)")
        }
    }

    @Test func `a pattern that is not supported is named with its file and its event`() throws {
        for (pattern, what) in [
            (#"kick (a)\\1"#, #"a backreference, which is not supported, at '\1'"#),
            ("(?<=a+)kick", "a lookbehind of variable length, which is not supported, at '(?<=a+)kick'"),
            ("kick(?>a)", "an atomic group, which is not supported, at '(?>a)'"),
        ] {
            let entry = #"{"callback_onKick": {"pattern": "\#(pattern)"}}"#
            try sandbox.write(#"{"own": {"search-table": \#(entry)}}"#, "own.json")
            let result = try sandbox.imrepl("check", "kick.log", "--format", "own.json")
            #expect(result.status == 2)
            #expect(
                result.errors.contains("own.json: the pattern 'callback_onKick' of 'own' uses \(what)"),
                "\(result.errors)")
            #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
        }
    }

    @Test func `an app's own lines are explained with the suggested format`() throws {
        func steps(_ time: String, _ step: Int) -> String {
            "[2026/11/20 09:\(time)] DEBUG Session: login step changed to \(step)"
        }
        let lines =
            [
                "[2026/11/20 09:31:02.391] INFO  AppDelegate: application launched, version 3.4.1",
                "[2026/11/20 09:31:02.400] INFO  Session: signing in as alice", steps("31:02.401", 1),
                steps("31:02.441", 2), steps("31:02.441", 4), steps("31:02.481", 5),
                "[2026/11/20 09:31:02.482] INFO  Session: sign in finished, code 200", steps("31:02.483", 7),
                steps("31:02.523", 8), "[2026/11/20 09:31:40.120] INFO  Ui: opened conversation list",
                "[2026/11/20 09:48:02.000] WARN  Session: kicked out, reason=1 client=1",
                "[2026/11/20 09:48:03.500] INFO  Session: signing out",
                "[2026/11/20 09:48:03.501] INFO  Session: signed out, code 200",
            ].joined(separator: "\n") + "\n"
        try sandbox.write(lines, "own.log")
        let unread = try sandbox.imrepl("reproduce", "own.log", "--profile", "nim")
        #expect(unread.errors.contains("imrepl import own.log --suggest --profile NAME -o FILE.json"))
        let suggested = try sandbox.imrepl("import", "own.log", "--suggest", "--profile", "nim", "-o", "own.json")
        #expect(suggested.status == 0, "\(suggested.errors)")
        let shown = try sandbox.imrepl("show", "own.log", "--format", "own.json")
        #expect(shown.output.contains("> login user=alice"), "\(shown.output)")
        let found = try sandbox.imrepl("reproduce", "own.log", "--profile", "nim", "--format", "own.json")
        #expect(found.status == 0, "\(found.output)")
        #expect(found.output.contains("1. another login of the account (android)"), "\(found.output)")
    }
}
