import Testing

@testable import IMDebugger
@testable import IMText

@Suite struct SessionConditionTests {
    @Test(arguments: [
        ("count(kick) >= 2", [2], true), ("count(kick) >= 2", [1], false), ("kick", [1], true), ("kick", [0], false),
        ("count(kick) == 0", [0], true), ("count(kick)!=3", [3], false), ("count(kick) < 2", [1], true),
        ("count(kick) <= 2", [2], true), ("count(kick) > 2", [2], false),
        ("count(kick) >= 1 and count(to == online) == 0", [1, 0], true),
        ("count(kick) >= 1 and count(to == online) == 0", [1, 1], false),
        ("count(kick) >= 1 or count(to == online) == 0", [0, 1], false),
        ("not (count(kick) >= 1 or count(to == online) == 0)", [0, 1], true),
        ("count(kick) == 1 or count(kick) == 2 and count(kick) == 3", [1, 0, 0], true),
        (#"count(text == "a)b(") == 1"#, [1], true), ("count(kick and (node == a or node == b)) == 4", [4], true),
    ])
    func countsAreCompared(_ text: String, _ counts: [Int], _ holds: Bool) throws {
        #expect(try SessionCondition(text).holds(counts) == holds)
        let negated = try SessionCondition(SessionCondition(text).negated)
        #expect(negated.holds(counts) != holds)
    }

    @Test(arguments: [
        "count(kick)", "count(kick) >=", "count(kick >= 2", "count kick >= 2", "count(knd == a) == 1", "count() == 1",
        "count(kick) == 1 and", "count(kick) == 1)", "not", "count(kick) = 1",
        String(repeating: "(", count: 100) + "count(kick) == 1",
    ])
    func whatIsNoConditionIsRefused(_ text: String) {
        #expect(throws: FilterError.self) { try SessionCondition(text) }
    }
}
