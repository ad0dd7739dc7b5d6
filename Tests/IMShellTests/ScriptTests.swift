import SansIO
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMShell
@testable import IMText

@Suite struct ScriptTests {
    private func errors(
        _ text: String, origin: Script.Origin = .file, variables: Set<String>? = nil
    ) -> ScriptErrors? {
        do throws(ScriptErrors) {
            _ = try Script.parse(text, named: "a.imr", origin: origin, variables: variables, check: CommandParser.check)
            return nil
        } catch {
            return error
        }
    }

    @Test func readsHeadPhasesAndStatements() throws {
        let script = try Script.parse(
            """
            #! imrepl script 1
            # title: kicked: by a second device
            # profile: nim
            # rules: NIM-4 C-6
            # author: someone
            # just a remark
            # world: live
            # because: the kernel resets the socket
            # seed: 42
            # time-scale: 20

            # the first device
            # logs in
            client new phone   # not a phase
            @phone login alice
            # no phase without a blank line

            # the second device
            login alice

            """, named: "a.imr")
        #expect(script.metadata.title == "kicked: by a second device")
        #expect(script.metadata.profile == "nim")
        #expect(script.metadata.rules == ["NIM-4", "C-6"])
        #expect(script.metadata.world == .live)
        #expect(script.metadata.because == "the kernel resets the socket")
        #expect(script.metadata.seed == 42)
        #expect(script.metadata.timeScale == 20)
        #expect(script.metadata.entries.contains { $0.key == "author" && $0.value == "someone" })
        #expect(
            script.statements.map(\.phase) == [
                "the first device logs in", "the first device logs in", "the second device",
            ])
        #expect(script.statements.map(\.position.line) == [14, 15, 19])
        #expect(script.statements[1].client == "phone")
    }

    @Test func toleratesCarriageReturnsAndAMissingLastLineEnd() throws {
        let script = try Script.parse(
            "#! imrepl script 1\r\n# title: x\r\n\r\n# one\r\nlogout\r\nwait 5s", named: "a.imr")
        #expect(script.metadata.title == "x")
        #expect(script.statements.map(\.source) == ["logout", "wait 5s"])
        #expect(script.statements.map(\.position.line) == [5, 6])
        #expect(script.statements[0].phase == "one")
        #expect(script.source.line(6) == "wait 5s")
    }

    @Test func requiresTheDialectOnlyInAFile() {
        #expect(errors("logout\n")?.rendered == "a.imr:1:1: the first line must be '#! imrepl script 1'\n  logout\n  ^")
        #expect(errors("")?.diagnostics.count == 1)
        #expect(errors("logout\n", origin: .pipe) == nil)
        #expect(errors("logout\n", origin: .commandLine) == nil)
        #expect(errors("#! imrepl script 1\n") == nil)
        let newer = errors("#! imrepl script 2\nlogout\n")
        #expect(
            newer?.diagnostics.first?.message == "the script has version 2; this imrepl reads versions up to 1")
        #expect(
            errors("#! imrepl script x\n")?.diagnostics.first?.message == "'x' is not a script version")
        #expect(errors("#! /bin/sh\n")?.diagnostics.first?.hint == "the first line must be '#! imrepl script 1'")
    }

    @Test func reportsAllErrorsInOrderEachWithACaret() {
        let found = errors(
            """
            #! imrepl script 1
            # seed: soon
            @phone logn alice
            net dwon
            send bob 'never closed
            expect state onlin within 5s
            login alice --tokn x
            wait 5
            expect-none callback onKick
            """)
        #expect(
            found?.rendered == """
                a.imr:2:1: 'soon': the seed is a whole number from 0
                  # seed: soon
                  ^~~~~~
                a.imr:3:8: unknown command 'logn'
                  @phone logn alice
                         ^~~~
                did you mean 'login'?
                a.imr:4:5: 'net' has no 'dwon'
                  net dwon
                      ^~~~
                did you mean 'down'?
                a.imr:5:10: this ' is never closed
                  send bob 'never closed
                           ^
                close the quote on the same line
                a.imr:6:14: 'onlin' is not a state
                  expect state onlin within 5s
                               ^~~~~
                did you mean 'online'?
                a.imr:7:13: unknown option '--tokn'
                  login alice --tokn ***
                did you mean '--token'?
                a.imr:8:6: the value '5' is invalid for '<duration>'
                  wait 5
                       ^
                a duration needs a unit: 5s, 5ms or 5m; from 0s to 2562047h
                a.imr:9:28: 'expect-none' must end with 'for' and a duration
                  expect-none callback onKick
                                             ^
                expect-none callback onKick for 5s
                """)
    }

    @Test func limitsTheNumberOfErrors() {
        let found = errors("#! imrepl script 1\n" + String(repeating: "bogus\n", count: 50))
        #expect(found?.diagnostics.count == ScriptErrors.countMax)
        #expect(found?.omittedCount == 30)
        #expect(found?.rendered.hasSuffix("\nand 30 more") == true)
    }

    @Test func findsUndefinedVariables() {
        let text = """
            #! imrepl script 1
            login $user
            expect frame out login seq=>$seq as $first
            echo $seq $first ${first.seq} $sek
            """
        let found = errors(text, variables: ["user"])
        #expect(found?.diagnostics.map(\.message) == ["unknown variable '$sek'"])
        #expect(found?.diagnostics.first?.position == SourcePosition(line: 4, column: 31, byteOffset: 104))
        #expect(found?.diagnostics.first?.hint == "did you mean '$seq'?")
        #expect(errors(text, variables: [])?.diagnostics.count == 2)
        #expect(errors(text, variables: nil) == nil)
        #expect(errors("#! imrepl script 1\nsource x.imr\necho $later\n", variables: []) == nil)
    }

    @Test func letsVariablesStandForAnyValueButNotForOptionsThatDoNotExist() {
        #expect(
            errors("#! imrepl script 1\nwait $d\nnet loss $p\nquery $what\nset $kv\nserver token $u --ttl $t\n") == nil)
        #expect(
            errors("#! imrepl script 1\nlogin $u --bogus\n")?.diagnostics.map(\.message) == ["unknown option '--bogus'"]
        )
        #expect(errors("#! imrepl script 1\nexpect state $s within 5s\n") == nil)
        #expect(errors("#! imrepl script 1\nexpect state $s withn 5s\n")?.diagnostics.count == 1)
    }

    @Test func reportsWhereBytesAreNotUTF8() {
        var bytes = Array("#! imrepl script 1\nsend bob 你".utf8)
        bytes += [0xFF, 0x0A]
        do throws(ScriptErrors) {
            _ = try Script.parse(utf8: bytes, named: "a.imr")
            Issue.record("must not be read")
        } catch {
            #expect(error.diagnostics.first?.message == "byte 0xFF is not UTF-8")
            #expect(error.diagnostics.first?.position == SourcePosition(line: 2, column: 11, byteOffset: 31))
        }
    }

    @Test func pointsBelowWideCharactersAndTabs() {
        let source = SourceText(name: "", text: "\tsend 你好 x")
        let error = Diagnostic("wrong", at: SourcePosition(line: 1, column: 10, byteOffset: 0))
        #expect(error.rendered(in: source) == "1:10: wrong\n  \tsend 你好 x\n  \t          ^")
    }

    @Test(arguments: 0..<UInt64(16))
    func turnsAnyTextIntoAScriptOrErrors(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            let text = (0..<6).map { _ in Noise.text(&random) }.joined(separator: "\n")
            if let found = errors(text, origin: .pipe, variables: []) { #expect(!found.rendered.isEmpty) }
        }
    }
}
