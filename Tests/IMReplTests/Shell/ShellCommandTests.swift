import Foundation
import IMProfiles
import IMProtocol
import IMServer
import SansIO
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMShell
@testable import IMText

/// Tests of the shell with a simulated world: the effects of commands, and their errors.
@Suite struct ShellCommandTests {
    private func shell(_ profile: String, strict: Bool = false) throws -> Shell {
        var settings = WorldSettings.forTests
        settings.profile = profile
        settings.isStrict = strict
        let plan = try WorldPlan(
            settings, head: ScriptMetadata(), defaultKind: .simulated, isScripted: true, title: "test")
        return try Shell(plan, recording: .off, output: LineOutput.silent, isInteractive: false)
    }

    private func run(_ lines: [String], in shell: Shell) throws {
        for line in lines {
            let statement = try #require(try Statement.parse(line))
            do {
                try ScriptRunner.execute(statement, in: shell)
            } catch let failure as CommandFailure {
                Issue.record("\(line): \(failure)")
                throw failure
            }
        }
    }

    @Test(arguments: [
        ("login alice", CommandNature.acts), ("client new pad", .acts), ("server policy exclusion=none", .acts),
        ("source a.imr", .acts), ("query members lobby", .queriesServer),
        ("query devices --user alice", .queriesServer),
        ("query state", .queriesState), ("status", .queriesState), ("timeline", .queriesState),
        ("client list", .queriesState),
        ("server devices alice", .queriesState), ("server policy exclusion", .answers), ("why", .answers),
        ("why-not kick", .answers), ("help", .answers), ("sessions", .answers), ("history", .answers),
        ("rec status", .answers), ("rec start", .controlsShell), ("sessions delete a", .controlsShell),
        ("set settle=1s", .controlsShell), ("wait 1s", .controlsShell), ("expect state online", .controlsShell),
        ("expect-none state online for 1s", .controlsShell), ("echo a", .controlsShell), ("clear", .controlsShell),
        ("quit", .controlsShell),
    ])
    func timePassesBehindWhatActs(line: String, nature: CommandNature) throws {
        let shell = try shell("agora-rtm")
        defer { try? shell.close() }
        let statement = try #require(try Statement.parse(line))
        #expect(shell.nature(of: shell.checked(statement)) == nature)
        let before = try shell.world.perform { $0.now }
        try shell.settle(after: shell.nature(of: shell.checked(statement)))
        let after = try shell.world.perform { $0.now }
        let passed: Interval = nature == .acts || nature == .queriesServer ? .seconds(2) : .zero
        #expect(after - before == passed)
    }

    @Test func whyConcernsTheNamedClient() throws {
        let script = """
            #! imrepl script 1
            # profile: agora-rtm
            client new phone
            client new pad
            @phone login alice
            @phone expect state online within 5s
            @pad login bob
            @pad expect state online within 5s
            echo asked
            @phone why
            """
        let printed = try Played.lines(script, origin: .file)
        let answer = try #require(printed.firstIndex(of: "asked").map { printed[($0 + 1)...] })
        let first = try #require(answer.first)
        #expect(first.contains("phone") && first.contains("→ online"), "\(first)")
    }

    private func failure(of line: String, in shell: Shell) throws -> CommandFailure {
        let statement = try #require(try Statement.parse(line))
        return try #require(throws: CommandFailure.self) { try ScriptRunner.execute(statement, in: shell) }
    }

    @Test func theServersAnswersAreShownWithTheirRows() throws {
        let shell = try shell("agora-rtm")
        try run(
            [
                "client new phone", "login bob", "expect state online within 5s", "join lobby",
                "expect result join ok within 5s", "attributes mood=fine", "expect result attributes ok within 5s",
                "client new pad", "login alice", "expect state online within 5s", "join lobby",
                "expect result join ok within 5s", "query members lobby", "expect result query member=bob within 5s",
                "query attributes bob", "expect result query mood=fine within 5s",
                "attributes topic=tea --channel lobby", "expect result attributes ok within 5s",
                "@phone query channel-attributes lobby", "@phone expect result query topic=tea within 5s",
                "subscribe bob", "expect result subscribe ok within 5s", "@phone logout",
                "expect callback peersOnlineStatusChanged peer=bob within 5s",
            ], in: shell)
        try shell.close()
    }

    @Test(arguments: [
        "server populate alce --groups 1", "server populate alce --history 10", "server account forbid alce",
        "server account revoke alce", "server change alce user userID=bob userName=Bob", "server devices alce",
    ])
    func anUnknownAccountIsNamed(line: String) throws {
        let shell = try shell("zim")
        defer { try? shell.close() }
        try run(["server account add alice"], in: shell)
        #expect(try failure(of: line, in: shell).message == "there is no account 'alce'; did you mean 'alice'?")
    }

    @Test func allPoliciesOfALineAreSetOrNone() throws {
        let shell = try shell("nim")
        defer { try? shell.close() }
        #expect(
            try failure(of: "server policy exclusion=unlimited exclusio=single", in: shell).message.contains("exclusio")
        )
        try run(["server policy exclusion", "expect output 'exclusion  mobile-desktop'"], in: shell)
        try run(["server policy exclusion=unlimited device-count-max=3", "server policy device-count-max"], in: shell)
        try run(["expect output 'device-count-max  3'"], in: shell)
    }

    @Test func anArgumentOfACallIsNotASearchWord() throws {
        let found = CommandParser.check(try #require(try Statement.parse("search messages lift count=2"))).first
        #expect(found?.message == "'count=2' is an argument of 'call', not a search word")
        #expect(found?.hint == "call searchGlobalLocalMessagesWithConfig keywords=lift count=2")
        #expect(CommandParser.check(try #require(try Statement.parse("search messages a=b"))).isEmpty)
        let option = CommandParser.check(try #require(try Statement.parse("server populate alice history=9"))).first
        #expect(option?.message == "'history=9' is not an option")
        #expect(option?.hint == "did you mean '--history 9'?")
    }

    @Test func aTestFailsIfTheEventIsFromBeforeTheCommand() throws {
        let lines = ["client new phone", "login alice", "wait 1s", "app background", "expect callback onLogin step=8"]
        let script = (["#! imrepl script 1", "# profile: nim"] + lines).joined(separator: "\n")
        let failure = try ScriptTest(script, named: "test").failure()
        #expect(failure?.reason.contains("it happened before 'app background'") == true, "\(failure?.reason ?? "none")")
    }

    @Test func aTestWaitsForAnEventAfterTheCommandWhereAnOlderOneWouldMatch() throws {
        let script = """
            #! imrepl script 1
            # profile: nim

            client new phone
            login alice
            wait 1s
            app kill
            app start
            autologin alice
            expect callback onLogin step=8 within 5s
            expect state online
            """
        #expect(try ScriptTest(script, named: "test").failure() == nil)
        // The state still holds, although its event is older than the command.
        let lines = ["client new phone", "login alice", "wait 1s", "app background", "expect state online"]
        let text = (["#! imrepl script 1", "# profile: nim"] + lines).joined(separator: "\n")
        #expect(try ScriptTest(text, named: "test").failure() == nil)
    }

    @Test func aRuleInAHeadExists() throws {
        let error = #expect(throws: ShellError.self) {
            try ScriptTest("#! imrepl script 1\n# rules: NIM-4 NIM-99\nclient list", named: "test")
        }
        #expect(error?.message.contains("there is no rule 'NIM-99'") == true)
    }

    @Test func theMachineRefusesAnOfflineLogin() throws {
        for (profile, code) in [
            ("nim", "NIM"), ("agora-rtm", "AgoraRtmLoginErrorInvalidArgument(3)"),
            ("zim", "ZIMErrorCodeNetworkModuleOfflineLoginUserMismatch(6000124)"),
        ] {
            let shell = try shell(profile)
            let failure = try failure(of: "login alice --offline", in: shell)
            #expect(failure.code?.contains(code) == true, "\(profile): \(failure)")
            try shell.close()
        }
        let shell = try shell("zim")
        try run(
            [
                "client new phone", "login alice", "expect state online within 5s", "app kill", "net down", "app start",
                "login alice --offline", "expect state offline within 1s", "net up", "expect state online within 30s",
            ], in: shell)
        try shell.close()
    }

    @Test func aTokenHasTheGivenLifetimeAndCanBeRenewed() throws {
        let shell = try shell("zim")
        try run(
            [
                "login alice --ttl 60s", "expect state online within 5s",
                "expect callback tokenWillExpire within 31s", "renew-token", "expect result renew-token ok within 5s",
                "expect-none callback connectionStateChanged for 2h",
                "logout", "expect state logged-out within 5s", "login alice --ttl 60s", "expect state online within 5s",
                "expect state token-expired within 61s",
            ], in: shell)
        try shell.close()
        let strict = try self.shell("zim", strict: true)
        try run(["client new phone"], in: strict)
        #expect(try failure(of: "login alice --ttl 60s", in: strict).message.contains("creates no tokens"))
        try strict.close()
    }

    @Test(arguments: [("--token-file", "token"), ("--password-file", "password")])
    func anEmptyFileContainsNoSecretOfTheRequestedKind(option: String, kind: String) throws {
        let sandbox = try Sandbox()
        let path = try sandbox.write("\n", "empty")
        let chat = try shell("agora-chat")
        defer { try? chat.close() }
        #expect(
            try failure(of: "login alice \(option) '\(path)'", in: chat).message
                == "the file '\(path)' contains no \(kind)")
    }

    @Test func passwordsAreOnlyForSystemsThatHaveThem() throws {
        let nim = try shell("nim")
        #expect(
            try failure(of: "server account password alice x", in: nim).message.contains("has no passwords"))
        try nim.close()
        let chat = try shell("agora-chat")
        try run(
            [
                "client new phone", "login alice", "expect state online within 5s",
                "server account password alice s3cret", "expect callback userAccountDidForcedToLogout within 5s",
            ], in: chat)
        #expect(!chat.printed.contains { $0.contains("s3cret") })
        try chat.close()
    }

    @Test func loginsAreListedAndKickedWithoutALogin() throws {
        let shell = try shell("agora-chat")
        try run(
            [
                "client new phone --device d1 --device-name 'My phone'", "login alice", "expect state online within 5s",
                "client new other", "query devices --user alice",
                "expect result account-call resource=d1 name='My phone' within 5s",
                "kick phone --user alice", "expect result account-call ok within 5s",
                "@phone expect state kicked within 5s",
            ], in: shell)
        #expect(try failure(of: "@phone kick --all", in: shell).message.contains("--other-devices"))
        try shell.close()
    }

    @Test func syncedItemsAreListedByKind() throws {
        let shell = try shell("nim")
        try run(
            [
                "client new phone", "server account add alice",
                "server populate alice --groups 2 --messages 1 --roaming 1 --notifications 3", "login alice",
                "expect state online within 5s", "query items group",
            ], in: shell)
        #expect(shell.printed.filter { $0.hasPrefix("kind=group") }.count == 2)
        try run(["query items message", "query items notification"], in: shell)
        #expect(shell.printed.filter { $0.hasPrefix("kind=message") }.count == 2)
        #expect(shell.printed.filter { $0.hasPrefix("kind=notification") }.count == 3)
        let tooMuch = try failure(of: "server populate alice --groups 1000000", in: shell)
        #expect(tooMuch.code == "limit-exceeded")
        #expect(
            tooMuch.message.contains("an account has at most 1000 items of each kind (server policy sync-items-max)"))
        #expect(try failure(of: "server populate nobody --groups 1", in: shell).code == "not-found")
        try shell.close()
    }

    @Test func aClockChangeReachesTheClient() throws {
        let shell = try shell("zim")
        try run(
            [
                "client new phone", "login alice --ttl 10m", "expect state online within 5s", "app kill", "net down",
                "app start", "clock skew +1h",
            ], in: shell)
        let failure = try failure(of: "login alice --offline", in: shell)
        #expect(failure.code == "ZIMErrorCodeNetworkModuleTokenExpired(6000106)", "\(failure)")
        try run(["clock skew 0s", "login alice --offline"], in: shell)
        try shell.close()
    }

    @Test func suggestsTheMisspelledWord() throws {
        let shell = try shell("nim")
        try run(["client new phone", "login alice", "wait 1s"], in: shell)
        #expect(try !failure(of: "expect callback onKick", in: shell).message.contains("has no callback"))
        let frame = try failure(of: "net drop lizard", in: shell).message
        #expect(frame.hasPrefix("there is no frame 'lizard'; available: login, login-ack, "), "\(frame)")
        for (line, message) in [
            ("expect callback onkick", "NetEase NIM has no callback 'onkick'; did you mean 'onKick'?"),
            ("expect none callback onkick for 1s", "NetEase NIM has no callback 'onkick'; did you mean 'onKick'?"),
            ("net drop kickd", "there is no frame 'kickd'; did you mean 'kicked'?"),
            ("@tablet login bob", "there is no client 'tablet'; 'client new tablet' creates it (available: phone)"),
            ("@Phone login bob", "there is no client 'Phone'; did you mean 'phone'?"),
            ("@server login bob", "the server is not a client; 'help server' lists its commands"),
        ] {
            #expect(try failure(of: line, in: shell).message == message)
        }
        try shell.close()
    }

    @Test func aDeviceIsCheckedAgainstItsSystem() throws {
        for (line, profile, code) in [
            ("client new x --os-type 101", "agora-chat", "(110)"), ("client new x --os-type 0", "agora-chat", "(110)"),
            ("client new x --os-type -5", "agora-chat", "(110)"),
            ("client new x --os-type 99999999999", "agora-chat", "(110)"),
            ("client new x --os-type 5", "zim", "(6000001)"),
            ("client new x --device-name \"a\\u{1}b\"", "zim", "(6000001)"),
            ("client new x --device \"a\\u{7f}\"", "agora-chat", "(110)"),
            ("client new x --device \(String(repeating: "d", count: 10_000))", "agora-chat", "(110)"),
            ("client new x --ext \(String(repeating: "e", count: 10_000))", "agora-rtm", "Failure(1)"),
        ] {
            let shell = try shell(profile)
            #expect(try failure(of: line, in: shell).code?.contains(code) == true, "\(line.prefix(60))")
            #expect(try shell.clientNames.isEmpty)
            try shell.close()
        }
        let shell = try shell("agora-chat")
        try run(["client new x --os-type 100", "client new y --os-type 1"], in: shell)
        try shell.close()
    }

    @Test(arguments: Dialects.all.map(\.profile)) func longNamesAreRefused(profile: String) throws {
        let long = String(repeating: "n", count: 10_000)
        let shell = try shell(profile)
        for line in [
            "client new \(long)", "client new x", "login \(long)", "autologin \(long)", "login alice", "wait 2s",
            "kick \(long)", "kick --all --user \(long)", "query devices --user \(long)", "query members \(long)",
            "query attributes \(long)", "query channel-attributes \(long)", "send \(long) \(long)", "join \(long)",
            "send \(long) hi --channel", "leave \(long)", "attributes \(long)=\(long)", "subscribe \(long)",
            "act contact-remove \(long) --ext \(long)", "sync set \(long) \(long)", "sync get \(long)",
            "on-disconnect set a \(long)", "sync on \(String(repeating: "a/", count: 5000))", "option \(long)=1",
            "server account add \(long)", "server account password \(long) \(long)", "server kick \(long) \(long)",
            "server token \(long)", "server policy \(long)=1", "server policy exclusion=\(long)",
            "server devices \(long)", "server populate \(long) --groups 1", "use \(long)", "net drop \(long)",
            "@\(long) login alice", "wait 2s", "send bob \"a\\u{1}b\"", "act contact-remove \"a\\u{1}b\"",
            "sync set \"a\\u{1}b\" 1", "login \"a\\u{1}b\"", "clock skew -100000h", "wait 2s",
        ] {
            let statement = try #require(try Statement.parse(line))
            do { try ScriptRunner.execute(statement, in: shell) } catch is CommandFailure {} catch is Diagnostic {}
        }
        try shell.close()
    }

    @Test func aPolicyTakesItsRangeAndDurations() throws {
        let shell = try shell("agora-rtm")
        try run(["server policy presence-hold-ms=10s", "server policy exclusion=none"], in: shell)
        #expect(
            try failure(of: "server policy presence-hold-ms=long", in: shell).message
                == "invalid value 'long' for presence-hold-ms; use milliseconds from 0 to 315360000000, or a duration such as 10s"
        )
        #expect(
            try failure(of: "server policy exclusion=all", in: shell).message.contains("single"))
        #expect(
            try failure(of: "server policy exclusin=none", in: shell).message.contains("did you mean 'exclusion'?"))
        #expect(try failure(of: "server policy device-count-max=2s", in: shell).message.contains("a number from 1"))
        try shell.close()
    }

    /// Every value that help or completion offers for a policy is accepted.
    @Test func everyPolicyThatIsListedCanBeSet() throws {
        let shell = try shell("nim")
        #expect(ServerPolicy.settings.count >= 20)
        for (key, takes) in ServerPolicy.settings.map({ ($0.key, $0.takes) }) {
            let values = takes.contains("|") ? takes.split(separator: "|").map(String.init) : ["5"]
            for value in values { try run(["server policy \(key)=\(value)"], in: shell) }
        }
        try shell.close()
    }

    @Test func anInvalidPathIsReported() throws {
        let shell = try shell("wilddog")
        try run(["client new phone", "sync on a", "wait 2s"], in: shell)
        let deep = (0..<33).map { "k\($0)" }.joined(separator: "/")
        for path in [
            "a//b", "a#b", "a.b", "'a$b'", "a[b", "a]b", "\"a\\u{1}b\"", deep, String(repeating: "k", count: 769),
        ] {
            #expect(try failure(of: "sync set \(path) 1", in: shell).code == "InvalidPath(26106)", "\(path.prefix(40))")
        }
        try run(
            [
                "sync set /a/b/ 1", "sync get a", "expect result sync value='{\"b\":1}' within 5s",
                "sync set \(String(repeating: "k", count: 768)) 1", "sync get .info/connected",
                "expect result sync value=true within 5s", "on-disconnect set a/b 2",
                "expect result on-disconnect ok within 5s", "go-offline", "go-offline",
                "expect state offline within 5s",
                "go-online", "expect state online within 5s", "sync get a/b", "expect result sync value=2 within 5s",
            ], in: shell)
        try shell.close()
    }

    @Test func everyOperationHasItsCommand() {
        #expect(OperationName.allCases.map(\.rawValue) == OperationKind.allCases.map(\.name))
        #expect(OperationName.allCases.allSatisfy { $0.kind?.name == $0.rawValue })
        #expect(Platform.allValueStrings.allSatisfy { Platform(argument: $0)?.name == $0 })
        #expect(Platform(argument: "server") == nil)
    }
}
