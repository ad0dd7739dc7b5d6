/// Searches for other possible causes of a login's ending. Each try changes one decision of the explanation that was
/// found.
struct Alternatives {
    private let app: ObservedApp
    private let vendor: any VendorCauses
    private let options: Reproducer.Options
    private let found: CandidateRun
    private(set) var runs = 0

    init(_ app: ObservedApp, _ vendor: any VendorCauses, _ options: Reproducer.Options, _ found: CandidateRun) {
        self.app = app
        self.vendor = vendor
        self.options = options
        self.found = found
    }

    /// Returns the explanation that was found, and other explanations. Each of the others contains a cause of an ending
    /// that no earlier one contains.
    mutating func search() throws -> [Explanation] {
        guard let first = try Explanation(found.candidate, app, vendor) else { return [] }
        var explanations = [first]
        var causes = first.endings.map { [$0.cause.kind] }
        var tried: [UInt64] = [found.candidate.signature]
        for candidate in candidates {
            guard runs < options.alternativeRunsMax else { break }
            let endings = candidate.endings(app, vendor)
            guard hasNewCause(endings, causes), !tried.contains(candidate.signature) else { continue }
            tried.append(candidate.signature)
            runs += 1
            let run = try CandidateRun(candidate, app, after: found, keepsCheckpoints: false)
            guard options.continues(runs, 1) else { break }
            guard run.match.isWhole, let explanation = try Explanation(candidate, app, vendor) else { continue }
            explanations.append(explanation)
            for (index, ending) in explanation.endings.enumerated() where index < causes.count {
                if !causes[index].contains(ending.cause.kind) { causes[index].append(ending.cause.kind) }
            }
        }
        return explanations
    }

    private func hasNewCause(_ endings: [Ending], _ causes: [[String]]) -> Bool {
        zip(endings, causes).contains { ending, known in
            known.count < options.explanations && !known.contains(ending.cause.kind)
        }
    }

    /// The candidates that differ from the explanation in one decision, in the order of their costs.
    private var candidates: [Candidate] {
        var found: [(cost: Double, candidate: Candidate)] = []
        for (index, decision) in self.found.candidate.decisions.enumerated() {
            for other in decision.otherMoves {
                var candidate = self.found.candidate
                candidate.decisions[index].move = other
                found.append((other.cost - decision.move.cost, candidate))
            }
        }
        return found.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }.map(
            \.element.candidate)
    }
}
