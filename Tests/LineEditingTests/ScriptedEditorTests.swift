import Testing

@testable import LineEditing

@Suite struct ScriptedEditorTests {
    @Test func `a line thread serves async readers in order`() async throws {
        let editor = ScriptedEditor([.line("a"), .interrupted, .line("b")], secrets: ["s3cret"])
        let lines = LineThread(editor)
        #expect(try await lines.readLine(prompt: Prompt("1> ")) == .line("a"))
        #expect(try await lines.readLine(prompt: Prompt("2> ")) == .interrupted)
        #expect(try await lines.readSecret(prompt: "password: ") == "s3cret")
        #expect(try await lines.readLine(prompt: Prompt("3> ")) == .line("b"))
        #expect(try await lines.readLine(prompt: Prompt("4> ")) == .endOfFile)
        #expect(editor.prompts == ["1> ", "2> ", "password: ", "3> ", "4> "])
    }

    @Test func `posted lines and the history are stored`() throws {
        let editor = ScriptedEditor(lines: ["a"])
        editor.post(["x", "y"])
        editor.addToHistory("a")
        editor.close()
        #expect(editor.shown == ["x", "y"])
        #expect(editor.historyLines == ["a"])
        #expect(editor.isClosed)
        #expect(try editor.readLine(prompt: Prompt("")) == .endOfFile)
    }
}
