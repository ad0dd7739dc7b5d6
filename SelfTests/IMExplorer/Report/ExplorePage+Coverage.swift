import IMClient
import IMDebugger

extension ExplorePage {
    /// The coverage of state × input pairs, for the client and the server.
    var heatMaps: String {
        let steps = seeds.steps.indices.map { step in
            "<span class=\"cell l\(level(step))\"></span> \(seeds.label(of: step))"
        }
        let legend = (["first reached by seed:"] + steps + ["<span class=\"cell none\">·</span> never"])
            .joined(separator: " ")
        return """
            <section><h2>Coverage: state × input</h2>
            <p class="legend">\(legend)</p>
            \(heatMap("client", states: ClientState.allCases.map(\.name)))
            \(heatMap("server", states: ["server", "fresh", "logged-in"]))
            </section>
            """
    }

    /// The coverage of rules and of branches of policies, by profile.
    var ruleMaps: String {
        let rules = missing(report.unreachedRules.map { ($0.profile, $0.rules) }, "rules not covered")
        let branches = missing(report.unreachedBranches.map { ($0.profile, $0.branches) }, "branches not covered")
        return """
            <section><h2>Coverage: rules and policies</h2>
            \(heatMap("rule", states: []))
            \(rules)
            \(heatMap("policy", states: []))
            \(branches)
            </section>
            """
    }

    private func missing(_ all: [(profile: String, what: [String])], _ title: String) -> String {
        all.map { profile, what in
            "<p class=\"never\">\(profile), \(title): \(HTMLText.escaped(what.joined(separator: ", ")))</p>"
        }.joined(separator: "\n")
    }

    /// The colour of a step. If there are fewer steps than colours, they are spread over the whole range.
    private func level(_ step: Int) -> Int {
        let last = seeds.steps.count - 1
        return last > 0 ? step * (SeedSpan.stepsMax - 1) / last : 0
    }

    /// - Parameter known: the rows that are shown even if nothing reached them. Further states follow.
    private func heatMap(_ machine: String, states known: [String]) -> String {
        let table = HeatTable(report.coverage.first, of: machine)
        guard !table.inputs.isEmpty else { return "<h3>\(machine)</h3>\n<p>Nothing was reached.</p>" }
        let states = known + table.states.filter { !known.contains($0) }
        let heads = table.inputs.map { "<th scope=\"col\"><span>\(HTMLText.escaped($0))</span></th>" }
        let rows = states.map { state in
            let cells = table.inputs.map { cell(table.first[state]?[$0], "\(state) × \($0)") }
            return "<tr><th scope=\"row\">\(HTMLText.escaped(state))</th>\(cells.joined())</tr>"
        }
        let reached = table.first.values.reduce(0) { $0 + $1.count }
        return """
            <h3>\(machine) <small>\(reached) of \(states.count * table.inputs.count) cells; not each of the others \
            can be reached</small></h3>
            <div class="wide" tabindex="0" role="region" aria-label="coverage of the \(machine)"><table class="heat">
            <thead><tr><td></td>\(heads.joined())</tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody>
            </table></div>
            """
    }

    private func cell(_ seed: UInt64?, _ what: String) -> String {
        let what = HTMLText.escaped(what)
        guard let seed else { return "<td class=\"none\" title=\"\(what): never\">·</td>" }
        let label = "\(what): seed \(seed)"
        return "<td class=\"l\(level(seeds.step(of: seed)))\" title=\"\(label)\" aria-label=\"\(label)\"></td>"
    }
}

/// The seeds that reached each pair of one machine, such as `client online × frame kicked`, by state and input.
private struct HeatTable {
    /// The smallest seed that reached a pair, by state and then by input.
    private(set) var first: [String: [String: UInt64]] = [:]
    let states: [String]
    /// The inputs, ordered so that inputs of one kind are next to each other.
    let inputs: [String]

    init(_ keys: [String: UInt64], of machine: String) {
        let separator = " × "
        var inputs: Set<String> = []
        for (key, seed) in keys where key.hasPrefix(machine + " ") {
            let pair = key.dropFirst(machine.count + 1)
            guard let middle = Self.range(of: separator, in: pair) else { continue }
            let input = String(pair[middle.upperBound...])
            first[String(pair[..<middle.lowerBound]), default: [:]][input] = seed
            inputs.insert(input)
        }
        states = first.keys.sorted()
        self.inputs = inputs.sorted()
    }

    private static func range(of separator: String, in text: Substring) -> Range<Substring.Index>? {
        text.firstRange(of: separator)
    }
}
