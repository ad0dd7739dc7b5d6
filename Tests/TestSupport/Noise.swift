import SansIO

/// Random text with many characters that have a meaning in a script.
package enum Noise {
    private static let parts = [
        "'", "\"", "\\", "$", "${", "}", "$a", "#", "@", "!", "\n", "\r\n", "\r", "\t", " ", " ", "a", "login", "phone",
        "\\n", "\\u{41}", "\\u{", "\u{301}", "你", "\u{1F468}\u{200D}\u{1F469}", "\u{0}", "\u{1B}", "=", "=>$", "-",
        "--",
        "as", "expect", "within", "5s", "k=v", "\u{FEFF}", "\u{2028}", "*", "~/", "/",
    ]

    package static func text(_ random: inout SeededRandom) -> String {
        (0..<Int(random.next() % 24)).map { _ in parts[Int(random.next() % UInt64(parts.count))] }.joined()
    }
}
