import LineEditing
import Testing

@testable import IMDebugger
@testable import IMShell

/// Tests of the shell's completion within a filter, after `expect event`.
@Suite struct ShellFilterCompletionTests {
    private let context: CompletionContext = {
        var context = CompletionContext()
        context.clients = ["phone", "pad"]
        context.variables = ["seq"]
        return context
    }()

    /// The lines that the candidates of TAB complete.
    private func lines(_ line: String) -> [String] {
        let found = CompletionEngine(table: .shell).complete(line, cursor: line.utf8.count, context: context)
        return found.candidates.map { String(decoding: line.utf8.prefix(found.replaceFrom), as: UTF8.self) + $0.text }
    }

    @Test(arguments: [
        ("expect event ki", ["kind", "kicked", "kicks"]),
        ("expect event kind == transition and t", ["t", "text", "to", "type", "title", "token", "target", "timer"]),
        ("@phone expect none event in-", ["in-state", "in-ms"]),
        ("expect-none event not (cal", ["callback"]),
    ])
    func `fields are offered`(line: String, expected: [String]) {
        let head = line.prefix { _ in true }.split(separator: " ").dropLast().joined(separator: " ")
        let opening = line.contains("(") ? "(" : ""
        let found = Set(lines(line))
        for word in expected where !line.hasSuffix(" \(word)") {
            #expect(found.contains("\(head) \(opening)\(word)"), "\(line): \(found.sorted())")
        }
    }

    @Test(arguments: [
        ("expect event in-state == onl", ["expect event in-state == online"]),
        (
            "expect event kind == transition and to in {kicked, onl",
            ["expect event kind == transition and to in {kicked, online"]
        ),
        ("expect event node == p", ["expect event node == phone", "expect event node == pad"]),
        ("expect event text =~ \"a  b\" and final", ["expect event text =~ \"a  b\" and final-state"]),
        ("expect event text =~ 'a b' and dir == o", ["expect event text =~ 'a b' and dir == out"]),
        (
            "expect event kind ",
            ["==", "!=", "<=", ">=", "=~", "<", ">", "in", "not in", "and", "or", "within", "as"]
                .map { "expect event kind \($0)" }
        ),
        ("expect event kind == frame ", ["and", "or", "within", "as"].map { "expect event kind == frame \($0)" }),
        ("expect-none event kind == frame ", ["and", "or", "for"].map { "expect-none event kind == frame \($0)" }),
        ("expect none event kind == frame f", ["expect none event kind == frame for"]),
        ("expect event (kind == frame ", ["and", "or", ")"].map { "expect event (kind == frame \($0)" }),
        (
            "expect event kind == frame within 5",
            ["ms", "s", "m", "h"].map { "expect event kind == frame within 5\($0)" }
        ),
        ("expect event kind == frame within 5s ", ["expect event kind == frame within 5s as"]),
        ("expect event kind == frame as $", ["expect event kind == frame as $seq"]),
        ("expect event text =~ \"op", []), ("expect event text =~ ", []),
    ])
    func `values, operators and the words after the filter are offered`(line: String, expected: [String]) {
        #expect(lines(line) == expected)
    }

    @Test func `every kind of event, state and callback is offered as a value`() {
        #expect(lines("expect event kind == ").count == EventKind.allCases.count)
        #expect(lines("expect event in-state == ").count == StateName.allNames.count)
        #expect(
            lines("expect event callback == onK") == [
                "expect event callback == onKick", "expect event callback == onKickedOffline",
            ])
    }

    @Test func helpDescribesTheFilter() throws {
        #expect(try HelpText(table: .shell).text(for: ["filter"]) == FilterHelp.text())
    }
}
