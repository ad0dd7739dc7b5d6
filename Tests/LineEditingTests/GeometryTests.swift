import CEditLine
import Testing

@testable import LineEditing

/// Tests of the cursor position that libedit computes. Each case was also verified in tmux.
@Suite struct GeometryTests {
    init() throws { try #require(cel_use_utf8()) }

    private func place(
        _ prompt: String, _ line: String, _ cursor: Int, columns: Int32 = 10, rows: Int32 = 24
    ) -> [Int32] {
        let place = cel_cursor_place(prompt, line, cursor, columns, rows)
        return [place.row, place.column]
    }

    @Test func `literals of the prompt take no column`() {
        #expect(place("\u{1}\u{1B}[32m\u{1}im\u{1}\u{1B}[0m\u{1}> ", "", 0) == [0, 4])
        #expect(place("客户> ", "", 0) == [0, 6])
    }

    @Test func `a full row ends on the next one`() {
        #expect(place("> ", "1234567", 7) == [0, 9])
        #expect(place("> ", "12345678", 8) == [1, 0])
        #expect(place("> ", "12345678", 3) == [0, 5])
        #expect(place("1234567890", "", 0) == [1, 0])
    }

    @Test func `a wide character that does not fit its row moves down whole`() {
        #expect(place("> ", "1234567中", 8) == [1, 2])
        #expect(place("> ", "123456中", 7) == [1, 0])
    }

    @Test func `the cursor moves down with its wide character`() {
        #expect(place("> ", "1234567中", 7) == [1, 0])
        #expect(place("> ", "123456中", 6) == [0, 8])
        #expect(place("> ", "1234567a", 7) == [0, 9])
    }

    @Test func `tabs, control characters and unprintable characters are drawn wider`() {
        #expect(place("> ", "\t", 1) == [0, 8])
        #expect(place("> ", "\u{3}", 1) == [0, 4])
        #expect(place("> ", "\u{E000}x", 2, columns: 80)[0] == 0)
    }

    @Test func `an edit area higher than the screen is capped`() {
        #expect(place("", String(repeating: "x", count: 95), 95, rows: 4) == [3, 5])
    }

    @Test func `the width of a text counts neither escapes nor literals`() {
        #expect(cel_text_width("\u{1B}[1;31mab\u{1B}[0m中") == 4)
        #expect(cel_text_width("\u{1}\u{1B}[2m\u{1}[on]") == 4)
        #expect(cel_text_width("") == 0)
    }
}
