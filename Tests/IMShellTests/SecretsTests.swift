import Testing

@testable import IMDebugger
@testable import IMShell
@testable import IMText

@Suite struct SecretsTests {
    @Test(arguments: [
        ("login alice --token abc", "login alice --token ***"),
        ("@phone login alice --token='a b' --offline", "@phone login alice --token=*** --offline"),
        ("login 你好 --token \"x y\" # why", "login 你好 --token *** # why"),
        ("server account password alice n3w", "server account password alice ***"),
        ("server  account add alice 's3 cret'", "server  account add alice ***"),
        ("kick --all --user u --token t1 --token t2", "kick --all --user u --token *** --token ***"),
        ("set token=abc", "set token=***"), ("login alice --tokn abc", "login alice --tokn ***"),
        ("login alice -tokne abc", "login alice -tokne ***"), ("login a --pasword=abc", "login a --pasword=***"),
        ("login alice --token pre$x", "login alice --token ***"),
        ("login alice --tok\\\nen", "login alice --tok\\\nen"),
    ])
    func masks(line: String, masked: String) {
        #expect(Secrets.redacted(line) == masked)
        #expect(Secrets.containsSecret(line) == (line != masked))
    }

    @Test(arguments: [
        "login alice", "login alice --token-file f", "login alice --token-env V", "login alice --token $t",
        "login alice --password-file f", "server account ban alice", "server account add alice", "server token alice",
        "send bob 'my --token is'", "help server account password", "", "   ", "# --token x",
    ])
    func leavesOthers(line: String) {
        #expect(!Secrets.containsSecret(line))
        #expect(Secrets.redacted(line) == line)
    }

    @Test func masksALineThatCannotBeSplit() {
        #expect(Secrets.redacted("login alice --token 'abc") == "***")
        #expect(Secrets.redacted("send bob 'abc") == "send bob 'abc")
    }

    /// A secret argument that is missing in `Secrets` would be stored in the history.
    @Test func masksEveryDeclaredSecret() {
        for command in CommandTable.shell.commands.flatMap(\.all) {
            for option in command.options where [.token, .password].contains(option.kind) {
                #expect(option.names.allSatisfy(Secrets.options.contains), "\(command.path) \(option.names)")
            }
            for (index, argument) in command.positionals.enumerated() where [.token, .password].contains(argument.kind)
            {
                #expect(
                    Secrets.positionals.contains { $0.path == command.path && $0.index == index }, "\(command.path)")
            }
        }
    }

    @Test func masksTheLineOfAnError() throws {
        let line = "login alice --token abc --bogus"
        let statement = try #require(try Statement.parse(line))
        let error = try #require(CommandParser.check(statement).first)
        let shown = error.rendered(in: SourceText(name: "", text: line))
        #expect(shown.hasPrefix("1:25: unknown option '--bogus'\n  login alice --token *** --bogus\nusage: login"))
    }

    @Test func neverPrintsASecret() {
        let source = CredentialSource.token(InlineSecret("abc"))
        #expect(!"\(source)".contains("abc"))
        #expect(!String(reflecting: source).contains("abc"))
    }
}
