import IMShell
import Testing

@testable import IMRepl

/// Tests of output that is written in blocks of lines. The lines are unchanged.
@Suite struct BlockOutputTests {
    @Test func linesAreUnchanged() {
        let written = Played()
        let output = BlockOutput(LineOutput(to: written.add))
        let lines = ["first", "", "of \"two\"\nrows", "", String(repeating: "é", count: 40_000), "last"]
        for line in lines { output.write(line, to: .results) }
        // The long line filled a block, which was written. The last line is still pending.
        #expect(written.lines == [lines.dropLast().joined(separator: "\n")])
        output.flush()
        #expect(written.lines.count == 2)
        #expect(written.lines.last == "last")
        output.flush()
        #expect(written.lines.count == 2)
    }

    @Test func aDiagnosticComesAfterEarlierResults() {
        let written = Played()
        let output = BlockOutput(LineOutput(to: written.add))
        output.write("a", to: .results)
        output.write("b", to: .results)
        output.write("wrong", to: .diagnostics)
        output.write("c", to: .results)
        #expect(written.lines == ["a\nb", "wrong"])
        output.flush()
        #expect(written.lines == ["a\nb", "wrong", "c"])
    }

    @Test func aSingleEmptyLineIsALine() {
        let written = Played()
        let output = BlockOutput(LineOutput(to: written.add))
        output.write("", to: .results)
        output.flush()
        #expect(written.lines == [""])
    }
}
