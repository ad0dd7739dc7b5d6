import SansIO
import TestSupport
import Testing

@testable import IMText

@Suite struct LexerTests {
    private func words(_ text: String) throws -> [String?] { try Lexer.line(of: text).words.map(\.literal) }

    private func error(_ text: String) -> LexicalError? {
        do throws(LexicalError) {
            _ = try Lexer.line(of: text)
            return nil
        } catch {
            return error
        }
    }

    @Test func splitsAtBlanksAndKeepsQuotedOnes() throws {
        #expect(try words("login  alice\t--offline") == ["login", "alice", "--offline"])
        #expect(try words(#"send bob 'a  b' "c d" e\ f"#) == ["send", "bob", "a  b", "c d", "e f"])
        #expect(try words(#"echo '' "" a''b"#) == ["echo", "", "", "ab"])
        #expect(try words("") == [])
        #expect(try words("   \t ") == [])
    }

    @Test func understandsEscapesOnlyWhereTheyHaveAMeaning() throws {
        #expect(try words(#"echo "a\n\t\"\\\$\u{4F60}""#) == ["echo", "a\n\t\"\\$\u{4F60}"])
        #expect(try words(#"echo 'a\n$b'"#) == ["echo", #"a\n$b"#])
        #expect(try words(##"echo \$x \# \' \\ \-x"##) == ["echo", "$x", "#", "'", "\\", "-x"])
        #expect(try words("echo $$5 \"$$\"") == ["echo", "$5", "$"])
        #expect(error(#"echo a\nb"#)?.kind == .badEscape(#"\n"#))
        #expect(error(#"echo "\x""#)?.kind == .badEscape(#"\x"#))
        #expect(error(#"echo "\u{D800}""#)?.kind == .badUnicodeEscape(#"\u{D800}"#))
        #expect(error(#"echo "\u{}""#)?.kind == .badUnicodeEscape(#"\u{}"#))
        #expect(error(#"echo "\u41""#)?.kind == .badUnicodeEscape(#"\u"#))
    }

    @Test func countsColumnsInCharactersAndOffsetsInBytes() throws {
        let line = try Lexer.line(of: "  send 你好 e\u{301}x\u{1F468}\u{200D}\u{1F469} end")
        #expect(line.position == SourcePosition(line: 1, column: 3, byteOffset: 2))
        #expect(line.words.map(\.position.column) == [3, 8, 11, 15])
        #expect(line.words.map(\.position.byteOffset) == [2, 7, 14, 30])
        #expect(line.source == "send 你好 e\u{301}x\u{1F468}\u{200D}\u{1F469} end")
        #expect(line.end.column == 18)
    }

    @Test func readsPrefixesOnlyBeforeTheFirstWord() throws {
        let line = try Lexer.line(of: "! @phone login @alice !x")
        #expect(line.mustFailPosition?.column == 1)
        #expect(line.client == .init(name: "phone", position: SourcePosition(line: 1, column: 3, byteOffset: 2)))
        #expect(line.words.map(\.literal) == ["login", "@alice", "!x"])
        #expect(try Lexer.line(of: "!@phone logout").client?.name == "phone")
        #expect(error("@ login")?.kind == .badClientName(""))
        #expect(error("@a/b login")?.kind == .badClientName("a/b"))
    }

    @Test func takesAHashForACommentOnlyAtTheStartOfAWord() throws {
        let line = try Lexer.line(of: "login alice#1 # and then")
        #expect(line.words.map(\.literal) == ["login", "alice#1"])
        #expect(line.comment?.text == "and then")
        #expect(line.comment?.position.column == 15)
        #expect(line.source == "login alice#1 # and then")
        #expect(try Lexer.line(of: "echo '#a' \\#b").comment == nil)
    }

    @Test func joinsLinesAtABackslash() throws {
        let lexer = Lexer("login \\\n  alice \\\r\n --offline\nlogout")
        let first = try lexer.next().unwrapped().get()
        #expect(first.words.map(\.literal) == ["login", "alice", "--offline"])
        #expect(first.words.map(\.position.line) == [1, 2, 3])
        #expect(first.words.map(\.position.column) == [1, 3, 2])
        let second = try lexer.next().unwrapped().get()
        #expect(second.position == SourcePosition(line: 4, column: 1, byteOffset: 30))
        #expect(lexer.next() == nil)
        #expect(try words("send \"a\\\nb\" c\\\nd") == ["send", "ab", "cd"])
        #expect(error("login \\")?.kind == .unfinishedContinuation)
        #expect(error("login \\\n")?.kind == .unfinishedContinuation)
    }

    @Test func keepsVariablesAsPieces() throws {
        let line = try Lexer.line(of: #"send $to "hi ${user.name}!" '$no' k=>$v"#)
        #expect(line.words[1].pieces == [.variable(name: "to", position: .init(line: 1, column: 6, byteOffset: 5))])
        #expect(line.words[2].variableNames == ["user.name"])
        #expect(line.words[3].literal == "$no")
        #expect(line.words[4].literal == "k=>$v")
        #expect(try line.words[2].expand(["user.name": "bob"]) == "hi bob!")
        #expect(error("echo $")?.kind == .missingVariableName)
        #expect(error("echo $ x")?.kind == .missingVariableName)
        #expect(error("echo $1")?.kind == .missingVariableName)
        #expect(error("echo ${a")?.kind == .unterminatedVariable)
        #expect(error("echo ${a b}")?.kind == .badVariableName("a b"))
    }

    @Test func reportsErrorsAtTheirCause() {
        #expect(error("echo a 'b c")?.position.column == 8)
        #expect(error("echo a 'b c")?.kind == .unterminatedQuote("'"))
        #expect(error("send bob won't")?.kind == .apostrophe)
        #expect(error("echo \"a\nb\"")?.position == SourcePosition(line: 1, column: 6, byteOffset: 5))
        #expect(error("echo a\u{7}b")?.kind == .controlCharacter(7))
        #expect(error("echo a\u{7}b")?.position.column == 7)
        #expect(error("echo a\rb")?.kind == .controlCharacter(13))
        #expect(error("echo # \u{1B}[2J")?.kind == .controlCharacter(27))
    }

    @Test func continuesAtTheNextLineAfterAnError() throws {
        let lexer = Lexer("echo 'a\necho b\n")
        #expect(throws: LexicalError.self) { try lexer.next()?.get() }
        #expect(try lexer.next()?.get().words.map(\.literal) == ["echo", "b"])
        #expect(lexer.next() == nil)
    }

    @Test func limitsTheLength() throws {
        let longest = String(repeating: "a", count: Lexer.lineBytesMax)
        #expect(try words(longest).count == 1)
        #expect(error(longest + "a")?.kind == .lineTooLong)
        #expect(error("a" + String(repeating: " ", count: Lexer.lineBytesMax))?.kind == .lineTooLong)
    }

    @Test func ignoresAByteOrderMark() throws {
        let line = try Lexer.line(of: "\u{FEFF}login alice")
        #expect(line.words.map(\.literal) == ["login", "alice"])
        #expect(line.words.map(\.position.column) == [1, 7])
    }

    @Test(arguments: 0..<UInt64(64))
    func turnsAnyTextIntoLinesOrErrors(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var errors = 0
        var lines = 0
        for _ in 0..<60 {
            let text = Noise.text(&random)
            let lexer = Lexer(text)
            var last = -1
            while let result = lexer.next() {
                switch result {
                case .success(let line):
                    lines += 1
                    #expect(line.position.byteOffset > last || line.isBlank)
                    last = max(last, line.position.byteOffset)
                    for word in line.words {
                        let source = text.utf8.dropFirst(word.position.byteOffset).prefix(word.source.utf8.count)
                        #expect(String(source) == word.source)
                    }
                case .failure(let error):
                    errors += 1
                    #expect(error.position.byteOffset <= text.utf8.count)
                    #expect(!error.diagnostic.rendered(in: SourceText(name: "x", text: text)).isEmpty)
                }
            }
        }
        #expect(errors > 0 && lines > 0)
    }

    @Test(arguments: 0..<UInt64(16))
    func readsItsOwnQuoting(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            let text = Noise.text(&random)
            #expect(try Lexer.line(of: "echo " + text.quotedIfNeeded).words[1].literal == text)
        }
    }
}

extension Optional {
    /// The value of an optional. `#require` does not accept the result of a mutating call.
    func unwrapped() throws -> Wrapped {
        let value = self
        return try #require(value)
    }
}
