import Foundation
import IMProfiles
import Testing

@testable import IMDebugger
@testable import IMRepl

/// `sessions/README.md` lists the scripts that demonstrate each rule and each pattern.
@Suite struct CatalogueTests {
    @Test func everyScriptNamesExistingRules() throws {
        let known = Set(RuleCatalogue.rules.map(\.id))
        for name in SessionLibrary.scripts {
            let ids = try rules(of: name)
            #expect(!ids.isEmpty, "\(name) names no rule")
            for id in ids where !id.hasPrefix("S-") { #expect(known.contains(id), "\(name) names '\(id)'") }
        }
    }

    @Test func everyRuleHasAScript() throws {
        let shown = try Set(SessionLibrary.scripts.flatMap(rules))
        for rule in RuleCatalogue.rules {
            #expect(shown.contains(rule.id) == rule.isImplemented, "\(rule.id): \(rule.text)")
        }
    }

    /// The scenarios S-1 to S-28, without those whose features do not exist yet.
    @Test func everyScenarioHasAScript() throws {
        let shown = try Set(SessionLibrary.scripts.flatMap(rules))
        for number in 1...28 where ![23, 24, 27].contains(number) {
            #expect(shown.contains("S-\(number)"), "no script tells S-\(number)")
        }
    }

    @Test func theCatalogueIsUpToDate() throws {
        let path = SessionLibrary.folder + "/README.md"
        let expected = try catalogue()
        if ProcessInfo.processInfo.environment["IMREPL_WRITE_CATALOGUE"] != nil {
            try expected.write(toFile: path, atomically: true, encoding: .utf8)
        }
        let kept = try String(contentsOfFile: path, encoding: .utf8)
        #expect(kept == expected, "'make sessions' writes the catalogue")
    }

    private func catalogue() throws -> String {
        var scripts: [String: [String]] = [:]
        for name in SessionLibrary.scripts {
            for id in try rules(of: name) { scripts[id, default: []].append(name) }
        }
        var lines = [
            "# The session library", "",
            "Each script (`.imr`) contains a scenario and, in its head, the rules that it demonstrates. Its recording",
            "(`.pcapng`) is beside it. `imrepl test sessions` runs all scripts and compares them with their recordings,",
            "`imrepl run FILE` runs one script, and `imrepl show` lists the events of a recording. `help rules` in the shell",
            "lists the rules. S-1 to S-28 are the sequences that every profile must reproduce. `make sessions` writes this",
            "list.",
        ]
        for group in RuleCatalogue.groups {
            lines += ["", "## \(group.title)", "", "| id | rule | scripts |", "|---|---|---|"]
            for rule in group.rules {
                let names = rule.isImplemented ? links(scripts[rule.id] ?? []) : "later"
                lines.append("| \(rule.id) | \(rule.text) | \(names) |")
            }
        }
        lines += ["", "## Sequences", "", "| id | script |", "|---|---|"]
        for number in 1...28 {
            lines.append("| S-\(number) | \(scripts["S-\(number)"].map(links) ?? "later") |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func links(_ names: [String]) -> String {
        names.map { "[\($0.dropLast(4))](\(SessionLibrary.libraryPath(of: $0)))" }.joined(separator: ", ")
    }

    private func rules(of name: String) throws -> [String] {
        try SessionLibrary.read(name).metadata.rules
    }
}
