/// The reason why a pattern cannot be used.
package struct PatternError: Error, Hashable, CustomStringConvertible {
    /// The part of the pattern that begins at the error.
    var rest: String
    /// The name of the unsupported syntax; nil if ``rest`` shows it.
    var unsupported: String?

    package init(rest: String, unsupported: String? = nil) {
        (self.rest, self.unsupported) = (rest, unsupported)
    }

    package var description: String {
        if let unsupported { return "uses \(unsupported), which is not supported" }
        if rest.isEmpty { return "ends before it is complete" }
        if let syntax = Self.syntaxes.first(where: { syntax in syntax.starts.contains { rest.hasPrefix($0) } }) {
            return "uses \(syntax.name), which is not supported, at '\(rest)'"
        }
        return "has an error or unsupported syntax at '\(rest)'"
    }

    /// Syntax of other regular expression engines, and the texts with which it can begin.
    private static let syntaxes: [(name: String, starts: [String])] = [
        ("a lookbehind of variable length", ["(?<=", "(?<!"]), ("a lookahead", ["(?=", "(?!"]),
        ("an atomic group", ["(?>"]), ("a backreference", (1...9).map { "\\\($0)" } + ["\\k", "\\g", "(?P="]),
        ("recursion", ["(?R", "(?&", "(?P>", "(?0", "(?1"]), ("a condition", ["(?("]), ("a comment", ["(?#"]),
        ("a flag other than (?i)", ["(?s", "(?m", "(?x", "(?U", "(?J", "(?-", "(?i", "(?n"]),
        ("a Unicode property", ["\\p", "\\P", "\\X"]),
        (
            "a class with a name",
            ["alnum", "alpha", "digit", "space", "upper", "lower", "punct", "word"].map { ":\($0):" }
        ),
        ("an anchor other than ^, $, \\b and \\B", ["\\A", "\\z", "\\Z", "\\G"]), ("\\K", ["\\K"]),
        ("a character code", ["\\x", "\\u", "\\0", "\\N"]),
        ("a possessive quantifier, or a quantifier without an operand", ["+", "*", "?", "{"]),
    ]
}
