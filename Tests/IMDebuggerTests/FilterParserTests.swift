import Testing

@testable import IMDebugger
@testable import IMText

@Suite struct FilterParserTests {
    private func failure(_ source: String) -> FilterError? {
        do throws(FilterError) {
            _ = try Filter(parsing: source)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "kind == transition", "kind==transition", "  to == kicked  ", "t > 12.5s", "t<1m and t>=0s", "n in {1, 2,3}",
        "not kind in {frame, link}", "kind not in {frame}", "user", "not user", "(user)", "((not (user or device)))",
        #"text =~ "a(b|c)\.d" or text == 'it''"#.replacing("''", with: "'"), "reason == NIMKickReasonByClient(1)",
        "reason == NIMKickReasonByClient (user)".replacing(" (user)", with: " and (user)"), "to == user/phone-1",
        "fields.topic == tea", "callback.reason != x", "from == \"onlin\"", "device-count-max >= 2",
        "text =~ \\d+", "fields.a-b.c == \"\"", "kind == transition\nand to == kicked", "value == -1",
        "code == Unknown(-1)",
    ])
    func reads(source: String) {
        #expect(failure(source) == nil)
    }

    @Test(arguments: [
        ("", 0, "the filter is empty", "for example: kind == transition"),
        ("   ", 3, "the filter is empty", "for example: kind == transition"),
        ("knd == frame", 0, "there is no field 'knd'", "did you mean 'kind'?"),
        ("topic == tea", 0, "there is no field 'topic'", "'help filter' lists the fields; for your own attribute"),
        ("kind == frme", 8, "'kind' is never 'frme'", "did you mean 'frame'?"),
        ("kind in {frame, lnk}", 16, "'kind' is never 'lnk'", "did you mean 'link'?"),
        (
            "channel == lobby", 11, "'channel' is never 'lobby'",
            "available: transport, sdk, runtime; for a chat channel"
        ),
        ("in-state == sincing", 12, "'in-state' is never 'sincing'", "did you mean 'syncing'?"),
        ("role == efect", 8, "'role' is never 'efect'", "did you mean 'effect'?"),
        ("dir == inn", 7, "'dir' is never 'inn'", "did you mean 'in'?"),
        ("state == onlin", 9, "'state' is probably never 'onlin'", "did you mean 'online'? Quote"),
        ("type == login-akc", 8, "'type' is probably never 'login-akc'", "did you mean 'login-ack'?"),
        ("to kicked", 3, "an operator is missing after 'to'", "available: == !="),
        ("to = kicked", 3, "unexpected '='", "did you mean '=='?"),
        ("user && device", 5, "unexpected '&&'", "did you mean 'and'?"),
        ("!user", 0, "unexpected '!'", "did you mean 'not'?"),
        ("user AND device", 5, "unexpected 'AND'", "did you mean 'and'?"),
        ("user == ", 8, "a value is missing after '=='", nil),
        ("user == and device", 8, "a value is missing after '=='", "quote it if you mean the word"),
        ("user and", 8, "a condition is missing at the end", nil),
        ("and user", 0, "a field's name is missing before 'and'", "'help filter' lists the fields"),
        ("\"user\" == a", 0, "a field's name cannot be quoted", "for example"),
        ("(user", 0, "the parenthesis is not closed", nil),
        ("user)", 4, "unexpected ')'", "there is no matching '('"),
        ("user == a b", 10, "unexpected 'b'", "join conditions"),
        ("user == \"a", 8, "the quote is not closed", "close it with \""),
        ("user in a", 8, "a set is missing after 'in'", "for example: user in {a, b}"),
        ("user in {a", 8, "the set is not closed", "close it with }"),
        ("user in {a b}", 11, "',' or '}' is missing before 'b'", nil),
        ("user in {}", 9, "a value is missing after '{'", nil),
        ("user in {a,}", 11, "a value is missing after ','", nil),
        ("user not device", 9, "'in' is missing after 'not'", "put 'not' before"),
        ("t > 5", 4, "'5' has no unit", "did you mean '5s'?"),
        ("t == soon", 5, "'soon' is not a time", "for example"),
        ("user < bob", 7, "'<' compares numbers and durations; 'bob' is neither", "for example"),
        ("text =~ \"(\"", 8, "not a regular expression", nil),
        ("fields. == 1", 0, "a name is missing after 'fields.'", nil),
        ("user == é and knd", 14, "there is no field 'knd'", "did you mean 'kind'?"),
    ])
    func saysWhere(source: String, offset: Int, message: String, hint: String?) throws {
        let error = try #require(failure(source))
        #expect(error.offset == offset)
        #expect(error.message.hasPrefix(message), "\(error.message)")
        #expect(hint.map { error.hint?.hasPrefix($0) == true } ?? (error.hint == nil), "\(error.hint ?? "no hint")")
        #expect(error.source == source)
    }

    @Test func marksTheErrorBelowTheLine() throws {
        #expect(
            try #require(failure("user and\n  kind == frme")).text == """
                filter:2:11: 'kind' is never 'frme'
                    kind == frme
                            ^~~~
                did you mean 'frame'?
                """)
    }

    @Test func refusesTooDeepAndTooLongFilters() {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "user" + String(repeating: ")", count: depth)
        }
        #expect(failure(nested(FilterParser.depthMax)) == nil)
        #expect(failure(nested(FilterParser.depthMax + 1))?.offset == FilterParser.depthMax)
        #expect(failure(nested(4000)) != nil)
        #expect(failure(String(repeating: "not ", count: 2000) + "user") != nil)
        #expect(failure(String(repeating: "user or ", count: 1000) + "user") == nil)
        #expect(failure(String(repeating: "user or ", count: 2000) + "user") != nil)
        #expect(
            failure("text =~ \"\(String(repeating: "(", count: 400))\(String(repeating: ")", count: 400))\"") != nil)
    }

    /// Every text is parsed, or has an error with a position.
    @Test func acceptsAnyTextWithoutATrap() {
        var generator = SeededGenerator(seed: 7)
        let pieces = [
            "kind", "to", "t", "text", "fields.x", "==", "!=", "<", ">=", "=~", "=", "in", "not", "and", "or", "(", ")",
            "{", "}", ",", "\"", "'", "\\", "frame", "kicked", "12.5s", "-1", "99999999999999999999", "é", "👩‍👩‍👧",
            "\u{301}",
            "\r\n", "\t", "\0", "[", "*", "+", "a{2}", "(?", "x(1)", "1.", ".", "-", "#", "&&", "|", "~", "!", " ", " ",
        ]
        for _ in 0..<4000 {
            let count = Int.random(in: 0...14, using: &generator)
            let gap = Bool.random(using: &generator) ? " " : ""
            let source = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined(separator: gap)
            if let error = failure(source) {
                #expect((0...source.count).contains(error.offset), "\(source)")
                #expect(error.text.hasPrefix("filter:"), "\(source)")
            }
            _ = FilterCompletion.candidates(for: source)
        }
    }
}

/// Gives the same numbers every time.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
