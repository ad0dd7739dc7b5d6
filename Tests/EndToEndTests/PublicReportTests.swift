import TestSupport
import Testing

/// Tests with reports from public issue trackers, each written as a log of callbacks. `reproduce` names the cause, or
/// the first line without an explanation.
@Suite(.onOwnThreads) struct PublicReportTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// Runs `reproduce` for a log of a process that starts at 09:31:02. The numbers are milliseconds after the start.
    private func reproduce(_ profile: String, _ lines: [(Int, String)]) throws -> String {
        let text = ([(0, "start process")] + lines).map { milliseconds, body in
            let (second, fraction) = (milliseconds / 1000 + 2, milliseconds % 1000 + 1000)
            let (minutes, seconds) = (second / 60 + 131, second % 60 + 100)
            func digits(_ number: Int) -> String { String(String(number).dropFirst()) }
            return "2026-11-20 09:\(digits(minutes)):\(digits(seconds)).\(digits(fraction)) [IM] \(body)\n"
        }.joined()
        try sandbox.write(text, "report.log")
        return try sandbox.imrepl("reproduce", "report.log", "--profile", profile).output
    }

    private static let tree: [(Int, String)] = [
        (100, "call sync verb=on path=.info/connected"), (100, "return sync code=0"),
        (100, "valueChanged path=.info/connected value=false"), (140, "valueChanged path=.info/connected value=true"),
    ]

    private static let rtm: [(Int, String)] = [
        (100, "call login user=alice"), (100, "connectionStateChanged state=2 reason=1"),
        (140, "connectionStateChanged state=3 reason=2"), (140, "return login code=0"),
    ]

    @Test func `P8: an operation of the previous connection marks an online user offline`() throws {
        func setOnline(_ time: Int) -> [(Int, String)] {
            [
                (time, "call on-disconnect verb=on-disconnect path=users/alice/online value=false"),
                (time, "call sync verb=set path=users/alice/online value=true"),
                (time + 20, "return on-disconnect code=0"), (time + 20, "return sync code=0"),
            ]
        }
        var lines: [(Int, String)] = Self.tree
        lines.append((150, "call sync verb=on path=users/alice"))
        lines.append((150, "return sync code=0"))
        lines.append((170, "valueChanged path=users/alice value=null"))
        lines += setOnline(300).prefix(2)
        lines.append((300, #"valueChanged path=users/alice value="{\"online\":true}""#))
        lines += setOnline(300).suffix(2)
        lines.append((150_300, "valueChanged path=.info/connected value=false"))
        lines.append((150_340, "valueChanged path=.info/connected value=true"))
        lines += setOnline(150_400)
        lines.append((190_300, #"valueChanged path=users/alice value="{\"online\":false}""#))
        let found = try reproduce("wilddog", lines)
        #expect(
            found.contains(
                "or the on-disconnect operation of line 9, which the server runs when it drops the connection that was "
                    + "lost in line 14"), "\(found)")
    }

    @Test func `P12: a join that succeeds after a reconnect shows that the channel was not restored`() throws {
        let rest: [(Int, String)] =
            [
                (1140, "call join channel=news"), (1160, "return join code=0"),
                (78_000, "connectionStateChanged state=4 reason=5"),
                (108_000, "connectionStateChanged state=3 reason=2"), (228_000, "call join channel=news"),
                (228_020, "return join code=0"),
            ]
        let found = try reproduce("agora-rtm", Self.rtm + rest)
        #expect(found.contains("the first line without an explanation is line 11"), "\(found)")
        #expect(found.contains("the simulation has there: return join code=6"), "\(found)")
    }

    @Test func `P15: a message whose acknowledgement was lost arrives twice`() throws {
        let found = try reproduce(
            "zim",
            [
                (100, "call login user=alice"), (100, "connectionStateChanged state=1 event=1"),
                (140, "connectionStateChanged state=2 event=0"), (140, "return login code=0"),
                (140, "conversationSyncStateChanged state=0"), (160, "conversationSyncStateChanged state=1"),
                (28_000, #"peerMessageReceived fromUserID=bob text="are you there?""#),
                (40_000, #"peerMessageReceived fromUserID=bob text="are you there?""#),
            ])
        #expect(found.contains("or the message of line 8, delivered again\n"), "\(found)")
    }

    @Test func `P16: everything is delivered again after a resume`() throws {
        let messages: [String] = ["one", "two"].map { "messageReceived text=\($0) fromPeer=bob" }
        let rest: [(Int, String)] =
            [
                (18_000, messages[0]), (28_000, messages[1]), (78_000, "connectionStateChanged state=4 reason=5"),
                (88_000, "connectionStateChanged state=3 reason=2"), (88_030, messages[0]), (88_030, messages[1]),
            ]
        let found = try reproduce("agora-rtm", Self.rtm + rest)
        #expect(
            found.contains("or the message of line 6, delivered again on the connection of line 9"), "\(found)")
    }

    @Test func `P20: a read returns an outdated value`() throws {
        func set(_ time: Int, _ value: Int) -> [(Int, String)] {
            [(time, "call sync verb=set path=scores/me value=\(value)"), (time + 20, "return sync code=0")]
        }
        func get(_ time: Int, _ value: Int) -> [(Int, String)] {
            [
                (time, "call sync verb=get path=scores/me"),
                (time + 20, "return sync code=0 path=scores/me value=\(value)"),
            ]
        }
        var lines: [(Int, String)] = Self.tree
        for part in [set(3000, 1), get(8000, 1), set(13_000, 2), get(14_000, 2)] { lines += part }
        #expect(try reproduce("wilddog", lines).contains("nothing"))
        let found = try reproduce("wilddog", lines + get(18_000, 1))
        #expect(found.contains("or an older value that is read again: that of line 9"), "\(found)")
    }

    @Test func `a login timeout on Android shows another time limit`() throws {
        let found = try reproduce(
            "nim",
            [
                (200, "call login user=alice"), (220, "User status changed to: CONNECTING"),
                (30_200, "Transaction: [id: 40, method: AuthService/login, result: 408]"),
                (30_201, "User status changed to: UNLOGIN"),
            ])
        #expect(found.contains("reproduced: 5 lines"), "\(found)")
        #expect(found.contains("(nim: 10000)") && found.contains("1. the network"), "\(found)")
    }

    @Test func `a login fails before its state is reported`() throws {
        let found = try reproduce(
            "agora-rtm",
            [
                (100, "call login user=alice"), (110, "Connection state changed: 2, reason: 1"),
                (6110, "Login error: login failed errorCode:9"), (6112, "Connection state changed: 1, reason: 4"),
            ])
        #expect(found.contains("reproduced: 5 lines"), "\(found)")
        #expect(found.contains("1. the network"), "\(found)")
    }

    @Test func `a connection is lost for a short time`() throws {
        let found = try reproduce(
            "wilddog",
            Self.tree + [
                (42_000, "valueChanged path=.info/connected value=false"),
                (42_128, "valueChanged path=.info/connected value=true"),
            ])
        #expect(found.contains("1. the network") && found.contains("2. the server"), "\(found)")
    }

    @Test func `a kick reported by Android's listener, with the state after it`() throws {
        let found = try reproduce(
            "agora-chat",
            [
                (100, "call login user=alice"), (140, "onConnected"), (140, "return login code=0"),
                (240_000, "onDisconnected"), (252_000, "onConnected"),
                (540_000, "onUserDidLoginFromOtherDevice iPhone"), (540_001, "onDisconnected"),
            ])
        #expect(found.contains("reproduced: 8 lines"), "\(found)")
        #expect(found.contains("1. another login of the account"), "\(found)")
    }

    @Test func `a kick reported by ZIM for Flutter, in words`() throws {
        func state(_ time: Int, _ state: String, _ event: String) -> (Int, String) {
            (time, "onConnectionStateChanged, state:ZIMConnectionState.\(state), event:ZIMConnectionEvent.\(event)")
        }
        let found = try reproduce(
            "zim",
            [
                (100, "call login user=alice"), state(110, "connecting", "activeLogin"),
                state(140, "connected", "success"), (140, "return login code=0"),
                state(120_000, "reconnecting", "interrupted"), state(150_000, "connected", "success"),
                state(180_000, "disconnected", "kickedOut"),
            ])
        #expect(found.contains("1. another login of the account"), "\(found)")
    }

    @Test func `a login with a wrong App ID`() throws {
        let found = try reproduce(
            "agora-rtm",
            [
                (100, "call login user=alice"), (110, "Connection state changed: 2, reason: 1"),
                (180, "Login error: login failed errorCode:4"), (182, "Connection state changed: 1, reason: 3"),
            ])
        #expect(found.contains("reproduced: 5 lines"), "\(found)")
        #expect(found.contains("the App ID at line 2 is wrong"), "\(found)")
        #expect(found.contains("1. the app has a wrong App ID"), "\(found)")
        #expect(found.contains("ask: is the App ID of the app the one in the vendor's console?"), "\(found)")
        #expect(found.contains("rule: RTM-2"), "\(found)")
    }

    /// Runs `reproduce` for lines in logcat's `brief` format, which has no times.
    private func reproduceInOrder(_ lines: [String], _ options: String...) throws -> Program.Result {
        try sandbox.write(lines.map { "I/flutter ( 3302): \($0)\n" }.joined(), "brief.log")
        return try sandbox.imrepl(["reproduce", "brief.log"] + options)
    }

    private static let orderOnly = "the log has no times: only the order of its lines is compared"

    @Test(arguments: [("9", "4", "1. the network"), ("4", "3", "1. the app has a wrong App ID")])
    func `a log without times is compared by its order`(_ code: String, _ reason: String, _ cause: String) throws {
        let found = try reproduceInOrder([
            "Connection state changed: 2, reason: 1", "Login error: login failed errorCode:\(code)",
            "Connection state changed: 1, reason: \(reason)",
        ])
        #expect(found.status == 0 && found.output.contains("reproduced: 3 lines"), "\(found.output)")
        #expect(found.output.contains(Self.orderOnly) && found.output.contains(cause), "\(found.output)")
        // The output contains no assumed time.
        #expect(!found.output.contains("+0.") && !found.output.contains("line 2, "), "\(found.output)")
    }

    @Test func `a kick and a loss in a log without times`() throws {
        let login = [
            "start process", "call login user=alice", "onLogin step=1", "onLogin step=2", "onLogin step=4",
            "onLogin step=5", "return login code=200", "onLogin step=7", "onLogin step=8",
        ]
        let outage = ["onLogin step=9", "onLogin step=1", "onLogin step=3", "onLogin step=1", "onLogin step=3"]
        let reconnection = ["onLogin step=1", "onLogin step=2", "onLogin step=4", "onLogin step=5", "onLogin step=7"]
        let rest = outage + reconnection + ["onLogin step=8", "onKick reason=1 clientType=1"]
        let found = try reproduceInOrder(login + rest, "--profile", "nim", "--platform", "ios", "-o", "order.imr")
        #expect(found.output.contains("reproduced: 21 lines"), "\(found.output)")
        #expect(found.output.contains("line 10: callback onLogin step=9\n  1. the network"), "\(found.output)")
        #expect(found.output.contains("1. another login of the account"), "\(found.output)")
        #expect(try sandbox.imrepl("run", "--no-record", "order.imr").status == 0)
        // No order of events has a kick before the login, so this log has no explanation.
        let kick = ["onKick reason=1 clientType=1", "onKick reason=1 clientType=1"]
        let missed = try reproduceInOrder(login + kick, "--profile", "nim", "--platform", "ios")
        #expect(missed.status == 1, "\(missed.output)")
        #expect(missed.output.contains("without an explanation is line 11: callback"), "\(missed.output)")
        #expect(missed.output.contains(Self.orderOnly + "; log with times"), "\(missed.output)")
    }
}
