import IMLogs
import IMProtocol
import IMSession
import Testing

/// Tests of the conversion of log lines to events.
@Suite struct LogReaderTests {
    private func read(_ lines: String..., format: String? = nil) throws -> ObservedLog {
        var options = LogOptions()
        if let format { options.formats = [("own.json", format)] }
        return try LogReader(options).read(Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// The texts of the recognized events, without their line numbers.
    private func words(_ log: ObservedLog) -> [String] {
        log.entries.map(\.event).filter { $0.kind != .line }.map { event in
            let summary = event.summary
            return String(summary[..<(summary.range(of: " (line")?.lowerBound ?? summary.endIndex)])
        }
    }

    @Test(arguments: [
        "11-20 10:00:01.250  6734  6790 I flutter : onLogin step=8",
        "11-20 10:00:01.250 I/flutter ( 6734): onLogin step=8",
        "I/flutter ( 6734): onLogin step=8",
        "I( 6734) onLogin step=8  (flutter)",
        "I( 6734: 6790) onLogin step=8",
        "I/flutter : onLogin step=8",
        "[ 11-20 10:00:01.250  6734: 6790 I/flutter  ]\nonLogin step=8",
        "2026-04-20 00:52:13.639 25733-25733 Tag     com.pkg      D  onLogin step=8",
        "2025-07-27 15:34:53.935599-0400 0x92cfe    Default     0x0  28508  0    Proc: (Sender) [sub:cat] onLogin step=8",
        "2026-09-22 02:11:02.442 Df App[10:8c8] (Sender) [sub:cat] onLogin step=8",
        "2019-07-02 20:37:37.480738+0700 APP[1366:205847] onLogin step=8",
        "Jan  2 15:04:05 iPhone App[123] <Notice>: onLogin step=8",
        "Oct  1 10:00:00.000000 App(Services)[1] <Notice>: onLogin step=8",
        "onLogin step=8\nType: Error | Timestamp: 2025-08-22 10:41:14.805473+09:00 | Process: X | TID: 0xf700",
        "flutter: onLogin step=8",
        "2020-02-13 19:37:15.389 [error][tid:com.facebook.react.JavaScript][File.m:77] onLogin step=8",
        " LOG  onLogin step=8",
        "2026-11-20 09:31:02.391 [IM] onLogin step=8",
        #"{"timestamp":"2026-07-26 18:11:22.348728+1200","eventMessage":"onLogin step=8","processID":99240}"#,
        "{onLogin step=8}  {09/05/2024 12:37:35}  {INFO}",
    ])
    func `every prefix of a system is removed`(_ line: String) throws {
        let log = try read(line)
        #expect(words(log) == ["callback onLogin step=8"])
        #expect(log.entries.last?.event.state == .online)
        #expect(log.profile == "nim")
    }

    @Test func `easemob's log has calls, callbacks and frames of several lines, also after Android's prefix`() throws {
        let log = try read(
            "[2019/10/24 14:0:7:4]: EMChatClientImpl::init()",
            "D/ONE SDK (77): [2019/10/24 14:0:7:11]: EMSessionManager::login(): alice",
            "[2019/10/24 14:0:27:242]: log: level: 1, area: 1, RECV:",
            "{ verison : MSYNC_V1, command : SYNC, payload : { metas : [ { ns : STATISTIC, payload : { operation : 2 } } ] } }",
            "", "[2019/10/24 14:0:27:240]: ConnUserLoginAnotherDevice", "[2019/10/24 14:0:27:243]: randomServers ")
        #expect(
            words(log) == [
                "start", "> login user=alice", "← SYNC ns=STATISTIC operation=2",
                "callback userAccountDidLoginFromOtherDevice code=206",
            ])
        #expect(log.entries.map(\.offset) == log.entries.map(\.offset).sorted())
        #expect(log.entries.map(\.offset)[1] == 7_000_000)
        #expect(log.understoodCount == 5)
        #expect(log.unknownCount == 1)
        #expect(log.entries.contains { $0.event.isKick })
    }

    @Test(arguments: [
        ("Connection state changed: 4, reason: 5", "callback connectionStateChanged state=4 reason=5"),
        ("onLogin: 2", "callback onLogin step=2"),
        ("onLogin(NIMLoginStep.loginOK)", "callback onLogin step=5"),
        ("onKick reason=1 clientType=2", "callback onKick reason=1 clientType=2"),
        ("zim connectionStateChanged, state: 3, event: 3", "callback connectionStateChanged state=3 event=3"),
        ("call send to=bob text=\"see you\"", "> send to=bob text=<text>"),
        ("User status changed to: KICK_BY_OTHER_CLIENT", "callback observeOnlineStatus status=KICK_BY_OTHER_CLIENT"),
        ("StatusCode;LOGINED", "callback observeOnlineStatus status=LOGINED"),
        ("NET_BROKEN  StatusCode=NET_BROKEN", "callback observeOnlineStatus status=NET_BROKEN"),
        ("observeOnlineStatus: StatusCode.FORBIDDEN", "callback observeOnlineStatus status=FORBIDDEN"),
        ("onEvent: PWD_ERROR", "callback observeOnlineStatus status=PWD_ERROR"),
        ("User status changed to: INVALID", "callback observeOnlineStatus status=INVALID"),
        ("DATA_UPGRADE", "callback observeOnlineStatus status=DATA_UPGRADE"),
        ("KICKOUT", "callback observeOnlineStatus status=KICKOUT"),
        ("StatusCode==6", "callback observeOnlineStatus status=6"),
        ("Login error: login failed errorCode:9", "result login code=9"),
        ("execution result: Transaction: [id: 40, method: AuthService/login, result: 408]", "result login code=408"),
        ("onDisconnected: 206", "callback onDisconnected error=206"),
        ("onUserDidLoginFromOtherDevice iPhone", "callback onUserDidLoginFromOtherDevice"),
        (
            "onConnectionStateChanged, state:ZIMConnectionState.disconnected, event:ZIMConnectionEvent.kickedOut",
            "callback connectionStateChanged state=0 event=4"
        ),
        ("conn_0 - realtime connection established", "callback connected value=1"),
        (
            "conn_0 - Sending data: {t=d, d={a=g, r=9, b={p=rooms/2, q={l=1}}}}", "→ g request=9 path=rooms/2"
        ),
        ("conn_0 - received data message: {r=9, b={d={}, s=ok}}", "← data request=9"),
        ("FIREBASE event: /.info/connected:value:false", "callback valueChanged path=.info/connected value=false"),
        (#"FIREBASE p:0: {"r":1,"a":"q","b":{"p":"/users/a","h":""}}"#, "→ q request=1 path=/users/a"),
        (
            "6.1.4 - [Firebase/Database][I-RDB082005] Sending: {     d =     {         a = q;         r = 1;     };",
            "→ q request=1"
        ),
    ])
    func `callbacks are read in their usual forms`(_ line: String, _ expected: String) throws {
        #expect(words(try read("2026-11-20 09:31:02.391 [IM] \(line)")) == [expected])
    }

    @Test(arguments: ["4", "6"])
    func `ZIM's callbacks for a kick and for a removed account are kicks`(_ event: String) throws {
        let log = try read("2026-11-20 09:31:02.391 [IM] connectionStateChanged, state: 0, event: \(event)")
        #expect(log.entries.last?.event.state == .kicked)
    }

    @Test func `a line of another program is not a call`() throws {
        let log = try read(
            "2026-11-20 09:31:02.391 [UI] call ended by user, duration=31s",
            "2026-11-20 09:31:02.391 [UI] didReceiveMemoryWarning", "2026-11-20 09:31:02.391 [Net] CONNECTING",
            "2026-11-20 09:31:02.391 [UI] status: SYNCING")
        #expect(log.understoodCount == 0)
        #expect(log.entries.map(\.event.kind) == [.line, .line, .line, .line])
    }

    @Test(arguments: [
        "auth : $t$YWMtabcdefgh", "token=YWMtabcdefgh", "Authorization: Bearer YWMtabcdefgh", "imei=355555555555555",
        #""ssid":"Home Network""#, "lat=31.2304, lng=121.4737", "password: hunter2222", "content=meet me at nine",
        "3c:22:fb:aa:bb:cc", "carol@example.com",
    ])
    func `secrets and personal data are replaced`(_ secret: String) throws {
        let head = "2026-11-20 09:31:02.391 [IM]"
        let log = try read("\(head) something \(secret)", "\(head) onLogin step=1")
        let text = log.entries.map(\.event.command).joined()
        for part in ["YWMt", "35555", "Home", "31.2304", "121.4737", "hunter", "meet", "3c:22", "carol"] {
            #expect(!text.contains(part), "\(text)")
        }
    }

    @Test func `another process id is another process, and a changed clock is an event`() throws {
        let log = try read(
            "12-31 23:59:59.000  10  11 I Im : onLogin step=1", "01-01 00:00:01.000  10  11 I Im : onLogin step=2",
            "01-01 00:00:05.000  12  13 I Im : onLogin step=1", "01-01 00:00:02.000  12  13 I Im : onLogin step=2")
        #expect(log.processCount == 2)
        #expect(words(log).filter { $0 == "start" }.count == 1)
        #expect(words(log).contains("clock-set by-ms=-3000"))
        #expect(log.entries.last?.offset == 6_000_000_000)
    }

    @Test func `lines in the wrong order do not make the log longer`() throws {
        let seconds = (0..<4).map { "2026-11-20 09:31:0\($0)" }
        let lines = seconds.flatMap { ["\($0).500 [IM] onLogin step=1", "\($0).100 [IM] onLogin step=2"] }
        #expect(try read(lines.joined(separator: "\n")).entries.last?.offset == 3_000_000_000)
        // Lines in the wrong order, with the times of a monotonic clock.
        let tap = [500, 100, 1500, 1100].map {
            #"{"v":1,"mono":\#($0 * 1_000_000),"wall":"2026-01-01T00:00:0\#($0 / 1000).\#($0 % 1000)+00:00","#
                + #""kind":"callback","name":"onLogin","args":{"step":"1"}}"#
        }
        #expect(try read(tap.joined(separator: "\n")).entries.map(\.offset) == [0, 0, 1_000_000_000, 1_000_000_000])
    }

    @Test func `lines with a monotonic time and lines without one count the same time once`() throws {
        func tap(_ second: Int) -> String {
            #"{"v":1,"mono":\#(second * 1_000_000_000),"wall":"2026-01-01T00:00:0\#(second).000+00:00","#
                + #""kind":"callback","name":"onLogin","args":{"step":"1"}}"#
        }
        func plain(_ second: Int) -> String { "2026-01-01 00:00:0\(second).000 [IM] onLogin step=2" }
        let log = try read(tap(0), plain(3), tap(5), plain(6), tap(7))
        #expect(words(log).count == 5)
        #expect(log.entries.map(\.offset) == [0, 3, 5, 6, 7].map { $0 * 1_000_000_000 })
    }

    @Test func `a late line of the old year does not add a year`() throws {
        let log = try read(
            "12-31 23:59:59.900  10  11 I Im : onLogin step=1", "01-01 00:00:00.100  10  11 I Im : onLogin step=2",
            "12-31 23:59:59.950  10  12 I Im : onLogin step=3", "01-01 00:00:00.300  10  11 I Im : onLogin step=4")
        #expect(log.entries.map(\.offset) == [0, 200_000_000, 200_000_000, 400_000_000])
    }

    /// Apple silicon has 24 ticks per microsecond, Intel has 1000.
    @Test(arguments: [24, 1000])
    func `machTimestamp is converted with the duration of a tick that the log shows`(_ rate: Int) throws {
        func line(_ second: Int, hour: Int = 18) -> String {
            let ticks = 1_000_000_000_000 + second * rate * 1_000_000
            return #"{"timestamp":"2026-07-26 \#(hour):11:2\#(second).348728+1200","machTimestamp":\#(ticks),"#
                + #""eventMessage":"onLogin step=8","processID":99240}"#
        }
        let log = try read(line(0), line(2), line(5), line(6, hour: 19))
        #expect(words(log).filter { $0.hasPrefix("clock-set") } == ["clock-set by-ms=3600000"])
        #expect(log.entries.map(\.offset) == [0, 2, 5, 6, 6].map { $0 * 1_000_000_000 })
        #expect(log.isSteady)
    }

    @Test func `the user's format file comes first, and one with endless backtracking is refused`() throws {
        func file(_ pattern: String) -> String {
            #"{"own": {"search-table": {"callback_onKick__reason_1": {"pattern": "\#(pattern)"}}}}"#
        }
        #expect(words(try read("thrown out", format: file("thrown out"))) == ["callback onKick reason=1"])
        #expect(throws: LogFormatError.self) { try read("aaaa", format: file("(a+)+$")) }
        #expect(throws: LogFormatError.self) { try read("aaaa", format: "[]") }
    }

    @Test func `hostile lines are truncated and harmless`() throws {
        let long = String(repeating: "x", count: 1 << 20)
        let log = try read("\u{1B}[31monLogin step=1\u{7}", long)
        #expect(log.entries.allSatisfy { $0.event.command.utf8.count < 2000 })
        #expect(!log.entries.contains { $0.event.command.contains("\u{1B}") })
        #expect(throws: LogError.self) { try LogReader(LogOptions()).read([1, 0, 2, 0]) }
        #expect(throws: LogError.self) { try LogReader(LogOptions()).read([]) }
    }

    @Test func `a time that is too large for the clock is limited`() throws {
        let log = try read(
            #"{"logcatMessages":[{"header":{"timestamp":{"seconds":9999999999,"nanos":9000000000000000000}},"#
                + #""message":"onLogin step=8"}]}"#)
        #expect(words(log) == ["callback onLogin step=8"])
        #expect(log.entries.map(\.offset) == [0])
    }

    @Test func `an event is unchanged after it was written and read`() {
        var event = LoggedEvent(kind: .callback, name: "on Login", line: 7)
        event.fields = [.init(name: "@line", value: "a \"b\" \\ ="), .init(name: "empty", value: "")]
        (event.stamp, event.uncertainty, event.process) = ("14:0:7:4", 1_000_000, 2)
        (event.state, event.text, event.direction) = (.kicked, "x = \"y\"", "in")
        #expect(LoggedEvent(command: event.command) == event)
        #expect(LoggedEvent(command: "net down") == nil)
        #expect(LoggedEvent(command: "observed callback \"open") == nil)
    }

    @Test func `a growing log gives the events of its complete lines`() throws {
        let reader = try LogReader(LogOptions())
        let head = "2026-11-20 09:31:02.391 [IM] onLogin step="
        #expect(try reader.feed(Array("\(head)1\n\(head)".utf8)).isEmpty)
        #expect(try reader.feed(Array("8\n".utf8)).map(\.event.fields) == [[.init(name: "step", value: "1")]])
        #expect(reader.pause().map(\.event.line) == [2])
        #expect(try reader.feed(Array("\(head)9".utf8)).isEmpty)
        #expect(reader.end().map(\.event.line) == [3])
    }

    @Test func `a suggested format reads the lines from which it was made`() throws {
        let lines = [
            "10:00:01,250 | login begin user=alice token=abcdefghijklmnop", "10:00:01,600 | connected!",
            "10:00:01,610 | login success code=200", "10:00:09,610 | 12 avatars",
            "10:02:03,610 | kicked by device type 2",
        ]
        let text = Array(lines.joined(separator: "\n").utf8)
        let suggestion = try FormatSuggestion(text, profile: "nim", name: "app")
        #expect(suggestion.count == 4)
        #expect(!suggestion.file.contains("abcdefghijklmnop"))
        var options = LogOptions()
        options.formats = [("app.json", suggestion.file)]
        let log = try LogReader(options).read(text)
        #expect(
            words(log) == [
                "> login user=alice token=<token>", "callback onLogin step=8", "result login code=200",
                "callback onKick reason=1 clientType=2",
            ])
        #expect(log.entries.last?.offset == 122_360_000_000)
        #expect(throws: LogFormatError.self) { try FormatSuggestion(Array("x".utf8), profile: "nim", name: "app") }
    }

    private func suggestion(_ bodies: [String], profile: String = "nim") throws -> FormatSuggestion {
        let lines = bodies.enumerated().map { "2026-11-20 10:\(10 + $0.offset):00.000 \($0.element)" }
        return try FormatSuggestion(Array(lines.joined(separator: "\n").utf8), profile: profile, name: "app")
    }

    @Test func `lines whose numbers are states in their order get one pattern`() throws {
        let steps = [1, 2, 4, 5, 7, 8, 9, 1, 3, 1, 2, 4, 5].map { "phase now \($0 % 3 == 0 ? "x" : "y z") (\($0))" }
        let found = try suggestion(["login as lily"] + steps)
        #expect(found.count == 2)
        #expect(found.file.contains(##"phase .{1,80}? \\((?<step>\\d+)\\)"##), "\(found.file)")
        #expect(found.unmatched.isEmpty)
        // Numbers that only count up are not taken for states.
        let counter = try suggestion(["login as lily"] + [1, 2, 3, 4, 1, 2, 3, 4].map { "try again soon (\($0))" })
        #expect(counter.count == 1)
        #expect(counter.unmatched.map(\.count) == [8])
        // The states of ZIM, each with its event.
        let pairs = [(1, 1), (2, 0), (3, 3), (2, 0), (0, 4)].map { "link -> x\($0.0) state \($0.0) because \($0.1)" }
        let zim = try suggestion(["login as lily"] + pairs, profile: "zim")
        #expect(zim.file.contains("callback_connectionStateChanged"), "\(zim.file)")
    }

    @Test func `a kick in other words has its numbers`() throws {
        for line in ["booted out (1) from 2", "session was forced offline, cause: 1, by device 2"] {
            let found = try suggestion(["login as lily", line])
            #expect(found.file.contains(##""callback_onKick""##), "\(found.file)")
            #expect(found.file.contains("(?<reason>") && found.file.contains("(?<clientType>"), "\(found.file)")
        }
        // A kick without numbers is taken for a kick by another device.
        let plain = try suggestion(["login as lily", "signed in elsewhere"])
        #expect(plain.file.contains("callback_onKick__reason_1"))
    }
}
