import Foundation
import IMText
import Testing

@testable import IMLogs

/// Tests of the patterns in format files. They match like Swift's regular expressions, in limited time.
@Suite struct BytePatternTests {
    private func range(_ pattern: String, _ text: String) throws -> Range<Int>? {
        let pattern = try BytePattern(pattern)
        return Array(text.utf8).withUnsafeBufferPointer { pattern.match($0) }
    }

    private static let lines = [
        "11-20 10:00:01.250  6734  6790 I flutter : onLogin step=8", "I/flutter ( 6734): connected",
        "2026-11-20 09:31:02.391 [IM] onLogin step=1", "call send to=bob text=\"on my way\"",
        "2019-07-02 20:37:37.480738+0700 APP[1366:205847] message", "Connection state changed: 4, reason: 5",
        "[2019/10/24 14:0:7:4]: EMChatClientImpl::init()", "onKick reason=1 clientType=2", "",
        "onLogin(NIMLoginStep.loginOK)", "RECV: { command : SYNC, payload : { ns : STATISTIC, operation : 2 } }",
        "token=abcdefghijk password: x1 mail a.b@example.com 3c:22:fb:aa:bb:cc", "aaa", "ab", "x{y}",
    ]

    @Test(arguments: [
        "a+b?", "^a{2,3}$", "(a|ab)(c|bcd)?", "[^ab]+", #"\bo\w+\b"#, "(?i:ONLOGIN)", "a*?b", #"\d{2}:\d{2}"#, "[]x]",
        ".{3,5}?a", #"(?:(\w+) )+"#, "x|y|on", "$", "on(?=Kick)", "on(?!Login)",
        "(?=(a+))a*b",
    ])
    func `a pattern matches where Swift's does`(_ pattern: String) throws {
        let regex = try Regex(pattern.replacing("[]", with: "[\\]")).dotMatchesNewlines()
        for line in Self.lines {
            let expectedRange = try regex.firstMatch(in: line).map {
                line.utf8.distance(
                    from: line.startIndex, to: $0.range.lowerBound)..<line.utf8.distance(
                        from: line.startIndex, to: $0.range.upperBound)
            }
            #expect(try range(pattern, line) == expectedRange, "\(pattern) in \(line)")
        }
    }

    @Test(arguments: [
        ("lo[]gx]{0,4}", "log"), ("(?i)LOGIN", "login"), ("a{2,3}bcd", "aabcd"), ("(?:kick|ban)ned", "banned"),
        (".{0,40}x", "x"), ("login(?: ok)?$", "login"), ("(?<=step=)8", "onLogin step=8"), ("(?<!o)n", "an"),
    ])
    func `a pattern of a format file is found in a line`(_ pattern: String, _ line: String) throws {
        let pattern = try LinePattern(pattern)
        #expect(Array(line.utf8).withUnsafeBufferPointer { pattern.match($0) } != nil)
    }

    @Test func `the patterns of the program match where Swift's do`() throws {
        struct File: Decodable {
            struct Pattern: Decodable { var pattern: String }
            var regex: [String: Pattern]?
            var searchTable: [String: Pattern]?

            enum CodingKeys: String, CodingKey {
                case regex
                case searchTable = "search-table"
            }
        }
        var count = 0
        for file in ShippedFormats.all {
            let text = file.text.replacing(/"\$schema".*/, with: "")
            let formats = try JSONDecoder().decode([String: File].self, from: Data(text.utf8))
            for pattern in formats.values.flatMap({ [$0.regex, $0.searchTable] }).flatMap({ ($0 ?? [:]).values }) {
                let regex = try Regex(pattern.pattern).dotMatchesNewlines()
                for line in Self.lines {
                    let isMatch = try regex.firstMatch(in: line) != nil
                    #expect(try (range(pattern.pattern, line) != nil) == isMatch, "\(pattern.pattern) in \(line)")
                }
                count += 1
            }
        }
        #expect(count > 60)
        for row in LogSecrets.table { #expect((try? BytePattern(row.pattern)) != nil, "\(row.pattern)") }
    }

    @Test(arguments: ["(a|a)*(a|a)*(a|a)*b", "(.*)(.*)(.*)(.*)(.*)(.*)x$"])
    func `a pattern with endless backtracking ends the import with an error`(_ pattern: String) throws {
        var options = LogOptions()
        let file = #"{"own": {"search-table": {"callback_x": {"pattern": "\#(pattern)"}}}}"#
        options.formats = [("own.json", file)]
        let lines = (0..<400).map { _ in String(repeating: "a", count: 300) }.joined(separator: "\n")
        #expect(throws: LogError.self) { try LogReader(options).read(Array(lines.utf8)) }
    }

    @Test(arguments: ["(a+)+$", "(a|aa)*(a|aa)*(a|aa)*b", "(.*)(.*)(.*)(.*)(.*)(.*)x$", "(a+)*b"])
    func `a search of a filter takes linear time`(_ source: String) throws {
        let text = String(repeating: "a", count: 20_000) + "c"
        #expect(try !LinearPattern(source).occurs(in: text))
    }

    @Test(arguments: [
        "a+b?", "^a{2,3}$", "(a|ab)(c|bcd)?", "[^ab]+", #"\bo\w+\b"#, "(?i:ONLOGIN)", "^.{5}$", "^[äé]$", "x|y|on",
        "^$",
    ])
    func `a search of a filter finds what Swift's does`(_ source: String) throws {
        let (regex, pattern) = (try Regex(source), try LinearPattern(source))
        for line in Self.lines + ["äöüßx", "é", "登录成功了"] {
            #expect(try pattern.occurs(in: line) == (regex.firstMatch(in: line) != nil), "\(source) in \(line)")
        }
        #expect(try LinearPattern("ÉTÉ|kick", ignoresCase: true).occurs(in: "un été"))
    }

    @Test func `a deeply nested or unsupported pattern is refused`() {
        let deep = String(repeating: "(", count: 100_000)
        let nested =
            "(?<=" + String(repeating: "(", count: 9) + "a" + String(repeating: "{1000})", count: 9) + ")b"
        for source in [deep, #"(a)\1"#, "(?<=a+)b", "a**", "[b-a]", "(?:(?:ab){1000}){1000}", nested] {
            #expect(throws: PatternError.self) { _ = try BytePattern(source) }
            #expect(throws: PatternError.self) { _ = try LinearPattern(source) }
        }
    }
}
