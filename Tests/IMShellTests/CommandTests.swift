import IMClient
import IMSession
import SansIO
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMShell
@testable import IMText

@Suite struct CommandTests {
    /// The requests that a line makes, or its error as the shell shows it.
    private func run(_ line: String, _ variables: [String: String] = [:]) -> [String] {
        let shell = RecordingShell()
        do {
            guard let statement = try Statement.parse(line) else { return [] }
            var parsed = try CommandParser.parse(statement, variables: variables)
            try parsed.execute(in: shell)
            return shell.calls
        } catch let error as Diagnostic {
            return [error.rendered(in: SourceText(name: "", text: line))]
        } catch {
            return ["\(error)"]
        }
    }

    /// The parsing time is linear in the number of words.
    @Test(.timeLimit(.minutes(1))) func aLineOfThousandsOfWordsIsParsedAtOnce() {
        let words = repeatElement("w", count: 30_000).joined(separator: " ")
        #expect(run("send bob \(words)") == ["send bob \(words) false"])
        #expect(run("send lobby --channel \(words)") == ["send lobby \(words) true"])
        let pairs = repeatElement("a=b", count: 40).joined(separator: " ")
        #expect(run("attributes \(pairs) nonsense").first?.contains("nonsense") == true)
        #expect(run("attributes \(pairs)") == ["attributes \(pairs.replacing(" ", with: ",")) -"])
    }

    @Test func flagsOfAChangeAreChecked() {
        let mute = run("change member groupID=tea userID=bob muteExpiredTime=-2").first ?? ""
        #expect(mute.contains("use a whole number from -1 to 9223372036854775807"), "\(mute)")
        let error = run("change reaction messageID=m1 reactionType=heart isOn=maybe").first ?? ""
        #expect(error.contains("isOn: invalid value 'maybe'; use true or false"), "\(error)")
    }

    @Test(arguments: [
        ("change friend userID=bob createTime=soon", "createTime"),
        ("change message conversationID=bob message=hi fileSize=1e9", "fileSize"),
        ("change message conversationID=bob message=hi part1.timestamp=-1", "part1.timestamp"),
    ])
    func numbersOfAChangeHaveARange(_ line: String, _ name: String) {
        let error = run(line).first ?? ""
        #expect(error.contains("\(name): invalid number"), "\(error)")
        #expect(error.contains("use a whole number from 0 to 9223372036854775807"), "\(error)")
    }

    @Test(arguments: [
        ("login alice", "login alice online"), ("@phone login alice --offline", "@phone login alice offline"),
        ("autologin alice --forced", "autologin alice true"), ("logout --keep-push", "logout true"),
        ("renew-token", "renew-token provisioned"),
        ("renew-token --token-env T", #"renew-token tokenEnvironment("T")"#),
        ("kick d2", #"kick device("d2") - provisioned"#),
        ("@a kick --other-devices", "@a kick otherDevices - provisioned"),
        ("kick --all --user u --password-file f", #"kick all u passwordFile("f")"#),
        ("query local", "query local - -"), ("query self-ids", "query self-ids - -"),
        ("query items message", "query items message -"), ("query items", "query items - -"),
        ("@p query members lobby", "@p query members lobby -"), ("query attributes", "query attributes - -"),
        ("query attributes bob", "query attributes bob -"), ("query failed", "query failed - -"),
        ("query channel-attributes lobby", "query channel-attributes lobby -"),
        ("query devices --user alice", "query devices - alice"),
        ("kick phone --user alice", #"kick device("phone") alice provisioned"#),
        ("send bob 'a  b'", "send bob a  b false"), ("send lobby a b --channel", "send lobby a b true"),
        ("send bob '--channel' \\-x", "send bob --channel -x false"),
        ("send bob -- --channel", "send bob --channel false"),
        ("login alice --ttl 90s", "login alice online 90s"),
        ("login alice --offline --ttl 1m", "login alice offline 1m"),
        ("login alice --user-name 'Alice Green'", "login alice online as Alice Green"),
        ("resend", "resend"), ("@p resend", "@p resend"),
        ("attributes mood=fine lamp=on", "attributes mood=fine,lamp=on -"),
        ("@p attributes topic=tea --channel lobby", "@p attributes topic=tea lobby"),
        ("subscribe bob", "subscribe bob"), ("@p unsubscribe bob", "@p unsubscribe bob"),
        ("act contact-remove bob", #"act contact-remove bob """#),
        ("@p act group-create g1 --ext 'a  b'", #"@p act group-create g1 "a  b""#),
        ("sync set a/b true", #"tree a/b set("true", priority: nil)"#),
        ("sync set a/b tea  time", #"tree a/b set("tea time", priority: nil)"#),
        ("sync set n -5", #"tree n set("-5", priority: nil)"#),
        ("sync set 'a b/c' x", #"tree "a b/c" set("x", priority: nil)"#),
        ("@p sync update a '{\"b\": 1}'", #"@p tree a update("{\"b\": 1}")"#), ("sync remove a", "tree a remove"),
        ("sync get /", "tree / get"), ("sync on .info/connected", "tree .info/connected on"),
        ("sync set a 1 --priority 2", #"tree a set("1", priority: Optional("2"))"#),
        ("sync push a tea time", #"tree a push("tea time", priority: nil)"#),
        ("sync priority a 7", #"tree a priority("7")"#),
        ("sync transaction a 'value + 1'", #"tree a transaction("value + 1", isHidden: false)"#),
        ("sync transaction a abort --hidden", #"tree a transaction("abort", isHidden: true)"#),
        ("sync get a --order-by key --equal b", "tree a get by key equal b"),
        (
            "sync on a --event child-added --event value --order-by child=score --last 4 --from 3 --to true",
            "tree a on child-added value by child=score last 4 from 3 to true"
        ),
        ("sync off a --first 2", "tree a off first 2"), ("sync tree", "tree / outline"),
        ("@p sync tree a", "@p tree a outline"), ("sync keep a on", "tree a keep on"),
        ("sync keep a off --last 2", "tree a keep off last 2"),
        ("sync persistence on", "tree / persistence(isOn: true, cacheBytes: nil)"),
        ("@p sync persistence on --cache 5", "@p tree / persistence(isOn: true, cacheBytes: Optional(5))"),
        ("sync persistence off", "tree / persistence(isOn: false, cacheBytes: nil)"),
        ("server rules", "server listRules"), ("server rules list", "server listRules"),
        ("server rules set a --write al,bo", #"server setRule("a", read: nil, write: Optional("al,bo"))"#),
        ("server rules remove /", #"server setRule("/", read: nil, write: nil)"#),
        ("sync off a", "tree a off"), ("on-disconnect set a false", #"tree a onDisconnectSet("false")"#),
        ("on-disconnect update a '{}'", #"tree a onDisconnectUpdate("{}")"#),
        ("on-disconnect remove a", "tree a onDisconnectRemove"),
        ("@p on-disconnect cancel a", "@p tree a onDisconnectCancel"),
        ("go-offline", "go-offline"), ("@p go-online", "@p go-online"),
        ("join lobby", "join lobby"), ("leave lobby", "leave lobby"), ("option a=b", "option a=b"),
        ("use nim", "use nim"), ("client list", "client list"), ("client use pad", #"client use("pad")"#),
        ("client close pad", #"client close("pad")"#), ("app kill", "app kill"), ("@p app start", "@p app start"),
        ("app background", "app background"), ("app foreground", "app foreground"), ("net down", "net down"),
        ("net up", "net up"), ("net switch", "net switchNetwork"), ("@p net half-open", "@p net halfOpen"),
        ("net reset", "net reset"),
        ("net loss 20%", "net loss(200000)"), ("net loss 0.05", "net loss(50000)"),
        ("net release", "net release"),
        ("net clear", "net clear"), ("wait 2m", "wait 2m"), ("clock skew -5s", "skew -5s"),
        ("clock skew +1h", "skew 1h"),
        ("server account ban u", #"server banAccount("u")"#),
        ("server account delete u", #"server deleteAccount("u")"#),
        ("server account revoke u", #"server revokeTokens("u")"#),
        ("server account add u", #"server addAccount("u", password: nil)"#),
        ("server account password u '-p'", #"server setPassword("u", ***)"#),
        ("server kick u d1", #"server kick("u", device: Optional("d1"))"#),
        ("server populate u --groups 2", "server populate u groups 2"),
        (
            "server populate u --messages 1 --roaming 2 --notifications 3",
            "server populate u offline-messages 1,roaming-messages 2,system-notifications 3"
        ),
        ("server policy a=b", "server policy a=b"), ("server policy a=b c=d", "server policy a=b c=d"),
        ("server token u", "server token u -"),
        ("server token u --ttl 1m", "server token u 1m"),
        ("server account add u p", #"server addAccount("u", password: Optional(***))"#),
        ("server restart", "server restart"), ("server down", "server down"), ("server up", "server up"),
        ("server devices u", #"server devices("u")"#), ("rec status", "rec status"),
        ("rec mark a b", #"rec mark("a b")"#),
        ("rec stop", "rec stop"), ("sessions", "sessions list"), ("sessions list", "sessions list"),
        ("sessions show last", #"sessions show("last")"#), ("sessions search a == b", #"sessions search("a == b")"#),
        ("history", "history 20 -"), ("history x --count 3", "history 3 x"), ("set", "set -"), ("set a=5", "set a=5"),
        ("source f.imr u=v", #"source f.imr ["u=v"]"#), ("status", "status"), ("timeline", "timeline"),
        ("quit", "quit -"), ("quit 3", "quit 3"),
        ("echo a 'b  c'", "show a b  c"), ("echo", "show "),
        ("expect state online within 5s", "expect state online within 5s"),
        ("@p expect-none callback onKick for 1m", "@p expect-none callback onKick for 1m"),
        ("check rules", "check rules"), ("check 'count(kick) == 0'", #"check condition("count(kick) == 0")"#),
    ])
    func asksForOneAction(line: String, call: String) {
        #expect(run(line) == [call])
    }

    @Test func carriesStructuredRequests() throws {
        let shell = RecordingShell()
        let lines = [
            "login alice --token '-t'", "net drop login-ack --dir in --count 2", "net hold kick",
            "net delay 800ms --jitter 200ms",
            "client new pad --device d2 --platform ios --os-type 3 --device-name 'A pad' --ext x",
        ]
        for line in lines {
            var parsed = try CommandParser.parse(try #require(try Statement.parse(line)))
            try parsed.execute(in: shell)
        }
        #expect(
            shell.logins == [
                LoginArguments(
                    call: LoginCall(user: "alice", mode: .manual), credential: .token(InlineSecret("-t")))
            ])
        #expect(
            shell.nets == [
                .rule(FrameRule(.drop, frame: "login-ack", direction: .toClient, count: 2)),
                .rule(FrameRule(.hold, frame: "kick")),
                .delay(.milliseconds(800), jitter: .milliseconds(200)),
            ])
        #expect(
            shell.clients == [
                .new(
                    ClientDescription(
                        name: "pad", device: "d2", platform: .ios, deviceName: "A pad", osType: 3, loginExtension: "x"))
            ])
    }

    @Test func reportsWhereAClientIsNamed() {
        let expectedError = "1:5: '@phone' is not an event number\n  why @phone\n      ^~~~~~"
        #expect(run("why @phone") == [expectedError + "\nput the client before the command: @phone why"])
        #expect(run("login alice @pad")[0].hasSuffix("put the client before the command: @pad login alice"))
    }

    @Test func fillsVariablesInAsDataAndNeverAsOptions() {
        #expect(run("send bob $text", ["text": "--channel"]) == ["send bob --channel false"])
        #expect(run("clock skew $by", ["by": "-5s"]) == ["skew -5s"])
        #expect(run("send bob $text")[0].hasPrefix("1:10: unknown variable '$text'"))
    }

    private static let wrongLines: [(line: String, message: String)] = [
        (
            "logn alice",
            """
            1:1: unknown command 'logn'
              logn alice
              ^~~~
            did you mean 'login'?
            """
        ),
        ("bye", "1:1: unknown command 'bye'\n  bye\n  ^~~\ndid you mean 'quit'?"),
        ("xyzzy", "1:1: unknown command 'xyzzy'\n  xyzzy\n  ^~~~~\n'help' lists the commands"),
        (
            "login",
            """
            1:6: missing expected argument '<user>'
              login
                   ^
            usage: login <user> [--token <token>] [--token-file <file>] [--token-env <name>] [--password-file <file>] \
            [--offline] [--ttl <duration>] [--user-name <text>]
            for example: login alice
            """
        ),
        (
            "@p login a --tokn x",
            "1:12: unknown option '--tokn'\n  @p login a --tokn ***\ndid you mean '--token'?"
        ),
        ("login a b", "1:9: unexpected argument 'b'\n  login a b\n          ^\n" + "usage: " + loginUsage),
        (
            "login a --token",
            "1:16: missing value for '--token <token>'\n  login a --token\n                 ^\n" + "usage: "
                + loginUsage
        ),
        (
            "login a --token x --token-file y",
            "1:1: only one of --token, --token-file, --token-env and --password-file can be given\n"
                + "  login a --token *** --token-file y\nusage: " + loginUsage
        ),
        (
            "net",
            "1:4: 'net' needs one of: down, up, switch, half-open, reset, delay, loss, drop, hold, duplicate, release, clear\n  net\n     ^"
        ),
        (
            "server acount add u",
            "1:8: 'server' has no 'acount'\n  server acount add u\n         ^~~~~~\ndid you mean 'account'?"
        ),
        (
            "net loss 1.5",
            "1:10: the value '1.5' is invalid for '<probability>'\n  net loss 1.5\n           ^~~\na probability is from 0 to 1, or from 0% to 100%: net loss 20%"
        ),
        (
            "net drop x --count -1",
            "1:20: the value '-1' is invalid for '--count <number>': use a whole number of frames from 1 to 4294967295\n  net drop x --count -1\n                     ^~\nusage: net drop <frame> [--dir in|out] [--count <number>]\nfor example: net drop login-ack"
        ),
        (
            "wait 99999999999s",
            "1:6: the value '99999999999s' is invalid for '<duration>'\n  wait 99999999999s\n       ^~~~~~~~~~~~\nfor example 250ms, 5s, 2m or 1h; from 0s to 2562047h"
        ),
        (
            "server populate alice --days -1 --history 5",
            "1:30: the value '-1' is invalid for '--days <number>': use a whole number of days from 1 to 3650\n  server populate alice --days -1 --history 5\n                               ^~\nusage: "
                + "server populate <user> [--groups <number>] [--messages <number>] [--roaming <number>] [--notifications <number>] [--history <number>] [--conversations <number>] [--days <number>] [--files]\nfor example: server populate alice --groups 2 --messages 5"
        ),
        (
            "login a --ttl 5s --token x",
            "1:1: --ttl creates a token, so no token can be given\n  login a --ttl 5s --token ***\nusage: "
                + loginUsage
        ),
        (
            "server change alice user userID=bob usrName=x",
            """
            1:37: user has no field 'usrName'; did you mean 'userName'? It has: userID, userName, userAvatarUrl, userExtendedData
              server change alice user userID=bob usrName=x
                                                  ^~~~~~~~~
            usage: server change <user> <change> <field> …
            for example: server change alice user userID=bob userName='Bob Brown'
            """
        ),
        (
            "query members",
            "1:14: the channel is missing\n  query members\n               ^\nquery members lobby"
        ),
        (
            "query messages",
            """
            1:7: the value 'messages' is invalid for '<what>'
              query messages
                    ^~~~~~~~
            did you mean 'items message'?
            """
        ),
        (
            "query state now",
            "1:13: unexpected 'now': nothing follows 'query state'\n  query state now\n              ^~~"
        ),
        (
            "query items mesage",
            "1:13: 'mesage' is not a kind of item\n  query items mesage\n              ^~~~~~\ndid you mean 'message'?"
        ),
        (
            "query foo",
            "1:7: the value 'foo' is invalid for '<what>'\n  query foo\n        ^~~\none of: "
                + QuerySubject.allCases.map(\.rawValue).joined(separator: ", ")
        ),
        (
            "query stae",
            "1:7: the value 'stae' is invalid for '<what>'\n  query stae\n        ^~~~\ndid you mean 'state'?"
        ),
        ("pad login a", "1:1: unknown command 'pad'\n  pad login a\n  ^~~\ndid you mean '@pad login'?"),
        ("net off", "1:5: 'net' has no 'off'\n  net off\n      ^~~\ndid you mean 'down'?"),
        (
            "sessions verify last",
            "1:10: 'sessions' has no 'verify'\n  sessions verify last\n           ^~~~~~\n"
                + "that is a terminal command: 'quit', then 'imrepl verify last'"
        ),
        (
            "$ imrepl show last",
            "1:1: a variable's name must follow '$'\n  $ imrepl show last\n  ^\n"
                + "omit the '$' of a terminal's prompt; here '$' begins a variable"
        ),
        ("echo $ 5", "1:6: a variable's name must follow '$'\n  echo $ 5\n       ^\nwrite $$ for a dollar sign"),
        ("@p sessions", "1:1: 'sessions' does not take a client\n  @p sessions\n  ^~\nomit '@p'"),
        ("help xyz", "1:6: there is no command 'xyz'\n  help xyz\n       ^~~\n'help' lists the commands"),
        (
            "quit 256",
            "1:6: the value '256' is invalid for '<code>': use a whole number from 0 to 255\n  quit 256\n       ^~~\nusage: quit [<code>]\nfor example: quit 3"
        ),
        (
            "login a --generate-completion-script",
            "1:9: unknown option '--generate-completion-script'\n  login a --generate-completion-script\n          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~"
        ),
    ]

    @Test(arguments: wrongLines)
    func reportsAnErrorInOneLineWithAPositionAndAHint(line: String, shown: String) {
        #expect(run(line) == [shown])
    }

    private static let loginUsage =
        "login <user> [--token <token>] [--token-file <file>] [--token-env <name>] [--password-file <file>] [--offline] "
        + "[--ttl <duration>] [--user-name <text>]\nfor example: login alice"

    @Test func parsesEveryExampleOfEveryHelpText() throws {
        var count = 0
        for command in CommandTable.shell.commands.flatMap(\.all) {
            #expect(!command.examples.isEmpty, "\(command.path) has no example")
            #expect(!command.abstract.isEmpty && command.abstract.hasSuffix("."), "\(command.path)")
            for example in command.examples {
                let statement = try #require(try Statement.parse(example))
                #expect(CommandParser.check(statement) == [], "\(example)")
                #expect(
                    statement.words.prefix(command.path.count).compactMap(\.literal).starts(
                        with: command.path.prefix(1)), "\(example)")
                count += 1
            }
        }
        #expect(count > 100)
    }

    @Test(arguments: 0..<UInt64(8))
    func turnsAnyWordsIntoACommandOrAnError(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let names = CommandTable.shell.commands.flatMap(\.all).map { $0.path.joined(separator: " ") }
        for _ in 0..<150 {
            let line = names[Int(random.next() % UInt64(names.count))] + " " + Noise.text(&random)
            #expect(run(line, ["a": "-x"]).count <= 1)
        }
    }
}
