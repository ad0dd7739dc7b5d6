import IMClient
import IMServer
import SansIO
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMShell
@testable import IMText

@Suite struct CompletionEngineTests {
    private let engine = CompletionEngine(table: .shell)
    private let context: CompletionContext = {
        var context = CompletionContext()
        context.clients = ["phone", "pad"]
        context.users = ["alice", "bob"]
        context.devices = ["d1", "d2"]
        context.channels = ["lobby"]
        context.variables = ["seq", "user"]
        context.profiles = ["nim", "zim"]
        context.frames = ["login", "kick"]
        context.callbacks = ["onLogin", "onKick"]
        context.settings = ["settle", "expect.timeout"]
        context.options = ["maxAutoLoginRetryTimes"]
        context.policies = ["exclusion", "device-count-max"]
        context.choices = ["exclusion": ["single", "none"], "events": ["all"]]
        context.files = { prefix in ["setup.imr", "lib/", "my file.imr"].filter { $0.hasPrefix(prefix) } }
        return context
    }()

    /// The candidates for the cursor at `|`, or at the end of the line.
    private func complete(_ line: String) -> [String] {
        let parts = line.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        let found = engine.complete(parts.joined(), cursor: parts[0].utf8.count, context: context)
        return found.candidates.map(\.text)
    }

    private func replaceFrom(_ line: String) -> Int {
        engine.complete(line, cursor: line.utf8.count, context: context).replaceFrom
    }

    @Test(arguments: [
        ("log", ["login", "logout"]), ("  log", ["login", "logout"]), ("! log", ["login", "logout"]),
        ("!log", ["login", "logout"]), ("@phone log", ["login", "logout"]), ("lo|gin alice", ["login", "logout"]),
        ("@", ["@pad", "@phone"]), ("@ph", ["@phone"]), ("! @pa", ["@pad"]), ("@phone ses", []), ("xyz", []),
        ("# lo", []),
        ("login al", ["alice"]), ("login ", ["alice", "bob"]),
        ("login alice --tok", ["--token", "--token-file", "--token-env"]),
        ("login alice --token-file s", ["setup.imr"]), ("login alice --token-file=l", ["--token-file=lib/"]),
        ("login alice --offline --of", []),
        (
            "login alice ",
            ["--token", "--token-file", "--token-env", "--password-file", "--offline", "--ttl", "--user-name"]
        ),
        ("client ", ["new", "use", "close", "list", "policy"]), ("client use p", ["pad", "phone"]),
        ("client new x --platform i", ["ios", "ipad"]), ("client new x --platform=an", ["--platform=android"]),
        ("kick d", ["d1", "d2"]), ("kick p", ["pad", "phone"]), ("kick --o", ["--other-devices"]),
        ("query st", ["state", "steps"]), ("query self", ["self-ids"]), ("send ", ["alice", "bob", "lobby"]),
        ("join l", ["lobby"]), ("use ", ["nim", "zim"]), ("option m", ["maxAutoLoginRetryTimes="]),
        ("set se", ["settle="]),
        ("server policy ", ["device-count-max=", "exclusion="]),
        ("server policy exclusion=", ["exclusion=single", "exclusion=none"]),
        ("server policy exclusion=s", ["exclusion=single"]), ("server policy device-count-max=", []),
        ("set events=", ["events=all"]), ("server acc", ["account"]),
        ("server account ", ["add", "ban", "delete", "password", "revoke", "forbid", "fail", "allow"]),
        ("server account ban b", ["bob"]), ("server token alice --ttl 3", ["3ms", "3s", "3m", "3h"]),
        ("net h", ["half-open", "hold"]), ("net drop ", ["kick", "login"]), ("net drop kick --d", ["--dir"]),
        ("net drop kick --dir ", ["in", "out"]), ("wait 5", ["5ms", "5s", "5m", "5h"]), ("wait 1.5s", ["1.5s"]),
        ("clock skew -5", ["-5ms", "-5s", "-5m", "-5h"]),
        ("app ", ["kill", "start", "background", "foreground", "sleep"]),
        ("source ", ["setup.imr", "lib/", "\"my file.imr\""]), ("source 'my", ["'my file.imr'"]),
        ("source \"my", ["\"my file.imr\""]),
        ("source my\\ f", ["\"my file.imr\""]), ("help autol", ["autologin"]), ("help half", ["half-open"]),
        ("help @w", ["@world"]),
        ("help profi", ["profiles", "profile"]), ("help rules NIM-14", ["NIM-14"]), ("help rules C-16", ["C-16"]),
        ("help server acc", ["account"]), ("help server account b", ["ban"]), ("help login ", []),
        ("query members ", ["lobby"]), ("query channel-attributes l", ["lobby"]),
        ("query attributes ", ["alice", "bob"]),
        ("query items ", ["group", "message", "notification"]), ("subscribe b", ["bob"]),
        ("act contact-r", ["contact-remove"]),
        ("act conversation-p", ["conversation-pinned"]), ("attributes a=b --channel ", ["lobby"]),
        ("go", ["go-offline", "go-online"]), ("sync o", ["on", "off"]),
        ("on-disconnect ", ["set", "update", "remove", "cancel"]),
        ("sessions s", ["show", "search"]), ("rec ", ["status", "mark", "start", "stop"]),
        ("expect ", ["state", "callback", "frame", "result", "output", "event", "none"]), ("expect st", ["state"]),
        ("expect none ", ["state", "callback", "frame", "result", "output", "event"]), ("expect state on", ["online"]),
        ("expect callback ", ["onKick", "onLogin"]), ("expect frame ", ["in", "out"]),
        ("expect frame out l", ["login"]),
        ("expect result ", ["ok", "failed", "code="]), ("expect state online ", ["within", "as"]),
        ("expect state online within 5", ["5ms", "5s", "5m", "5h"]), ("expect state online within 5s ", ["as"]),
        ("expect state online as $", ["$seq", "$user"]), ("expect none callback onKick ", ["for"]),
        ("expect-none state o", ["online", "offline"]),
        ("expect-none callback onKick for 5", ["5ms", "5s", "5m", "5h"]),
        ("login 'a\\' --off", ["--offline"]), ("login $u", ["$user"]), ("send bob \"hi $", ["$seq", "$user"]),
        ("send bob ${u", ["${user}"]),
        ("send bob '$u", []), ("send bob $$u", []), ("send bob \\$u", []), ("expect frame out login seq=$s", ["$seq"]),
    ])
    func offers(line: String, expected: [String]) {
        #expect(complete(line) == expected, "\(line)")
    }

    @Test func replacesTheWordAtTheCursor() {
        #expect(replaceFrom("log") == 0)
        #expect(replaceFrom("@phone log") == 7)
        #expect(replaceFrom("login ") == 6)
        #expect(replaceFrom("send 你好 al") == 12)
        #expect(replaceFrom("send bob \"hi $us") == 13)
        #expect(replaceFrom("source \"my") == 7)
    }

    @Test func reportsAnUnfinishedWord() {
        func isFinished(_ line: String) -> [Bool] {
            engine.complete(line, cursor: line.utf8.count, context: context).candidates.map(\.isComplete)
        }
        #expect(isFinished("set set") == [false])
        #expect(isFinished("source l") == [false])
        #expect(isFinished("login al") == [true])
    }

    /// Every word of every command can be completed from each of its prefixes.
    @Test func completesEveryPrefixOfEveryCommand() {
        for command in CommandTable.shell.commands.flatMap(\.all) {
            for (index, word) in command.path.enumerated() {
                let before = command.path[..<index].map { $0 + " " }.joined()
                for length in 0...word.count {
                    #expect(complete(before + word.prefix(length)).contains(word), "\(before)\(word.prefix(length))")
                }
            }
            for option in command.options where command.subcommands.isEmpty {
                for name in option.names {
                    let line = command.path.joined(separator: " ") + " " + name
                    #expect(complete(line).contains(name), "\(line)")
                }
            }
        }
    }

    @Test func completionsOfExamplesCanBeParsed() throws {
        for example in CommandTable.shell.commands.flatMap(\.all).flatMap(\.examples) {
            for length in 0...example.utf8.count {
                let found = engine.complete(example, cursor: length, context: context)
                #expect((0...length).contains(found.replaceFrom))
                for candidate in found.candidates where candidate.isComplete {
                    let line = String(decoding: example.utf8.prefix(found.replaceFrom), as: UTF8.self) + candidate.text
                    let isInQuote = line.count { $0 == "'" || $0 == "\"" } % 2 == 1
                    if !isInQuote { #expect(throws: Never.self) { try Lexer.line(of: line) } }
                }
            }
        }
    }

    @Test(arguments: 0..<UInt64(16))
    func neverTraps(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let names = CommandTable.shell.commands.flatMap(\.all).map { $0.path.joined(separator: " ") }
        for _ in 0..<100 {
            let line = names[Int(random.next() % UInt64(names.count))] + Noise.text(&random)
            let cursor = Int(random.next() % 40) - 4
            let found = engine.complete(line, cursor: cursor, context: context)
            #expect((0...line.utf8.count).contains(found.replaceFrom))
        }
    }

    @Test func `help completes every word that it explains`() {
        let engine = CompletionEngine(table: .shell)
        func candidates(_ line: String) -> [String] {
            engine.complete(line, cursor: line.utf8.count, context: CompletionContext()).candidates.map(\.text)
        }
        // Each word is among the candidates for its first part.
        let policies = ServerPolicy.settings.map(\.key) + ClientPolicy.settings.map(\.key)
        let words = Lookup.words.filter { $0.count < 6 } + Glossary.names + policies
        for word in words + ["NIM-4", "easemob", "login", "filter"] {
            let begin = word.prefix { $0 != " " }
            #expect(candidates("help \(begin)").contains { $0 == word || $0 == word.quoted }, "\(word)")
        }
        #expect(candidates("help onLogin ").contains("9"))
        #expect(!candidates("help ").contains("417"))
    }
}
