import SansIO
import Testing

@testable import IMDebugger

@Suite struct ExpectTests {
    private func clause(_ text: String) throws -> ExpectClause {
        let statement = try #require(try Statement.parse(text))
        let words = try statement.expand([:])
        return try ExpectClause(words: Array(words.dropFirst()), isNegative: words[0] == "expect-none")
    }

    private func error(_ text: String) -> WordError? {
        do {
            _ = try clause(text)
            return nil
        } catch {
            return error as? WordError
        }
    }

    @Test(arguments: [
        "expect state online within 5s", "expect state offline", "expect callback onLogin step=1 user!=bob as $step",
        "expect frame in kick reason=>$why", "expect frame out login user~/^a.*e$/ within 250ms as $f",
        "expect result ok", "expect result login within 5s", "expect result failed", "expect result code=417",
        "expect result autologin failed code=417",
        "expect output \"two words\"", "expect-none callback onKick for 30s",
        "expect-none frame out login user=alice for 1m",
    ])
    func readsAndWritesTheNormalForm(text: String) throws {
        #expect(try clause(text).text == text)
    }

    @Test func readsEachPart() throws {
        let found = try clause("expect frame out login seq=>$seq user=alice within 1.5s as $f")
        #expect(found.pattern == .frame(.out, "login"))
        #expect(found.fields.map(\.text) == ["seq=>$seq", "user=alice"])
        #expect(found.within == .milliseconds(1_500))
        #expect(found.captureName == "f")
        #expect(!found.isNegative)
        #expect(try clause("expect none callback onKick for 5s") == clause("expect-none callback onKick for 5s"))
        #expect(try clause("expect output within").pattern == .output("within"))
        #expect(try clause("expect result login ok").pattern == .result(command: "login", outcome: .ok))
    }

    @Test func reportsErrorsWithTheirPosition() {
        let cases: [(String, Int, String)] = [
            ("expect", 0, "what to expect is missing"),
            ("expect staet online", 0, "'staet' cannot be expected"),
            ("expect state", 1, "the state is missing"),
            ("expect state onlin", 1, "'onlin' is not a state"),
            ("expect frame login", 1, "'login' is neither 'in' nor 'out'"),
            ("expect frame in", 2, "the frame's type is missing"),
            ("expect callback step=1", 1, "the callback's name is missing before 'step=1'"),
            ("expect callback onLogin step", 2, "'step' is neither a field nor 'within', 'for', 'as' or 'and'"),
            ("expect result", 1, "'ok', 'failed' or a field must follow 'result'"),
            ("expect result within 5s", 1, "'ok', 'failed' or a field must follow 'result'"),
            ("expect state online within", 3, "the duration after 'within' is missing"),
            ("expect state online within 5", 3, "'5' is not a duration"),
            ("expect state online within 5s within 6s", 4, "'within' is given twice"),
            ("expect state online for 5s", 2, "only 'expect-none' takes 'for'"),
            ("expect state online as kick", 3, "a variable must follow 'as'"),
            ("expect state online as $a as $b", 4, "'as' is given twice"),
            ("expect state online within 5s bogus", 4, "unexpected 'bogus'"),
            ("expect callback onKick reason~/(/", 2, "'(' is not a regular expression"),
            ("expect-none callback onKick", 2, "'expect-none' must end with 'for' and a duration"),
            ("expect-none callback onKick within 5s", 2, "'within' cannot end 'expect-none'"),
            ("expect-none callback onKick for 5s as $k", 4, "'expect-none' has no event that 'as' could store"),
            ("expect none", 1, "what to expect is missing"),
            ("expect-none none callback onKick for 5s", 0, "'none' cannot be expected"),
        ]
        for (text, index, message) in cases {
            let found = error(text)
            #expect(found?.message.hasPrefix(message) == true, "\(text): \(found?.message ?? "no error")")
            #expect(found?.index == index, "\(text)")
        }
    }

    private let step = ObservedEvent(
        .callback, "onLogin", [.init("step", "NIMLoginStepLinking(1)"), .init("user", "alice")])

    @Test(arguments: [
        ("expect callback onLogin", true), ("expect callback onLogin step=NIMLoginStepLinking", true),
        ("expect callback onLogin step=1", true), ("expect callback onLogin step=NIMLoginStepLinking(1)", true),
        ("expect callback onLogin step=1 user=alice", true), ("expect callback onLogin step=>$s", true),
        ("expect callback onLogin step~/Link/", true), ("expect callback onLogin step!=2", true),
        ("expect callback onLogin step=2", false), ("expect callback onLogin step=NIMLogin", false),
        ("expect callback onLogin step=01", false), ("expect callback onLogin step=1 user=bob", false),
        ("expect callback onLogin step!=1", false), ("expect callback onLogin step!=NIMLoginStepLinking", false),
        ("expect callback onLogin stp=1", false), ("expect callback onLogin stp!=1", false),
        ("expect callback onLogin stp=>$s", false), ("expect callback onLogin step~/^Link/", false),
        ("expect callback onKick", false), ("expect state online", false), ("expect frame in onLogin", false),
    ])
    func matchesPrintedValues(text: String, expected: Bool) throws {
        #expect(try clause(text).matches(step) == expected)
        #expect(try clause(text).differences(from: step).isEmpty == expected)
    }

    @Test func matchesEveryKind() throws {
        #expect(try clause("expect state online").matches(ObservedEvent(.state, "online")))
        #expect(try !clause("expect state online").matches(ObservedEvent(.state, "offline")))
        let frame = ObservedEvent(.frame, "login", [.init("after", "2.000s")], direction: .out)
        #expect(try clause("expect frame out login after=2s").matches(frame))
        #expect(try !clause("expect frame in login").matches(frame))
        #expect(try !clause("expect frame out kick").matches(frame))
        let result = ObservedEvent(
            .result, "autologin", [.init("status", "failed"), .init("code", "NIMRemoteErrorExist(417)")])
        #expect(try clause("expect result code=417").matches(result))
        #expect(try clause("expect result failed").matches(result))
        #expect(try clause("expect result autologin failed code=417").matches(result))
        #expect(try !clause("expect result ok").matches(result))
        #expect(try !clause("expect result login failed").matches(result))
        #expect(try clause("expect output 'b c'").matches(ObservedEvent(.output, "a b c d")))
    }

    @Test func capturesFieldsAndWholeEvents() throws {
        let found = try clause("expect callback onLogin step=>$s as $e").captures(from: step)
        #expect(found["s"] == "NIMLoginStepLinking(1)")
        #expect(found["e"] == "callback onLogin step=NIMLoginStepLinking(1) user=alice")
        #expect(found["e.name"] == "onLogin")
        #expect(found["e.user"] == "alice")
        #expect(found.count == 5)
    }

    @Test func explainsWithTheNearestEvents() throws {
        var events = [
            ObservedEvent(.state, "connecting", label: "#1"), step,
            ObservedEvent(
                .callback, "onLogin", [.init("step", "NIMLoginStepLinkOK(2)"), .init("user", "alice")], label: "#3"),
            ObservedEvent(.callback, "onKick", [.init("reason", "1")], label: "#4"),
        ]
        let expected = try clause("expect callback onLogin step=8 user=alice within 5s")
        #expect(
            expected.explain(nearest: events) == """
                expected: expect callback onLogin step=8 user=alice within 5s
                nearest:
                  callback onLogin step=NIMLoginStepLinking(1) user=alice
                      step is NIMLoginStepLinking(1)
                  #3  callback onLogin step=NIMLoginStepLinkOK(2) user=alice
                      step is NIMLoginStepLinkOK(2)
                  #4  callback onKick reason=1
                      is onKick
                """)
        events.removeAll()
        #expect(expected.explain(nearest: events).hasSuffix("nothing happened"))
        let none = try clause("expect-none callback onKick for 5s")
        #expect(none.explain(nearest: [ObservedEvent(.callback, "onKick")]).contains("but found:\n  callback onKick"))
    }

    @Test(arguments: 0..<UInt64(16))
    func turnsAnyWordsIntoAClauseOrAnError(seed: UInt64) throws {
        let words = [
            "state", "callback", "frame", "result", "output", "none", "in", "out", "online", "ok", "failed", "k=v",
            "k=>$v",
            "k~/(/", "k~/a/", "within", "for", "as", "5s", "$v", "x", "",
        ]
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let chosen = (0..<Int(random.next() % 8)).map { _ in words[Int(random.next() % UInt64(words.count))] }
            do throws(WordError) {
                let clause = try ExpectClause(words: chosen, isNegative: random.next() % 2 == 0)
                _ = clause.matches(step)
                #expect(!clause.explain(nearest: [step]).isEmpty)
            } catch {
                #expect((0...chosen.count).contains(error.index))
            }
        }
    }
}
