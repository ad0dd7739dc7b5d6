import Dispatch
import Foundation
import IMCheckers
import IMDebugger
import IMExplorer
import IMProfiles
import IMRepl
import IMSession
import IMShell
import Recorder
import SansIO

/// A search with its progress line, the recordings of its failures, and its report.
struct ExploreRun {
    let request: ExploreRequest

    init(_ request: ExploreRequest) { self.request = request }

    func perform() async throws -> Outcome {
        let output = ProgramRun.output
        // Checked before the search, because a search of an hour must not end with a page that cannot be written.
        try request.report.map(ExplorePageFile.check)
        guard request.merges.isEmpty else { return try await merge(request, output) }
        var settings = request.searchSettings(profile: request.profile)
        if let folder = request.corpus { settings.corpus = ExploreCorpus(folder).scenarios(profile: request.profile) }
        let explorer = Explorer(settings)
        let search = ExploreSearch(request, explorer)
        let line = ExploreLine(isShown: !request.asJSON)
        ProgramRun.onInterrupt { search.stop() }
        let report = try await onOwnThread { try search.run { line.show($0) } }
        let finalReport = try await shortened(report, request, explorer, line)
        line.clear()
        let outcome = try ExploreOutput(request, output, explorer).printReport(finalReport, seconds: search.seconds)
        if let folder = request.corpus {
            let added = try await onOwnThread { try ExploreCorpus(folder).add(report, explorer) }
            if !request.asJSON { output.line("added to \(folder): \(added)") }
        }
        return outcome
    }

    /// Merges the reports. The merged report is printed before the error about missing parts is thrown.
    private func merge(_ request: ExploreRequest, _ output: any ShellOutput) async throws -> Outcome {
        let merge = try ExploreMerge(request.merges)
        let line = ExploreLine(isShown: !request.asJSON)
        let finalReport = try await shortened(merge.report, request, nil, line)
        line.clear()
        let outcome = try ExploreOutput(request, output, nil, parts: merge.parts).printReport(finalReport, seconds: nil)
        if let mergeError = merge.mergeError { throw ShellError(message: mergeError, reason: .usage) }
        return outcome
    }

    /// Shrinks one scenario of each kind of failure for the page. ^C ends the shrinking.
    private func shortened(
        _ report: ExploreReport, _ request: ExploreRequest, _ explorer: Explorer?, _ line: ExploreLine
    ) async throws -> ExploreReport {
        guard request.report != nil, !report.failures.isEmpty else { return report }
        let shortener = FailureShortener(request, explorer)
        ProgramRun.onInterrupt { shortener.stop() }
        return try await onOwnThread {
            shortener.shortened(report) { line.show("shrinking \($0)") }
        }
    }
}

/// A search on several threads.
///
/// `@unchecked Sendable`: the lock guards the mutable state.
final class ExploreSearch: @unchecked Sendable {
    struct Progress: Sendable {
        var report: ExploreReport
        var seconds: Double
        /// The remaining seconds; nil if only ^C ends the search.
        var left: Double?
    }

    private let request: ExploreRequest
    private let explorer: Explorer
    private let lock = NSLock()
    private var report = ExploreReport()
    private var nextBlock: UInt64
    private let endBlock: UInt64
    private var isStopped = false
    private var failure: (any Error)?
    private let began = ContinuousClock.now
    private(set) var seconds = 0.0

    init(_ request: ExploreRequest, _ explorer: Explorer) {
        self.request = request
        self.explorer = explorer
        let blocks = Explorer.blocks(of: request.seeds ?? 0..<SeedRange.end)
        // A shard of `count` shards searches every `count`-th block.
        nextBlock = blocks.lowerBound
        endBlock = blocks.upperBound
    }

    func stop() { lock.withLock { isStopped = true } }

    func run(_ show: @escaping @Sendable (Progress) -> Void) throws -> ExploreReport {
        DispatchQueue.concurrentPerform(iterations: request.jobs) { _ in searchBlocks(show) }
        seconds = elapsed
        if let failure { throw failure }
        return report
    }

    private var elapsed: Double {
        let duration = ContinuousClock.now - began
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    private func searchBlocks(_ show: @Sendable (Progress) -> Void) {
        while let block = takeBlock() {
            do {
                let found = try explorer.search(block, seeds: request.seeds ?? 0..<SeedRange.end) {
                    [self] _, _, outcome in
                    if outcome.violation != nil, request.untilFailure { stop() }
                    return !isOver
                }
                let progress = lock.withLock {
                    report.merge(found)
                    return Progress(
                        report: report, seconds: elapsed, left: limit.map { max(0, $0 - elapsed) })
                }
                show(progress)
            } catch {
                lock.withLock {
                    failure = failure ?? error
                    isStopped = true
                }
            }
        }
    }

    private var limit: Double? { request.limit.map { Double($0.nanoseconds) / 1e9 } }

    private var isOver: Bool {
        if let limit, elapsed > limit { return true }
        return lock.withLock { isStopped }
    }

    private func takeBlock() -> UInt64? {
        guard !isOver else { return nil }
        return lock.withLock {
            while nextBlock < endBlock {
                defer { nextBlock += 1 }
                guard let shard = request.shard else { return nextBlock }
                if nextBlock % shard.count == shard.index - 1 { return nextBlock }
            }
            return nil
        }
    }
}

/// The progress line of a search. It is not shown if the standard error is not a terminal.
struct ExploreLine: Sendable {
    private let isShown: Bool

    init(isShown: Bool) { self.isShown = isShown && isatty(STDERR_FILENO) == 1 }

    func show(_ progress: ExploreSearch.Progress) {
        guard isShown else { return }
        let report = progress.report
        let rate = progress.seconds > 0 ? Int(Double(report.events) / progress.seconds) : 0
        var summary = "\(report.scenarios) seeds, \(rate) events/s, \(report.coverage.first.count) reached, "
        summary += "\(report.failures.count) kinds of failure"
        if let left = progress.left { summary += ", \(Int(left)) s left" }
        show(summary)
    }

    func show(_ summary: String) {
        guard isShown else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(summary)".utf8))
    }

    func clear() {
        if isShown { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    }
}

/// The output at the end of a search.
struct ExploreOutput {
    private let request: ExploreRequest
    private let output: any ShellOutput
    /// The parts of a search that the report contains.
    private let parts: [SearchPart]
    /// The search; nil for merged reports, because the searches of the parts have already written their recordings.
    private let explorer: Explorer?

    init(
        _ request: ExploreRequest, _ output: any ShellOutput, _ explorer: Explorer?, parts: [SearchPart]? = nil
    ) {
        self.request = request
        self.output = output
        self.explorer = explorer
        self.parts = parts ?? [request.part]
    }

    /// One line of JSON for each kind of failure, before the report.
    private struct FailureLine: Encodable {
        var kind = "failure"
        var failure: ExploreReport.Failure
        /// The shell commands that reproduce and shrink the failure.
        var commands: [String]
    }

    func printReport(_ report: ExploreReport, seconds: Double?) throws -> Outcome {
        var report = report
        // If the page goes to the standard output, the text goes to the standard error.
        let show = request.report.map(OutputFile.isStandardOutput) == true ? output.error : output.line
        if let explorer { try write(&report, explorer) }
        if request.asJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            for failure in report.sortedFailures {
                let line = FailureLine(failure: failure, commands: failure.reproduction)
                output.verbatim(String(decoding: try encoder.encode(line), as: UTF8.self))
            }
            let data = try encoder.encode(ReportLine(parts, report))
            output.verbatim(String(decoding: data, as: UTF8.self))
        } else {
            lines(of: report, seconds).forEach(show)
        }
        // The page is written last, because the report must be printed even if the page cannot be written.
        if let path = request.report {
            try ExplorePageFile.write(report, to: path)
            if !request.asJSON { show("written: \(path)") }
        }
        let isEnough = report.isComplete || !isWholeSearch(report)
        return report.failures.isEmpty && isEnough ? .ok : .failed
    }

    /// True if the search is so large that incomplete coverage counts as a failure.
    private func isWholeSearch(_ report: ExploreReport) -> Bool {
        (request.seeds?.upperBound ?? SeedRange.end) == SeedRange.end && request.canaryAt == nil
            && report.scenarios >= 20_000
    }

    private func lines(of report: ExploreReport, _ seconds: Double?) -> [String] {
        var lines: [String] = []
        for failure in report.sortedFailures {
            let file = failure.file.map { "  \($0)" } ?? ""
            lines.append(
                "\(failure.violation.checker.rawValue) \(failure.violation.rule): \(failure.violation.text)  "
                    + "(\(failure.profile), seed \(failure.seed), event \(failure.violation.event), "
                    + "\(failure.count) times)\(file)")
            // With a corpus, the seed alone gives another scenario.
            let again = request.corpus == nil ? failure.reproduction.last : failure.reproduction.first
            lines += again.map { ["    \($0)"] } ?? []
        }
        var sum = "\(report.scenarios) scenarios, \(report.events) events"
        if let seconds, seconds > 0 {
            let rates = (Int(Double(report.events) / seconds), Int(Double(report.scenarios) / seconds))
            sum += String(format: " in %.1f s", seconds) + ", \(rates.0) events and \(rates.1) scenarios a second"
        }
        lines.append(sum)
        lines.append("\(report.coverage.first.count) items covered (state × input, rules, policies, rare events)")
        let never = report.missingEvents
        if !never.isEmpty { lines.append("rare events not covered: " + never.map(\.rawValue).joined(separator: "; ")) }
        lines += report.unreachedRules.map { "\($0.profile), rules not covered: \($0.rules.joined(separator: " "))" }
        lines += report.unreachedBranches.map {
            "\($0.profile), policy branches not covered: \($0.branches.joined(separator: "; "))"
        }
        return lines
    }

    /// Writes a recording for each kind of failure.
    private func write(_ report: inout ExploreReport, _ explorer: Explorer) throws {
        guard !report.failures.isEmpty, request.canaryAt == nil else { return }
        try FileManager.default.createDirectory(atPath: request.failures, withIntermediateDirectories: true)
        for (group, failure) in report.failures {
            guard let (scenario, _) = try? explorer.scenario(of: failure.seed) else { continue }
            let name = "\(failure.profile)-\(failure.violation.checker.rawValue)-\(failure.seed).pcapng"
            let path = (request.failures as NSString).appendingPathComponent(name)
            let bytes = try ScenarioRecording.bytes(of: scenario, summarize: EventLineFormatter(scenario.profile).line)
            try OutputFile.write(bytes, to: path, overwrites: true)
            report.failures[group]?.file = path
        }
    }
}
