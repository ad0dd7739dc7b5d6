import Testing

@testable import IMDebugger
@testable import IMShell
@testable import IMText

@Suite struct SuggestionTests {
    @Test func countsTypos() {
        #expect(Suggestion.distance("login", "login") == 0)
        #expect(Suggestion.distance("logn", "login") == 1)
        #expect(Suggestion.distance("lgoin", "login") == 1)
        #expect(Suggestion.distance("", "abc") == 3)
        #expect(Suggestion.distance("kitten", "sitting") == 3)
    }

    @Test func allowsTwoTyposAndOneInShortWords() {
        let names = CommandTable.shell.names
        #expect(Suggestion.nearest(to: "lgn", among: names) == nil)
        #expect(Suggestion.nearest(to: "nte", among: names) == "net")
        #expect(Suggestion.nearest(to: "kikc", among: names) == "kick")
        #expect(Suggestion.nearest(to: "sesions", among: names) == "sessions")
        #expect(Suggestion.nearest(to: "autolgoni", among: names) == "autologin")
        #expect(Suggestion.nearest(to: "xyzzy", among: names) == nil)
        #expect(Suggestion.nearest(to: "auto", among: names) == "autologin")
        #expect(Suggestion.nearest(to: "AUTOLOGIN", among: names) == "autologin")
        #expect(Suggestion.nearest(to: "onkick", among: ["onLogin", "onKick"]) == "onKick")
        #expect(Suggestion.nearest(to: String(repeating: "a", count: 10_000), among: names) == nil)
    }

    @Test func suggestsForWordsOfOtherTools() {
        let names = CommandTable.shell.names
        #expect(Suggestion.command(for: "bye", among: names) == "quit")
        #expect(Suggestion.command(for: "BYE", among: names) == "quit")
        #expect(Suggestion.command(for: "state", among: names) == "query state", "no slip of 'status'")
        #expect(Suggestion.command(for: "connect", among: names) == "login")
    }

    @Test func suggestsOnlyCommandsThatExist() throws {
        for (word, meant) in Suggestion.synonyms {
            #expect(CommandTable.shell.command(word) == nil, "\(word) is a command itself")
            let path = meant.split(separator: " ").map(String.init)
            let found = try #require(CommandTable.shell.resolve(path), "\(meant)")
            let rest = path.dropFirst(found.wordCount)
            #expect(
                rest.allSatisfy { word in
                    found.command.options.contains { $0.names.contains(word) }
                        || found.command.positionals.contains { $0.values.contains(word) }
                }, "\(meant)")
        }
        for (words, meant) in Suggestion.subcommandSynonyms {
            let typed = words.split(separator: " ").map(String.init)
            let path = typed.dropLast() + meant.split(separator: " ").map(String.init)
            #expect(CommandTable.shell.resolve(typed)?.wordCount == typed.count - 1, "\(words) is a command itself")
            // A suggestion is a command, or a command with arguments that can be parsed.
            if CommandTable.shell.resolve(Array(path))?.wordCount != path.count {
                let statement = try #require(try Statement.parse(path.joined(separator: " ")))
                #expect(throws: Never.self, "\(words)") { try CommandParser.parse(statement) }
            }
        }
    }

    /// Commands that are typed at the wrong prompt, or pasted together with a prompt.
    @Test(arguments: [
        ("show", "'quit', then 'imrepl show …'"), ("Verify", "'imrepl verify …'"), ("serve", "'imrepl serve …'"),
        ("run", "did you mean 'source'?"), ("imrepl", "this is already imrepl"), ("nim>", "omit the prompt"),
        ("phone(online)>", "omit the prompt"), ("%", "omit the prompt"), ("sho", "'help' lists"),
    ])
    func knowsWhereItIs(word: String, hint: String) {
        #expect(Suggestion.commandHint(for: word, in: .shell).contains(hint))
    }
}
