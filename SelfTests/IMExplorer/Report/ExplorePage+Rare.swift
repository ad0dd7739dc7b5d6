import IMDebugger

extension ExplorePage {
    /// The rare events with their counts. Events that never happened are first.
    var rareEvents: String {
        let never = report.missingEvents.map(\.rawValue).sorted()
        let counts = report.coverage.counts.filter { $0.value > 0 }
        let observed = counts.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        let missing = never.map { name in
            "<tr class=\"never\"><td>\(HTMLText.escaped(name))</td><td class=\"number\">never</td><td>–</td></tr>"
        }
        let rows = observed.map { name, count in
            let first = report.coverage.first["sometimes \(name)"].map { "seed \($0)" } ?? "–"
            return "<tr><td>\(HTMLText.escaped(name))</td><td class=\"number\">\(count)</td><td>\(first)</td></tr>"
        }
        guard !missing.isEmpty || !rows.isEmpty else {
            return "<section><h2>Rare events</h2>\n<p>None were counted.</p></section>"
        }
        return """
            <section><h2>Rare events</h2>
            <table class="rare">
            <thead><tr><th scope="col">what</th><th scope="col" class="number">times</th>\
            <th scope="col">first</th></tr></thead>
            <tbody>
            \((missing + rows).joined(separator: "\n"))
            </tbody>
            </table>
            </section>
            """
    }

    // MARK: Growth

    /// A line with the number of reached keys over the seeds.
    var growth: String {
        let steps = reachedBySeed
        guard let total = steps.last?.count, total > 0 else { return "" }
        let plot = GrowthPlot(seeds: seeds, total: total)
        let base = plot.y(0)
        let ticks = report.sortedFailures.map { failure in
            let x = plot.x(failure.seed)
            return "<path class=\"failed\" d=\"M\(x) \(base)v-8\"><title>"
                + HTMLText.escaped("seed \(failure.seed): \(failure.violation.rule)") + "</title></path>"
        }
        return """
            <section><h2>Coverage over seeds</h2>
            <svg class="growth" viewBox="0 0 \(GrowthPlot.width) \(GrowthPlot.height)" role="img" \
            aria-label="\(total) keys reached between seed \(seeds.first) and seed \(seeds.last)">
            <path class="axis" d="M\(plot.x(seeds.first)) \(plot.y(total))V\(base)H\(plot.x(seeds.last))"/>
            <path class="line" d="\(plot.path(steps))"/>
            \(ticks.joined(separator: "\n"))
            <text x="\(GrowthPlot.left - 6)" y="\(plot.y(total) + 4)" text-anchor="end">\(total)</text>
            <text x="\(GrowthPlot.left - 6)" y="\(base + 4)" text-anchor="end">0</text>
            <text x="\(GrowthPlot.left)" y="\(base + 18)">seed \(seeds.first)</text>
            <text x="\(plot.x(seeds.last))" y="\(base + 18)" text-anchor="end">\(seeds.last)</text>
            </svg>
            <p class="legend">State × input items and rare events reached so far\
            \(ticks.isEmpty ? "" : "; a mark is the first seed of a kind of failure").</p>
            </section>
            """
    }

    /// Each seed that reached a key first, with the number of keys that this seed and smaller seeds reached.
    private var reachedBySeed: [(seed: UInt64, count: Int)] {
        var steps: [(seed: UInt64, count: Int)] = []
        for seed in report.coverage.first.values.sorted() {
            if steps.last?.seed == seed {
                steps[steps.count - 1].count += 1
            } else {
                steps.append((seed, (steps.last?.count ?? 0) + 1))
            }
        }
        return steps
    }
}

/// The coordinates of seeds and counts in the picture of the growth.
private struct GrowthPlot {
    static let width = 960
    static let height = 200
    static let left = 48

    let seeds: SeedSpan
    let total: Int

    func x(_ seed: UInt64) -> Int {
        let span = Double(max(1, seeds.last - seeds.first))
        let distance = seed < seeds.first ? 0 : Double(seed - seeds.first)
        return Self.left + Int(Double(Self.width - Self.left - 12) * distance / span)
    }

    func y(_ count: Int) -> Int { 172 - 160 * count / max(1, total) }

    /// The steps of the curve: a horizontal line up to each seed that reached new keys, and a vertical line there.
    func path(_ steps: [(seed: UInt64, count: Int)]) -> String {
        "M\(Self.left) \(y(0))" + steps.map { "H\(x($0.seed))V\(y($0.count))" }.joined() + "H\(x(seeds.last))"
    }
}
