import Testing

@testable import IMCheckers
@testable import IMExplorer

/// The page of a search contains all data of the report, and escapes all of it.
@Suite struct ExplorePageTests {
    private static let hostile = "</td><script>alert('&\"')</script>\u{202E}\n"

    private static func report() -> ExploreReport {
        var report = ExploreReport()
        report.scenarios = 256
        report.events = 70_000
        report.profiles = ["nim"]
        report.coverage.first = [
            "client online × frame kicked": 0, "client syncing × frame kicked": 200, "server fresh × timer": 3,
            "sometimes a kick during a sync": 200,
        ]
        report.coverage.counts = ["a kick during a sync": 4, "a silent link": 0]
        return report
    }

    @Test func itEscapesEveryText() throws {
        let hostile = Self.hostile
        var report = Self.report()
        var failure = ExploreReport.Failure(
            violation: Violation(.links, hostile, hostile, hostile), profile: hostile, seed: 1, count: 1, commands: 1)
        failure.violation.node = hostile
        failure.file = hostile
        failure.onlyProfile = hostile
        failure.shortest = [hostile]
        report.failures[hostile] = failure
        report.profiles.insert(hostile)
        report.coverage.first["client \(hostile) × \(hostile)"] = 2
        report.coverage.first["server \(hostile)"] = 2
        report.coverage.counts[hostile] = 1
        let page = ExplorePage(report, title: hostile).html()
        #expect(!page.contains("<script"))
        #expect(!page.contains("alert('"))
        #expect(!page.contains("\u{202E}"))
        #expect(page.contains("&lt;/td&gt;&lt;script&gt;alert(&#39;&amp;&quot;&#39;)&lt;/script&gt;\\u{202e}\\u{a}"))
        // Every opened tag is also closed.
        for tag in ["td", "tr", "table", "article", "section", "pre", "dd", "svg", "title"] {
            let opened = try page.matches(of: Regex("<\(tag)[ >]")).count
            let closed = try page.matches(of: Regex("</\(tag)>")).count
            #expect(opened == closed, "\(tag)")
        }
    }

    @Test func itContainsEveryFailure() {
        var report = Self.report()
        for (index, checker) in CheckerName.allCases.enumerated() {
            var failure = ExploreReport.Failure(
                violation: Violation(checker, "C-\(index)", "kind number \(index)", "detail \(index)"),
                profile: "nim", seed: UInt64(1000 + index), count: index + 1, commands: 5)
            failure.shortest = ["login user\(index)"]
            failure.file = "explored/nim-\(index).pcapng"
            report.failures[failure.violation.group] = failure
        }
        let page = ExplorePage(report).html()
        #expect(page.matches(of: /<article>/).count == CheckerName.allCases.count)
        for failure in report.failures.values {
            #expect(page.contains(">\(failure.violation.checker.rawValue)</span> \(failure.violation.rule): "))
            #expect(page.contains("<dd>\(failure.violation.text)</dd>"))
            #expect(page.contains("seed \(failure.seed), event"))
            #expect(page.contains("\(failure.count) of 256 scenarios"))
            for command in failure.reproduction { #expect(page.contains("<code>\(command)</code>")) }
            #expect(page.contains("<pre>\(failure.shortest?[0] ?? "")</pre>"))
        }
    }

    @Test func cellsShowWhenTheyWereReachedIfEver() {
        let page = ExplorePage(Self.report()).html()
        #expect(page.contains(#"<td class="l0" title="online × frame kicked: seed 0""#))
        #expect(page.contains(#"<td class="l5" title="syncing × frame kicked: seed 200""#))
        #expect(page.contains(#"<td class="none" title="offline × frame kicked: never">·</td>"#))
        #expect(page.contains(#"title="fresh × timer: seed 3""#))
        #expect(page.contains(#"<td class="none" title="logged-in × timer: never">"#))
    }

    @Test func uncoveredItemsComeFirst() throws {
        let report = Self.report()
        let page = ExplorePage(report).html()
        let seen = try #require(page.firstRange(of: "<td>a kick during a sync</td><td class=\"number\">4</td>"))
        #expect(!report.missingEvents.isEmpty)
        for never in report.missingEvents {
            let row = "<tr class=\"never\"><td>\(never.rawValue)</td><td class=\"number\">never</td>"
            let index = try #require(page.firstRange(of: row), "\(never)")
            #expect(index.lowerBound < seen.lowerBound)
        }
        #expect(page.contains("<td>seed 200</td>"))
    }

    @Test func itIsSelfContained() {
        let page = ExplorePage(Self.report()).html()
        #expect(page.hasPrefix("<!doctype html>"))
        for word in ["http:", "https:", "src=", "href=", "url(", "@import", "<script"] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.contains("prefers-color-scheme: dark"))
    }

    @Test func anEmptySearchGivesAPage() {
        let page = ExplorePage(ExploreReport()).html()
        #expect(page.contains("No rule was broken."))
        #expect(page.contains("Nothing was reached."))
    }

    @Test(arguments: [1, 2, 5, 64, 1000, 10_000_000])
    func stepsPartitionTheSeeds(_ count: Int) {
        var report = ExploreReport()
        report.scenarios = count
        report.coverage.first = ["a": 4]
        let span = SeedSpan(report)
        #expect(span.first == 4)
        #expect(span.last == 3 + UInt64(count))
        #expect(span.steps.first == 0)
        #expect(span.steps == Array(Set(span.steps)).sorted())
        #expect(span.steps.count <= SeedSpan.stepsMax)
        for (step, start) in span.steps.enumerated() {
            #expect(span.step(of: span.first + start) == step)
            if step > 0 { #expect(span.step(of: span.first + start - 1) == step - 1) }
        }
        #expect(span.step(of: span.last) == span.steps.count - 1)
    }

    @Test func extremeSeedsDoNotTrap() {
        var report = Self.report()
        report.coverage.first = ["client online × timer": .max - 1, "client online × data": 0]
        report.scenarios = .max
        #expect(ExplorePage(report).html().contains("seed 18446744073709551614"))
    }
}
