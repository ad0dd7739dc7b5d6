import Testing

@testable import LineEditing

@Suite struct PastedTextTests {
    @Test(arguments: ["login alice", "login alice\n", "login alice\r", "login alice\r\n\r\n  \n"])
    func `one line is inserted and does not run`(text: String) {
        #expect(PastedText(text) == .insert("login alice"))
    }

    @Test func `several lines are joined with the typed text around them`() {
        #expect(PastedText("a\rb\n\nc\n", before: "x ", after: " y") == .lines(["x a", "b", "", "c y"]))
    }

    @Test func `a paste is not read as keys`() {
        #expect(PastedText("a\tb\u{1B}[A\u{3}c\u{9B}d") == .insert("a b[Acd"))
        #expect(PastedText("") == .insert(""))
    }

    @Test func `long pastes are shown partly`() {
        let lines = (1...12).map { "n\($0)" }
        #expect(PastedText.preview(of: lines, limit: 2) == ["  │ n1", "  │ n2", "  │ … and 10 more"])
        #expect(PastedText.question(of: lines) == "12 lines pasted; Enter runs all, ^C drops ")
    }
}
