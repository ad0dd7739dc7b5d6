import Foundation
import IMClient
import IMProfiles
import IMProtocol
import IMServer
import Testing

@testable import IMDebugger
@testable import IMShell

@Suite struct HelpTests {
    private let help = HelpText(table: .shell)

    private func show(_ line: String) throws -> String? {
        let shell = RecordingShell()
        var parsed = try CommandParser.parse(try #require(try Statement.parse(line)))
        try parsed.execute(in: shell)
        return shell.calls.first.map { String($0.dropFirst("show ".count)) }
    }

    @Test func beginsWithExamples() throws {
        #expect(
            try help.text(for: ["net", "drop"]) == """
                net drop: Drop frames of a type.

                EXAMPLES
                  net drop login-ack
                  net drop heartbeat --dir out --count 3

                USAGE
                  net drop <frame> [--dir in|out] [--count <number>]

                ARGUMENTS
                  <frame>  The frame's type, or '*' for any.

                OPTIONS
                  --dir <dir>       Only frames to the client (in) or from it (out). (in, out)
                  --count <number>  The number of frames.
                """)
    }

    @Test func isEqualForHelpAndForTheOption() throws {
        let expected = try help.text(for: ["login"])
        #expect(try show("help login") == expected)
        #expect(try show("login --help") == expected)
        #expect(try show("login alice --token -h") == expected)
        #expect(try show("server account --help") == help.text(for: ["server", "account"]))
        #expect(try show("server account add -h") == help.text(for: ["server", "account", "add"]))
        #expect(try show("client --help") == help.text(for: ["client"]))
        #expect(try show("@phone login --help") == expected)
        #expect(try show("send bob '--help'") != expected)
    }

    @Test func listsEveryCommandOnceByGroup() {
        let lines = help.overview.split(separator: "\n").map(String.init)
        for command in CommandTable.shell.commands {
            #expect(
                lines.count { $0.hasPrefix("  \(command.name) ") && $0.hasSuffix(command.abstract) } == 1,
                "\(command.name)")
        }
        #expect(CommandTable.shell.groups.map(\.name).allSatisfy { lines.contains($0.uppercased()) })
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test func describesAGroupWithItsSubcommands() throws {
        let text = try help.text(for: ["@world"])
        #expect(text.contains("  server account add       Add an account."))
        #expect(text.contains("  wait "))
        #expect(!text.contains("login"))
        #expect(throws: WordError(0, "there is no group '@wrld'", hint: "did you mean '@world'?")) {
            try help.text(for: ["@wrld"])
        }
    }

    @Test func reportsAnUnknownWord() {
        #expect(throws: WordError(0, "there is no command 'lgoin'", hint: "did you mean 'login'?")) {
            try help.text(for: ["lgoin"])
        }
        #expect(throws: WordError(1, "'net' has no 'dwn'", hint: "did you mean 'down'?")) {
            try help.text(for: ["net", "dwn"])
        }
        #expect(throws: WordError(0, "there is no command 'filters'", hint: "did you mean 'help filter'?")) {
            try help.text(for: ["filters"])
        }
        #expect(throws: WordError(1, "nothing follows 'help scripts'")) { try help.text(for: ["scripts", "x"]) }
    }

    @Test func fitsTheScreen() throws {
        for command in CommandTable.shell.commands.flatMap(\.all) {
            let text = try help.text(for: command.path)
            #expect(text.hasPrefix(command.path.joined(separator: " ") + ": "))
            #expect(text.contains("\nEXAMPLES\n") && text.contains("\nUSAGE\n"))
            for line in text.split(separator: "\n")
            where !command.examples.contains(line.trimmingPrefix("  ").description) {
                #expect(line.count <= 80, "\(line)")
            }
        }
    }

    /// The help is derived from the argument parser's description of the declarations. If the parser changes the
    /// description, completion fails.
    @Test func showsTheDeclarations() throws {
        let login = try #require(CommandTable.shell.command("login"))
        #expect(login.positionals.map(\.valueName) == ["user"])
        #expect(
            login.options.flatMap(\.names) == [
                "--token", "--token-file", "--token-env", "--password-file", "--offline", "--ttl", "--user-name",
            ])
        #expect(login.takesClient)
        let new = try #require(CommandTable.shell.resolve(["client", "new", "x"]))
        #expect(new.wordCount == 2)
        #expect(
            new.command.options.first { $0.names == ["--platform"] }?.values == Platform.allValueStrings)
        #expect(!new.command.takesClient)
        let designed = [
            "use", "client new", "client use", "client close", "client list", "client policy", "login", "autologin",
            "logout",
            "renew-token",
            "kick", "query", "send", "resend", "join", "leave", "attributes", "subscribe", "unsubscribe", "act",
            "option",
            "sync set", "sync update", "sync remove", "sync push", "sync priority", "sync transaction", "sync get",
            "sync on", "sync off", "sync tree", "sync keep", "sync persistence",
            "server rules list", "server rules set", "server rules remove",
            "on-disconnect set",
            "on-disconnect update", "on-disconnect remove", "on-disconnect cancel", "go-offline", "go-online",
            "app kill", "app start", "app background",
            "app foreground", "app sleep", "net down", "net up", "net switch", "net half-open", "net reset",
            "net delay",
            "net loss", "net drop", "net hold", "net duplicate", "net release", "net clear", "wait", "clock skew",
            "server account add", "server account ban", "server account delete", "server account password",
            "server account revoke", "server account forbid", "server account fail", "server account allow",
            "server token",
            "server kick", "server policy", "server populate", "server restart", "server down", "server up",
            "server devices", "server change", "call", "change", "search", "read", "react", "block", "friend add",
            "friend apply", "friend answer", "friend remove", "group create", "group invite", "group kick",
            "group role", "group leave", "group dismiss", "expect",
            "expect-none", "check", "rec status", "rec mark", "rec start", "rec stop", "sessions list", "sessions show",
            "sessions search", "sessions rename", "sessions delete", "help", "clear", "history", "set", "source",
            "status", "timeline", "quit", "echo", "why", "why-not",
        ]
        let declared = CommandTable.shell.commands.flatMap(\.all).filter(\.subcommands.isEmpty).map {
            $0.path.joined(separator: " ")
        }
        #expect(declared.sorted() == designed.sorted())
    }

    @Test func findsRulesByIdPrefixProfileAndWord() throws {
        let one = try help.text(for: ["rules", "chat-3"])
        #expect(one.hasPrefix("AGORA CHAT\n  CHAT-3  If all device slots"))
        #expect(!one.contains("CHAT-2"))
        let nim = try help.text(for: ["rules", "nim"])
        #expect(nim.contains("NIM-1 ") && nim.contains("NIM-14 ") && !nim.contains("ZIM-1"))
        #expect(try help.text(for: ["rules", "agora-chat"]).contains("CHAT-12"))
        let token = try help.text(for: ["rules", "token"])
        #expect(token.contains("RTM-5") && token.contains("ZIM-6") && !token.contains("NIM-9"))
        #expect(try help.text(for: ["chat-3"]) == one)
        #expect(try help.text(for: ["nim"]) == help.text(for: ["rules", "nim"]))
        #expect(try help.text(for: ["rules", "keep-current"]).contains("CHAT-3"))
        #expect(try help.text(for: ["rules", "zim", "heartbeat"]).contains("ZIM-5"))
        #expect(throws: WordError(1, "no rule matches 'xyzzy'", hint: "'help rules' lists all")) {
            try help.text(for: ["rules", "xyzzy"])
        }
        #expect(try show("help rules P4")?.hasPrefix("KNOWN BUG PATTERNS\n  P4") == true)
    }

    @Test func explainsEveryRule() throws {
        let ids = Set(RuleCatalogue.rules.map(\.id))
        #expect(ids.count == RuleCatalogue.rules.count)
        for (letters, count) in [
            ("C", 16), ("NIM", 14), ("ZIM", 10), ("CHAT", 12), ("RTM", 9), ("SYNC", 10),
        ] {
            for number in 1...count { #expect(ids.contains("\(letters)-\(number)")) }
        }
        let all = try help.text(for: ["rules"])
        for rule in RuleCatalogue.rules {
            #expect(rule.text.hasSuffix(".") && rule.text.count <= 140, "\(rule.id)")
            #expect(all.contains("  \(rule.id) "), "\(rule.id)")
        }
        #expect(all.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    /// The usual names for quit and help in other tools are accepted. The list of commands does not contain them.
    @Test func acceptsUsualNames() throws {
        #expect(try show("? login") == help.text(for: ["login"]))
        for line in ["q", "exit", "quit"] {
            let shell = RecordingShell()
            var parsed = try CommandParser.parse(try #require(try Statement.parse(line)))
            try parsed.execute(in: shell)
            #expect(shell.calls == ["quit -"], "\(line)")
        }
    }

    /// The overview begins with a session that works as typed. It lists the topics after the commands.
    @Test func beginsWithAFirstSession() throws {
        let lines = help.overview.split(separator: "\n").map(String.init)
        #expect(
            Array(lines.dropFirst().prefix(HelpText.firstSession.count)) == HelpText.firstSession.map { "  \($0)" })
        for topic in HelpText.topics {
            #expect(lines.contains { $0.hasPrefix("  help \(topic.word) ") && $0.hasSuffix(topic.abstract) })
            for line in try help.text(for: [topic.word]).split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        }
    }

    /// Help explains codes, callbacks, values of enums, states, frames, faults and policies.
    @Test func explainsEveryWordOnTheScreen() throws {
        #expect(Lookup.words.count > 400)
        for word in Lookup.words { #expect(throws: Never.self, "\(word)") { try help.text(for: [word]) } }
        #expect(try help.text(for: ["417"]).contains("NIM-4: "))
        #expect(try help.text(for: ["onLogin", "9"]).contains("NIMLoginStepLoseConnection(9)"))
        #expect(try help.text(for: ["easemob"]).hasPrefix("AGORA CHAT"))
    }

    /// `GLOSSARY.md` is generated from the table in the program.
    @Test func theGlossaryMatchesTheProgram() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../GLOSSARY.md")
        #expect(try String(contentsOf: path, encoding: .utf8) == Glossary.document)
        for term in Glossary.sections.flatMap(\.terms) {
            for name in term.names {
                for words in [[name], name.split(separator: " ").map(String.init), [name.uppercased()]] {
                    let text = try help.text(for: words).split { $0 == " " || $0 == "\n" }.joined(separator: " ")
                    #expect(text.contains("\(term.name): \(term.meaning)"), "\(name)")
                }
            }
        }
    }

    @Test func explainsEveryPolicyOfServerAndClient() throws {
        for policy in ServerPolicy.settings {
            let key = policy.key
            let text = try help.text(for: [key.uppercased()]).split { $0 == " " || $0 == "\n" }.joined(separator: " ")
            #expect(text.contains("\(policy.meaning); takes \(policy.takes)"), "\(key)")
            for choice in policy.choices { #expect(text.contains("\(choice.name): \(choice.meaning)"), "\(key)") }
            for dialect in Dialects.all {
                #expect(text.contains("\(dialect.title): \(policy.shown(in: dialect.serverPolicy))"), "\(key)")
            }
        }
        for setting in ClientPolicy.settings {
            let text = try help.text(for: [setting.key]).split { $0 == " " || $0 == "\n" }.joined(separator: " ")
            #expect(text.contains(setting.meaning), "\(setting.key)")
        }
    }

    @Test func showsAScriptThatPasses() throws {
        let text = try help.text(for: ["scripts"])
        for line in HelpText.scriptExample where !line.isEmpty { #expect(text.contains("\n  \(line)\n")) }
    }

    @Test func listsTheProfiles() throws {
        let text = try help.text(for: ["profiles"])
        for profile in ["nim", "zim", "agora-chat", "agora-rtm", "wilddog"] {
            #expect(text.contains("  \(profile) "), "\(profile)")
        }
        #expect(throws: WordError(1, "nothing follows 'help profiles'")) { try help.text(for: ["profiles", "nim"]) }
    }
}
