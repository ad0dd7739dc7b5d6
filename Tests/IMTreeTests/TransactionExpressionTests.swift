import IMTree
import Testing

@Suite struct TransactionExpressionTests {
    private func result(_ text: String, _ node: TreeNode = .empty) throws -> String? {
        try TransactionExpression(text).result(for: node)?.description
    }

    @Test func computesFromTheOldValue() throws {
        let five = TreeNode(.number(5))
        #expect(try result("value + 1") == "1")
        #expect(try result("value + 1", five) == "6")
        #expect(try result("value - 1 - 1", five) == "3")
        #expect(try result("1 + value * 2", five) == "11")
        #expect(try result("(1 + value) * -2", five) == "-12")
        #expect(try result("if exists then abort else \"mine\"") == "\"mine\"")
        #expect(try result("if exists then abort else \"mine\"", five) == nil)
        #expect(try result("if value >= 5 and not (value == 6) then null else value", five) == "null")
        #expect(try result("if value < 5 or value > 9 then 1 else value", five) == "5")
        #expect(try result("\"a\" + \"b\\\"\"") == "\"ab\\\"\"")
        #expect(try result("timestamp") == #"{".sv":"timestamp"}"#)
        #expect(
            try result(#"{"n": value/n + 1, "by": {"x": true}}"#, .empty.setting("n", to: five))
                == #"{"by":{"x":true},"n":6}"#)
        #expect(try result("exists/n", .empty.setting("n", to: five)) == "true")
        // A literal may have the JSON form of a node with a priority.
        #expect(
            try result(#"{"a": {".value": 1e-7, ".priority": 2e+300}}"#)
                == #"{"a":{".value":1e-07,".priority":2e+300}}"#)
    }

    /// An expression that cannot be computed aborts the transaction, as the app's block could do.
    @Test func abortsOnInvalidInput() throws {
        for text in [
            "\"a\" * 2", "true + 1", "if 1 then 2 else 3", "not 5", "1e308 * 10", "true and 1", "{\"a\": abort}",
        ] {
            #expect(try result(text) == nil)
        }
    }

    @Test(arguments: [
        ("", "expected a value at the end of the expression"),
        ("value +", "expected a value at the end of the expression"),
        ("value 1", "expected an operator, found '1'"), ("old + 1", "expected a value, found 'old'"),
        ("if value then 1", "expected 'else' at the end of the expression"),
        ("\"a", "a text has no closing quotation mark"),
        ("value = 1", "'=' is not an operator; use one of + - * == != < <= > >="), ("1.2.3", "'1.2.3' is not a number"),
        ("{a: 1}", "expected a key in quotes, found 'a'"),
        ("value//b", "expected a value, found 'value//b'"),
        (String(repeating: "(", count: 100), "the expression is nested too deeply"),
        (String(repeating: "not ", count: 100), "the expression is nested too deeply"),
    ])
    func saysWhatIsWrong(_ text: String, _ message: String) {
        #expect(throws: TransactionExpressionError(message: message)) { try TransactionExpression(text) }
    }

    @Test func isNotLongerThanTwoNodes() {
        #expect(throws: TransactionExpressionError(message: "an expression has at most 65536 bytes")) {
            try TransactionExpression(String(repeating: "1", count: 70_000))
        }
    }
}
