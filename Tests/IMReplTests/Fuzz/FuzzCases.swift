import Foundation
import SansIO

/// The number of random cases, and the first seed. `make test` runs few cases. `make test-deep` multiplies them with
/// IMREPL_FUZZ_CASES. IMREPL_FUZZ_SEED sets another first seed.
enum FuzzCases {
    private static let factor = number("IMREPL_FUZZ_CASES") ?? 1
    private static let firstSeed = number("IMREPL_FUZZ_SEED") ?? 1

    /// True in a deep run, which has time for all cases.
    static var isDeep: Bool { factor > 1 }

    /// - Parameter few: the number of cases in `make test`.
    static func seeds(_ few: UInt64) -> Range<UInt64> { firstSeed..<(firstSeed + few * factor) }

    /// Notes the start of a case in the file IMREPL_FUZZ_NOTE, which shows the case after a trap. Ends the process if
    /// the case takes too long.
    static func attempt(_ name: String, seed: UInt64) {
        let note = "\(name), seed \(seed)"
        Watch.shared.begin(name, note: note)
        if let file = ProcessInfo.processInfo.environment["IMREPL_FUZZ_NOTE"] {
            try? Data("\(note)\n".utf8).write(to: URL(fileURLWithPath: file))
        }
    }

    static func end() { Watch.shared.end() }

    /// A thread that ends the process if a case does not end in time. `@unchecked Sendable`: the lock guards the
    /// mutable state.
    private final class Watch: @unchecked Sendable {
        static let shared = Watch()
        private static let secondsMax = 120.0
        private let lock = NSLock()
        private var running: [String: (note: String, begun: Date)] = [:]

        private init() {
            let thread = Thread { [self] in
                while true {
                    Thread.sleep(forTimeInterval: 1)
                    let late = lock.withLock {
                        running.values.first { $0.begun.timeIntervalSinceNow < -Self.secondsMax }
                    }
                    if let late { fatalError("no end after \(Self.secondsMax) s: \(late.note)") }
                }
            }
            thread.start()
        }

        func begin(_ name: String, note: String) {
            lock.withLock { running["\(name) \(Thread.current)"] = (note, Date()) }
        }

        func end() {
            let suffix = " \(Thread.current)"
            lock.withLock { running = running.filter { !$0.key.hasSuffix(suffix) } }
        }
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }
}

/// Values that are most likely to cause errors in arithmetic, quoting and parsing.
enum Extremes {
    static let integers: [UInt64] = [
        0, 1, 2, 999, 1000, 0x7F, 0xFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x1_0000_0000,
        1 << 53, 1 << 62, UInt64(Int64.max) - 999, UInt64(Int64.max) - 1, UInt64(Int64.max), 1 << 63, (1 << 63) + 1,
        .max - 998, .max - 1, .max,
    ]

    static let doubles: [Double] = [
        0, -0.0, 1, -1, 0.5, 9_007_199_254_740_992, 9.3e18, -9.3e18, .greatestFiniteMagnitude,
        -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .nan, .infinity, -.infinity,
    ]

    static let texts: [String] = [
        "", " ", "\n", "a\nclient new evil", "\r\n@phone logout", "\"", "'", "\\", "\\n", "\\u{41}", "$x", "${x}", "$$",
        "#", "@phone", "@\u{301}x", "!", "-", "--token", "-5s", "a=b", ">$x", "=>$x", "~/x/", "|", "a|b", "`", "```",
        "${", "\\(1)", "\\#(1)", "\"\"\"", "\"\"\"#", "-->", "<!--", "</script>", "<script>", "</title>", "&amp;", "%%",
        ";",
        ":", "end", "]]>", "{{data}}", "}}", "--[[", "]]", "\u{0}", "\u{1}", "\u{7}", "\u{1B}]0;x\u{7}", "\u{1B}[2J",
        "\u{7F}", "\u{85}", "\u{9B}31m", "\u{200B}", "\u{200D}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202E}abc",
        "\u{2066}", "\u{FEFF}", "\u{FFF9}", "\u{FFFD}", "\u{E0001}", "\u{301}", "e\u{301}", "<\u{338}", "名前", "👩‍👩‍👧",
        "\t",
        "a\tb", "a/b", "../x", "server", "session", "phone", String(repeating: "x", count: 300),
    ]
}

extension SeededRandom {
    mutating func pick<Element>(_ list: [Element]) -> Element { list[Int(below(UInt64(list.count)))] }
    mutating func isOne(in count: UInt64) -> Bool { below(count) == 0 }
}
