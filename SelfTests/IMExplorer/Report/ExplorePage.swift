import IMCheckers
import IMDebugger

/// A search report as one HTML page. The page needs no other file and no script, and uses the light or dark mode of the
/// browser.
public struct ExplorePage {
    let report: ExploreReport
    let title: String
    /// The range of seeds in the report.
    let seeds: SeedSpan

    /// Creates a page of a report.
    public init(_ report: ExploreReport, title: String = "imrepl-explore") {
        self.report = report
        self.title = title
        seeds = SeedSpan(report)
    }

    /// The text of the page.
    public func html() -> String {
        """
        \(HTMLText.head(HTMLText.escaped(title)))
        <style>\(ExplorePageStyle.text)</style>
        </head>
        <body>
        <header>
        <h1>\(HTMLText.escaped(title))</h1>
        \(sums)
        </header>
        <main>
        \(failures)
        \(heatMaps)
        \(ruleMaps)
        \(rareEvents)
        \(growth)
        </main>
        </body>
        </html>

        """
    }

    // MARK: Sums

    private var sums: String {
        let failing = report.failures.values.reduce(0) { $0 + $1.count }
        var tiles = [
            tile(String(report.scenarios), "scenarios"), tile(String(report.events), "events"),
            tile(String(report.profiles.count), "systems: " + report.profiles.sorted().joined(separator: ", ")),
            tile(
                String(report.failures.count),
                "\(report.failures.count == 1 ? "kind" : "kinds") of failure, in \(failing) scenarios",
                isBad: !report.failures.isEmpty),
            tile(String(report.coverage.first.count), "items covered: state × input, rules, policies, rare events"),
        ]
        let never = report.missingEvents.count
        tiles.append(tile(String(never), "rare events not covered", isBad: never > 0))
        let unreachedCount = (report.unreachedRules.map(\.rules) + report.unreachedBranches.map(\.branches)).joined()
            .count
        tiles.append(tile(String(unreachedCount), "rules and branches not covered", isBad: unreachedCount > 0))
        return "<ul class=\"sums\">\(tiles.joined())</ul>"
    }

    private func tile(_ number: String, _ label: String, isBad: Bool = false) -> String {
        "<li\(isBad ? " class=\"bad\"" : "")><b>\(number)</b> \(HTMLText.escaped(label))</li>\n"
    }

    // MARK: Failures

    private var failures: String {
        let sorted = report.sortedFailures
        let cards = sorted.isEmpty ? "<p>No rule was broken.</p>" : sorted.map(card).joined(separator: "\n")
        return "<section><h2>Failures by kind</h2>\n\(cards)\n</section>"
    }

    private func card(_ failure: ExploreReport.Failure) -> String {
        let violation = failure.violation
        var rows = [
            ("what", HTMLText.escaped(violation.text)),
            ("system", HTMLText.escaped(failure.profile)),
            ("seen first", "seed \(failure.seed), event \(violation.event)" + at(violation.node)),
            ("how often", "\(failure.count) of \(report.scenarios) scenarios"),
            ("scenario", "\(failure.commands) commands"),
        ]
        if let file = failure.file { rows.append(("session", "<code>\(HTMLText.escaped(file))</code>")) }
        let commands = failure.reproduction.map { "<code>\(HTMLText.escaped($0))</code>" }
        rows.append(("again", commands.joined(separator: "<br>")))
        let list = rows.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" }.joined(separator: "\n")
        return """
            <article>
            <h3><span class="pill">\(HTMLText.escaped(violation.checker.rawValue))</span> \
            \(HTMLText.escaped(violation.rule)): \(HTMLText.escaped(violation.kind))</h3>
            <dl>
            \(list)
            </dl>
            \(shortest(failure))
            </article>
            """
    }

    private func at(_ node: String) -> String { node.isEmpty ? "" : " at " + HTMLText.escaped(node) }

    private func shortest(_ failure: ExploreReport.Failure) -> String {
        guard let lines = failure.shortest else { return "" }
        let script = lines.map(HTMLText.escaped).joined(separator: "\n")
        return "<h4>The shortest scenario found</h4>\n<pre>\(script)</pre>"
    }
}

extension ExploreReport.Failure {
    /// The shell commands that play the failing scenario again and shrink it.
    public var reproduction: [String] {
        let profile = onlyProfile.map { " --profile \(HTMLText.shellWord($0))" } ?? ""
        guard violation.checker != .canary else {
            let canary = "--canary \(violation.event)\(profile)"
            return ["imrepl-explore --seeds \(seed) \(canary)", "imrepl-explore shrink \(seed) \(canary)"]
        }
        let ofSeed = "imrepl-explore shrink \(seed)\(profile)"
        return file.map { ["imrepl-explore shrink \(HTMLText.shellWord($0))", ofSeed] } ?? [ofSeed]
    }
}

/// The seeds of a report, divided into steps. Each step is at least about twice as long as the previous one, because
/// the first few seeds reach most of the coverage.
struct SeedSpan {
    static let stepsMax = 6

    let first: UInt64
    let last: UInt64
    /// The distance from the first seed to the start of each step.
    let steps: [UInt64]

    init(_ report: ExploreReport) {
        let reached = report.coverage.first.values
        let seedNumbers = Array(reached) + report.kept + report.failures.values.map(\.seed)
        first = seedNumbers.min() ?? 0
        // A scenario without new coverage has no seed in the report. So the range includes the number of scenarios.
        let counted = first.addingReportingOverflow(UInt64(max(1, report.scenarios)) - 1)
        last = max(seedNumbers.max() ?? 0, counted.overflow ? .max : counted.partialValue)
        let bits = UInt64.bitWidth - (last - first).leadingZeroBitCount
        var steps: [UInt64] = []
        for step in 0..<Self.stepsMax {
            let start = (UInt64(1) << UInt64(bits * step / Self.stepsMax)) - 1
            if steps.last.map({ $0 < start }) ?? true { steps.append(start) }
        }
        self.steps = steps
    }

    /// The step that contains a seed.
    func step(of seed: UInt64) -> Int {
        let distance = seed < first ? 0 : seed - first
        return max(0, (steps.firstIndex { $0 > distance } ?? steps.count) - 1)
    }

    /// The seeds of a step as text.
    func label(of step: Int) -> String {
        let start = first + steps[step]
        let end = step + 1 < steps.count ? first + steps[step + 1] - 1 : last
        return start == end ? "\(start)" : "\(start)–\(end)"
    }
}
