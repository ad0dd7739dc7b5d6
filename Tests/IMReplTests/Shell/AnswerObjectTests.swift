import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMShell
@testable import IMText

@Suite struct AnswerObjectTests {
    @Test(
        arguments: [
            ("at #41, behind #7 and (#41)", [41, 7]), ("a#5 5#6 ##8 #", [8]), ("#1", [1]), ("none", []),
            ("#99999999999999999999999 #3", [3]),
        ] as [(String, [UInt64])])
    func `answers in words cite events`(text: String, numbers: [UInt64]) {
        #expect(AnswerObject.eventNumbers(in: text) == numbers)
    }

    @Test func `an object is one line, whatever it contains`() {
        var object = AnswerObject(.row)
        object.add("fields", fields: [("a", "x\ny\u{2028}\"\\\u{1B}"), ("a", "again")])
        #expect(
            object.json
                == "{\"schema\":1,\"type\":\"row\",\"fields\":{\"a\":\"x\\ny\\u2028\\\"\\\\\\u001b\",\"a#2\":\"again\"}}"
        )
    }

    @Test func `help json names every object and every member`() throws {
        let text = try HelpText(table: .shell).text(for: ["json"])
        for kind in AnswerObject.Kind.allCases {
            #expect(text.contains(kind.rawValue.uppercased()))
            for member in kind.members { #expect(text.contains("  \(member.name) "), "\(kind) \(member.name)") }
        }
    }

    @Test func `only output that does not fit goes through a pager`() {
        #expect(!Pager.isLong(["a", "b"], columns: 80, rows: 4))
        #expect(Pager.isLong(["a", "b", "c", "d"], columns: 80, rows: 4))
        #expect(Pager.isLong([String(repeating: "x", count: 320)], columns: 80, rows: 4))
        #expect(!Pager.isLong(["\u{1B}[31m\(String(repeating: "x", count: 80))\u{1B}[0m"], columns: 80, rows: 3))
    }

    @Test func `a table of sessions has a heading, and fits the width`() {
        #expect(SessionTable(terminalWidth: 80).lines.count == 1)
        #expect(SessionTable(terminalWidth: 80).lines[0].count <= 80)
    }
}
