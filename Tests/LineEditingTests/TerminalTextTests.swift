import Testing

@testable import IMText
@testable import LineEditing

/// Texts of recordings, peers and users never control a terminal.
@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain words, 42 → ok", "plain words, 42 → ok"), ("\u{1B}[2Jgone", "\\u{1b}[2Jgone"),
        ("a\u{7}b\u{7F}c\u{9B}31m", "a\\u{7}b\\u{7f}c\\u{9b}31m"), ("user\u{202E}exe", "user\\u{202e}exe"),
        ("one\u{2028}two\u{2029}", "one\\u{2028}two\\u{2029}"), ("a\u{200B}b\u{FEFF}", "a\\u{200b}b\\u{feff}"),
        ("\u{2066}x\u{2069}\u{61C}", "\\u{2066}x\\u{2069}\\u{61c}"), ("登录 ok", "登录 ok"), ("e\u{301}", "e\u{301}"),
        ("👨\u{200D}👩", "👨\u{200D}👩"), ("a\u{200D}b", "a\\u{200d}b"), ("\r\n", "\\u{d}\n"), ("\u{3164}", "\\u{3164}"),
    ])
    func `control characters are written as escapes`(text: String, quoted: String) {
        #expect(TerminalText.quoted(text) == quoted)
    }

    @Test func `within a line, different names stay different`() {
        #expect(TerminalText.quoted("a\nb\tc", keeping: .oneLine) == "a\\u{a}b\\u{9}c")
        #expect(TerminalText.quoted("a\nb\tc") == "a\nb\tc")
    }

    /// The text consists of letters and of all characters that move a cursor, reverse a line or hide text.
    @Test(arguments: UInt64(1)...50) func `no text reaches the terminal unescaped`(seed: UInt64) {
        var random = SplitMix(state: seed)
        let odd: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF...0xFEFF,
            0xE0000...0xE007F,
            0xFE00...0xFE0F, 0x41...0x5A, 0x4E00...0x4E20, 0x1F600...0x1F610, 0x115F...0x1160, 0xE000...0xE010,
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<400 {
            let range = odd[Int(random.next() % UInt64(odd.count))]
            let value = range.lowerBound + UInt32(random.next() % UInt64(range.count))
            if let scalar = Unicode.Scalar(value) { text.append(scalar) }
        }
        let quoted = TerminalText.quoted(String(text), keeping: .oneLine)
        let refused: Set<UInt32> = [0x61C, 0x200B, 0x200C, 0x200E, 0x200F, 0xFEFF, 0x115F, 0x1160]
        let through = quoted.unicodeScalars.filter { scalar in
            scalar.properties.generalCategory == .control || (0x2028...0x202E).contains(scalar.value)
                || (0x2060...0x2069).contains(scalar.value) || refused.contains(scalar.value)
                || (0xE000...0xF8FF).contains(scalar.value) || (0xE0000...0xE007F).contains(scalar.value)
        }
        #expect(through.isEmpty, "\(through.map { String($0.value, radix: 16) })")
        // Quoting a quoted text does not change it.
        #expect(TerminalText.quoted(quoted, keeping: .oneLine) == quoted)
    }

    @Test func `prompts, lists and pasted lines are quoted too`() {
        #expect(!Prompt("pho\u{202E}ne> ").rendered.unicodeScalars.contains("\u{202E}"))
        let listing = CompletionListing(columns: 80, rows: 20, width: { $0.count })
        let lines = listing.lines([.init("a\u{1B}[31m", help: "x\u{202E}"), .init("b")])
        #expect(lines.allSatisfy { !$0.unicodeScalars.contains("\u{1B}") && !$0.unicodeScalars.contains("\u{202E}") })
        #expect(PastedText.preview(of: ["a\u{202E}b"]) == ["  │ a\\u{202e}b"])
    }

    private struct SplitMix {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }
}
