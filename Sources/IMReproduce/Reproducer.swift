import IMDebugger
import SansIO

/// Searches for the fewest hidden events with which the machines produce the lines of a log.
///
/// The limits are numbers of runs, not times, and the order of the search is fixed. So the same log always gives the
/// same answer.
package struct Reproducer {
    /// The limits of a search.
    package struct Options {
        /// The maximum number of causes for each ending.
        package var explanations = 3
        package var runsMax = 300
        package var alternativeRunsMax = 40
        /// Settings of the client that were estimated from its log.
        package var estimated: [ClientNumbers.Estimate] = []
        /// Called after each run, with the number of runs and the share of explained lines. The search ends if it
        /// returns false.
        package var continues: (Int, Double) -> Bool = { _, _ in true }

        package init() {}
    }

    /// The result of a search.
    package struct Outcome: Sendable {
        /// The explanations, the best first; empty if the log cannot be explained.
        package var explanations: [Explanation] = []
        /// For each ending in the first explanation, the rule that `why` reports; nil if it is not known.
        package var rules: [DecidingRule?] = []
        package var runs = 0
        /// The number of runs of the search for other causes.
        package var alternativeRuns = 0
        /// The first line that the best candidate does not explain; nil if a candidate explains the log.
        package var nearestMiss: NearestMiss?
        package var isCancelled = false
    }

    private struct Entry {
        var candidate: Candidate
        var priority: Double
        var parent: CandidateRun?
        var parentIndex: Int
        var run: CandidateRun?
    }

    private static let expansionsMax = 5

    private var app: ObservedApp
    private var runsMax = 0
    private var vendor: any VendorCauses
    private var numbers: ClientNumbers?
    private let options: Options
    private let weights: [Double]
    private var queue: [Entry] = []
    private var postponed: [Entry] = []
    private var signatures: [UInt64] = []
    private var expansions: [Int]
    private var runs = 0
    private var bestRun: CandidateRun?
    /// The largest number of lines that a candidate with the present settings has explained.
    private var explainedMax = 0
    private var isCancelled = false

    package init?(_ app: ObservedApp, _ options: Options = Options()) {
        guard let vendor = VendorCausesList.causes(of: app.profile) else { return nil }
        self.app = app
        self.vendor = vendor
        self.options = options
        var sum = 0.0
        var weights = [0.0]
        for line in app.lines.reversed() {
            sum += vendor.weight(of: line)
            weights.append(sum)
        }
        self.weights = weights.reversed()
        expansions = app.lines.map { _ in 0 }
    }

    /// Searches for explanations, and checks each of them with ``ExplanationCheck``.
    ///
    /// - Throws: an error if a world cannot start.
    package mutating func search() throws -> Outcome {
        var outcome = Outcome()
        var found: CandidateRun?
        let usual = vendor
        // For each pass, the number of lines that the log may have lost, and the number of runs for each hypothesis. The
        // first pass assumes that the log has lost at most two lines. The second pass allows more lost lines.
        let passes: [(lostLinesMax: Int, runs: Int)] =
            app.isComplete
            ? [(0, options.runsMax)]
            : [(2, options.runsMax / 5), (app.lostLinesMax, options.runsMax * 4 / 5)]
        var hypotheses = hypotheses.map { (numbers: $0, explained: 0) }
        // The first explanation that sets the device's clock. It is only used if no other settings explain the log at a
        // lower cost, because a set clock can hide wrong settings.
        var clockRun: CandidateRun?
        for pass in passes {
            app.lostLinesMax = pass.lostLinesMax
            for index in hypotheses.indices where found == nil && !isCancelled {
                numbers = hypotheses[index].numbers
                vendor = numbers.map { usual.withNumbers($0) } ?? usual
                runsMax = runs + pass.runs
                queue = []
                postponed = []
                signatures = []
                expansions = app.lines.map { _ in 0 }
                explainedMax = 0
                found = try firstExplanation()
                hypotheses[index].explained = explainedMax
                if let run = found, run.candidate.setsClock, clockRun == nil, hypotheses[index...].count > 1 {
                    (clockRun, found) = (run, nil)
                }
            }
            if let run = clockRun, run.candidate.cost <= found?.candidate.cost ?? .infinity {
                found = run
                numbers = run.candidate.numbers
                vendor = numbers.map { usual.withNumbers($0) } ?? usual
            }
            if found != nil || isCancelled { break }
            // In the next pass, the settings that explained most lines are tried first.
            let ranked = hypotheses.enumerated().sorted {
                ($1.element.explained, $0.offset) < ($0.element.explained, $1.offset)
            }
            hypotheses = ranked.map(\.element)
        }
        outcome.runs = runs
        outcome.isCancelled = isCancelled
        guard let found else {
            outcome.nearestMiss = bestRun.map { NearestMiss($0, app, vendor) }
            if !isCancelled { outcome.nearestMiss?.otherFields = try otherFields() }
            return outcome
        }
        var alternatives = Alternatives(app, vendor, options, found)
        outcome.explanations = try alternatives.search()
        outcome.alternativeRuns = alternatives.runs
        guard var first = outcome.explanations.first else { return outcome }
        outcome.rules = try found.rules(of: first.endings.map(\.line), app)
        var earliest = EarliestTime(app, found, runsMax: isCancelled ? 0 : options.alternativeRunsMax)
        for (index, ending) in first.endings.enumerated() {
            guard let event = ending.event, let times = try earliest.times(of: event) else { continue }
            first.setEarliest(times.cause, ofEnding: index, app)
            if let (loss, time) = times.loss { first.setEarliest(time, of: loss, app) }
        }
        outcome.explanations[0] = first
        return outcome
    }

    /// Searches again without one field of the line at which the search stopped, for each of its fields.
    ///
    /// - Returns: the fields without which the line is explained, with their values in the simulation.
    private func otherFields() throws -> [NearestMiss.OtherField] {
        guard let index = bestRun?.match.mismatch, bestRun?.match.isSurplus == false, app.lines.indices.contains(index),
            app.lines[index].kind == .callback || app.lines[index].kind == .result
        else { return [] }
        var found: [NearestMiss.OtherField] = []
        for field in app.lines[index].fields.prefix(3) {
            var options = Options()
            options.runsMax = Self.otherFieldRunsMax
            let count = app.lines.count
            options.continues = { _, share in share * Double(count) < Double(index) + 0.5 }
            guard var other = Reproducer(app.without(field.name, ofLine: index), options) else { continue }
            (other.vendor, other.numbers) = (vendor, numbers)
            other.runsMax = options.runsMax
            let run = try other.firstExplanation() ?? other.bestRun
            guard let run, index < run.match.partners.count else { continue }
            let value = run.match.simulated[run.match.partners[index]][field.name]
            guard let value, value != field.value else { continue }
            found.append(NearestMiss.OtherField(name: field.name, value: value))
        }
        return found
    }

    private static let otherFieldRunsMax = 40

    /// The settings to be tried, in this order: those that the log shows at least twice, those of the profile (nil),
    /// those that the log shows once, and those of other known clients.
    private var hypotheses: [ClientNumbers?] {
        let repeated = ClientNumbers(estimated: options.estimated, profile: app.profile, observations: 2)
        let all = ClientNumbers(estimated: options.estimated, profile: app.profile)
        var found: [ClientNumbers?] = repeated.map { [$0] } ?? []
        found.append(nil)
        if let all, all != repeated { found.append(all) }
        return found + vendor.knownNumbers
    }

    private mutating func firstExplanation() throws -> CandidateRun? {
        for root in roots { add(root, nil, -1, 0) }
        while runs < runsMax, !isCancelled {
            guard var entry = takeBest() else { return nil }
            if entry.run == nil {
                let run = try CandidateRun(entry.candidate, app, after: entry.parent)
                entry.run = run
                runs += 1
                if run.match.isWhole { return run }
                let index = run.match.mismatch ?? 0
                explainedMax = max(explainedMax, index)
                if index > (bestRun?.match.mismatch ?? -1) { bestRun = run }
                isCancelled = !options.continues(runs, Double(index) / Double(max(1, app.lines.count)))
                guard index > entry.parentIndex else { continue }
                entry.priority = priority(entry.candidate, unmatchedCount: run.match.unmatchedCount, from: index)
                if let next = queue.map(\.priority).min(), next < entry.priority {
                    queue.append(entry)
                    continue
                }
            }
            expand(entry)
        }
        return nil
    }

    private func priority(_ candidate: Candidate, unmatchedCount: Int, from index: Int) -> Double {
        candidate.cost + 0.5 * Double(unmatchedCount) + 1.5 * weights[min(index, weights.count - 1)]
    }

    /// Removes and returns the entry with the lowest priority number, the oldest of equal ones. The postponed entries
    /// are used if the queue is empty.
    private mutating func takeBest() -> Entry? {
        if queue.isEmpty {
            guard !postponed.isEmpty else { return nil }
            queue = postponed
            postponed = []
            expansions = expansions.map { _ in 0 }
        }
        var best = 0
        for index in queue.indices where queue[index].priority < queue[best].priority { best = index }
        return queue.remove(at: best)
    }

    private mutating func add(_ candidate: Candidate, _ parent: CandidateRun?, _ index: Int, _ unmatchedCount: Int) {
        let signature = candidate.signature
        guard !signatures.contains(signature) else { return }
        signatures.append(signature)
        queue.append(
            Entry(
                candidate: candidate, priority: priority(candidate, unmatchedCount: unmatchedCount, from: index + 1),
                parent: parent,
                parentIndex: index))
    }

    private mutating func expand(_ entry: Entry) {
        guard let run = entry.run, let index = run.match.mismatch else { return }
        guard expansions[index] < Self.expansionsMax else {
            postponed.append(entry)
            return
        }
        expansions[index] += 1
        let point = BranchPoint(
            app: app, vendor: vendor, candidate: entry.candidate, lines: run.match.observed, index: index,
            match: run.match)
        if let shifted = point.shifted() { add(shifted, run, index, run.match.unmatchedCount) }
        if run.match.isSurplus { return }
        var moves = vendor.moves(point) + clockMoves(point)
        if app.isComplete { moves.removeAll { $0.events.contains(where: \.isCall) } }
        for (rank, move) in moves.enumerated() where move.events.allSatisfy({ $0.time > 0 }) {
            var others = moves
            others.remove(at: rank)
            let next = entry.candidate.adding(Decision(line: index, move: move, otherMoves: others))
            add(next, run, index, run.match.unmatchedCount)
        }
    }

    /// The move that sets the device's clock at the line, for a log whose times do not come from a monotonic clock.
    private func clockMoves(_ point: BranchPoint) -> [Move] {
        guard !app.hasMonotonicClock, point.index > 2 else { return [] }
        var best: Milliseconds?
        for (position, line) in point.match.simulated.enumerated()
        where !point.match.isMatched(position) && line.fits(point.line) {
            let shift = point.time - line.time
            if abs(shift) > app.tolerance, best.map({ abs(shift) < abs($0) }) ?? true { best = shift }
        }
        guard let best else { return [] }
        var move = Move(2.2)
        move.clockSet = best
        return [move]
    }

    /// The candidates with which the search begins: the possible states of the client before the log begins.
    private var roots: [Candidate] {
        let plain = Candidate(numbers: numbers)
        guard app.lacksStart else { return [plain] }
        if app.beginsWithLogin, app.isComplete { return [plain] }
        // If the log begins with a login call, a login before it is less likely.
        let extra = app.beginsWithLogin ? 1.0 : 0.0
        let before = (vendor.roots(app).map { Move($0.cost + extra, $0.events) } + (extra > 0 ? [] : [Move(0.5)])).map {
            Candidate(decisions: [Decision(line: 0, move: $0, otherMoves: [])], numbers: numbers)
        }
        return (app.beginsWithLogin ? [plain] : []) + before
    }
}
