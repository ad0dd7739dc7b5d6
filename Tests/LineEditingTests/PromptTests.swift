import Testing

@testable import LineEditing

@Suite struct PromptTests {
    @Test func `escape sequences are between literals, and a plain character ends the prompt`() {
        let prompt = Prompt([.init("alice@ios", .green), .init("> ")])
        #expect(prompt.text == "alice@ios> ")
        #expect(prompt.rendered == "\u{1}\u{1B}[32m\u{1}alice@ios\u{1}\u{1B}[0m\u{1}> ")
        #expect(Prompt("im>", .red).rendered == "\u{1}\u{1B}[31m\u{1}im>\u{1}\u{1B}[0m\u{1} ")
        #expect(Prompt("im> ", .red).rendered == "\u{1}\u{1B}[31m\u{1}im>\u{1}\u{1B}[0m\u{1} ")
    }

    @Test func `without colour only the text is printed`() {
        #expect(Prompt("im> ", .red, isColoured: false).rendered == "im> ")
        #expect(Prompt("", .red).rendered == "")
        #expect(Prompt("", right: "").renderedRight == nil)
        #expect(Prompt("", right: "[on]", isColoured: false).renderedRight == "[on]")
    }

    @Test func `control characters in a name cannot break the prompt`() {
        #expect(Prompt("a\u{1}b\n\u{1B}[31mc> ").rendered == "ab[31mc> ")
    }
}
