import IMDebugger
import IMLogs
import Testing

/// Tests of `check`, which finds the events of a log that the client's rules do not allow.
@Suite struct LogCheckTests {
    private func findings(
        _ profile: String, _ lines: [String], isComplete: Bool = false
    ) throws -> [LogFinding] {
        var options = LogOptions()
        options.profile = profile
        let log = try LogReader(options).read(Array((lines.joined(separator: "\n") + "\n").utf8))
        return try #require(LogCheck.findings(in: log, profile: profile, isComplete: isComplete))
    }

    private func app(_ bodies: [String]) -> [String] {
        bodies.enumerated().map { "2026-11-20 09:31:\(10 + $0.offset).391 [IM] \($0.element)" }
    }

    private static let kickBeforeAnswer = """
        [2019/10/24 16:53:8:277]: EMChatClientImpl::init()
        [2019/10/24 16:53:8:283]: EMSessionManager::login(): alice
        [2019/10/24 16:53:8:375]: log: level: 1, area: 1, SEND:
        { verison : MSYNC_V1, guid : 1000#demo_alice@example.com/mobile, auth : $t$TOKEN, command : PROVISION }

        [2019/10/24 16:53:8:388]: log: level: 1, area: 1, RECV:
        { command : SYNC, payload : { metas : [ { id : 1000, ns : STATISTIC, payload : { operation : 2 } } ] } }

        [2019/10/24 16:53:8:388]: EMSessionManager::onDisConnect(): 13
        [2019/10/24 16:53:8:389]: ConnUserLoginAnotherDevice
        [2019/10/24 16:53:8:389]: begin logout ..
        [2019/10/24 16:53:8:389]: log: level: 1, area: 1, RECV:
        { verison : MSYNC_V1, command : PROVISION, payload : { status : { error_code : 0 } } }

        [2019/10/24 16:53:8:389]: EMSessionManager::onConnect()
        [2019/10/24 16:53:8:389]: login return: 0
        [2019/10/24 16:53:8:389]: logout complete
        [2019/10/24 16:53:8:390]: log: level: 1, area: 1, SEND:
        { verison : MSYNC_V1, command : UNREAD, payload : {  } }
        """

    @Test func `a login that returns 0 after a kick is found, and the frames after it`() throws {
        let lines = Self.kickBeforeAnswer.components(separatedBy: "\n")
        let found = try findings("agora-chat", lines)
        #expect(found.map(\.line) == [16, 18])
        #expect(found.first?.rules == ["C-1", "C-3", "C-5"])
        #expect(found.first?.items.map(\.line) == [15, 16])
        #expect(found.first?.allowed.contains("result login with an error") == true)
        // In these lines, one process logs in and is then kicked, which the rules allow.
        let usual = lines.filter { !$0.contains("onConnect") && !$0.contains("login return") }.dropLast(2)
        #expect(try findings("agora-chat", Array(usual)).isEmpty)
    }

    @Test func `a log that ends in the first lines of another process has one process, one kick and no token`() throws {
        let lines =
            Self.kickBeforeAnswer.components(separatedBy: "\n") + [
                "[2019/10/24 16:55:8:277]: EMChatClientImpl::init()",
                "[2019/10/24 16:55:8:283]: EMSessionManager::login(): alice",
            ]
        let log = try LogReader(LogOptions()).read(Array(lines.joined(separator: "\n").utf8))
        #expect(log.processCount == 1)
        #expect(log.endsInProcessHead)
        #expect(log.entries.filter(\.event.isKick).count == 1)
        #expect(!log.entries.contains { $0.event.command.contains("TOKEN") })
    }

    static let nim = [
        "start process", "call login user=alice", "onLogin step=1", "onLogin step=2", "onLogin step=4",
        "onLogin step=5", "return login code=200", "onLogin step=7", "onLogin step=8", "onLogin step=9",
        "onLogin step=1", "onLogin step=3", "onLogin step=1", "onLogin step=2", "onLogin step=4", "onLogin step=5",
        "onLogin step=7", "onLogin step=8", "onKick reason=1 clientType=2", "call logout", "return logout code=200",
        "call login user=alice", "onLogin step=1", "onLogin step=3", "return login code=415",
    ]

    @Test func `neighbouring lines in the wrong order are no finding`() throws {
        func lines(_ gap: Int, _ bodies: [String]) -> [String] {
            bodies.enumerated().map { "2026-11-20 09:31:10.\(100 + $0.offset * gap) [IM] \($0.element)" }
        }
        func swaps(_ lines: [String], isComplete: Bool = false) throws -> [LogSwap] {
            var options = LogOptions()
            options.profile = "nim"
            let log = try LogReader(options).read(Array((lines.joined(separator: "\n") + "\n").utf8))
            return try #require(LogCheck.result(in: log, profile: "nim", isComplete: isComplete)).swaps
        }
        let swapped = [
            "start process", "onLogin step=1", "call login user=alice", "onLogin step=4", "onLogin step=2",
            "onLogin step=5", "return login code=200", "onLogin step=7", "onLogin step=8",
        ]
        #expect(try findings("nim", lines(3, swapped)).isEmpty)
        #expect(try swaps(lines(3, swapped)).map(\.lines) == [[2, 3], [4, 5]])
        #expect(try swaps(lines(3, swapped)).map(\.milliseconds) == [3, 3])
        // Lines with a longer time between them are in their real order. So are the lines of a log that is complete.
        #expect(try !findings("nim", lines(30, swapped)).isEmpty)
        #expect(try !findings("nim", lines(3, swapped), isComplete: true).isEmpty)
        // A login step directly after a kick is still a finding.
        let late = Self.nim.prefix(8) + ["onKick reason=1 clientType=2", "onLogin step=8"]
        #expect(try findings("nim", lines(1, Array(late))).map(\.line) == [10])
    }

    @Test func `what the rules allow has no finding`() throws {
        #expect(try findings("nim", app(Self.nim)).isEmpty)
        // The check assumes that a network may be lost between two lines.
        #expect(try findings("nim", app(["onLogin step=8", "onLogin step=9", "onLogin step=1"])).isEmpty)
    }

    @Test(arguments: [
        (18, "onLogin step=8", "C-5"), (18, "onKick reason=1 clientType=2", "C-5"), (6, "return login code=200", "C-1"),
        (20, "onRecvMessages from=bob text=hi", "C-4"), (24, "onLogin step=1", "C-4"), (2, "onLogin step=8", "NIM-1"),
        (0, "onRecvMessages from=bob text=hi", "C-4"),
    ])
    func `a planted line is named, with its rule`(_ index: Int, _ line: String, _ rule: String) throws {
        var lines = Self.nim
        lines.insert(line, at: index + 1)
        let found = try findings("nim", app(lines))
        #expect(found.first?.line == index + 2, "\(found)")
        #expect(found.first?.rules.contains(rule) == true, "\(found)")
        for id in found.flatMap(\.rules) { #expect(RuleCatalogue.rules.contains { $0.id == id }, "\(id)") }
    }

    @Test(arguments: [
        (
            "zim",
            [
                "start process", "call login user=a", "connectionStateChanged state=1 event=1",
                "connectionStateChanged state=2 event=0", "return login code=0",
                "connectionStateChanged state=0 event=4",
            ],
            "connectionStateChanged state=3 event=3", "ZIM-4"
        ),
        (
            "agora-rtm",
            [
                "start process", "call login user=a", "connectionStateChanged state=2 reason=1",
                "connectionStateChanged state=3 reason=2", "return login code=0",
                "connectionStateChanged state=5 reason=8", "call login user=a", "return login code=8",
            ],
            "connectionStateChanged state=2 reason=1", "RTM-6"
        ),
        (
            "wilddog",
            [
                "start process", "call sync verb=on path=.info/connected",
                "valueChanged path=.info/connected value=false", "valueChanged path=.info/connected value=true",
            ],
            "valueChanged path=.info/connected value=true", "SYNC-5"
        ),
    ])
    func `each vendor's login has its order of steps`(
        _ profile: String, _ lines: [String], _ planted: String, _ rule: String
    ) throws {
        #expect(try findings(profile, app(lines)).isEmpty)
        let found = try findings(profile, app(lines + [planted]))
        #expect(found.first?.line == lines.count + 1)
        #expect(found.first?.rules.contains(rule) == true, "\(found)")
    }

    @Test func `steps that an app never logs are assumed`() throws {
        let lines = ["start process", "call login user=alice", "onLogin step=8", "onLogin step=9", "onLogin step=8"]
        #expect(try findings("nim", app(lines)).isEmpty)
        #expect(try findings("nim", app(lines + ["onLogin step=8"])).first?.line == 6)
    }

    @Test func `in a complete log no line is assumed`() throws {
        #expect(try findings("nim", app(Self.nim), isComplete: true).isEmpty)
        // Three incomplete logs: one lacks the second step, one has a result without its call, and one lacks a result.
        let short = Self.nim.filter { $0 != "onLogin step=2" }
        #expect(try findings("nim", app(short)).isEmpty)
        #expect(try findings("nim", app(short), isComplete: true).first?.line == 4)
        let (more, less) = ("return send code=200", "call send to=bob text=hi")
        var lines = Self.nim
        lines.insert(more, at: 9)
        #expect(try findings("nim", app(lines)).isEmpty)
        #expect(try findings("nim", app(lines), isComplete: true).first?.line == 10)
        lines[9] = less
        #expect(try findings("nim", app(lines)).isEmpty)
        let found = try findings("nim", app(lines), isComplete: true)
        #expect(found.first?.problem == "a call 'send' before it has no result" && found.first?.line == 23, "\(found)")
    }

    @Test func `states of newer SDKs and the web SDK's names are steps of a login`() throws {
        let start = ["start process", "call login user=a"]
        let rtm =
            start + [
                "ConnectionStateChanged CONNECTING LOGIN", "ConnectionStateChanged CONNECTED LOGIN_SUCCESS",
                "return login code=0", "ConnectionStateChanged DISCONNECTED TOKEN_EXPIRED",
            ]
        #expect(try findings("agora-rtm", app(rtm)).isEmpty)
        let after = try findings("agora-rtm", app(rtm + ["ConnectionStateChanged RECONNECTING INTERRUPTED"]))
        #expect(after.first?.problem == "a login continues after the end of the token in line 6", "\(after)")
        let zim =
            start + [
                "connectionStateChanged state=1 event=1", "connectionStateChanged state=2 event=0",
                "return login code=0", "connectionStateChanged state=3 event=3",
            ]
        for end in ["state=0 event=6", "state=0 event=3"] {
            let lines = zim + ["connectionStateChanged \(end)"]
            #expect(try findings("zim", app(lines)).isEmpty)
            #expect(try findings("zim", app(lines + ["connectionStateChanged state=2 event=0"])).first?.line == 8)
        }
    }
}
