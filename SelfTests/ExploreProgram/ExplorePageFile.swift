import Foundation
import IMCheckers
import IMDebugger
import IMExplorer
import IMProfiles
import IMShell

/// The page of a search as a file. A page may replace an earlier page, and no other file.
enum ExplorePageFile {
    /// Is in the head of each page.
    private static let mark = Data(#"<meta name="generator" content="imrepl">"#.utf8)

    /// - Throws: ``ShellError`` if no page can be written.
    static func check(_ path: String) throws {
        if OutputFile.isStream(path) { return }
        // Implemented here, because `deletingLastPathComponent` of Foundation traps on a path such as ".".
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        guard access(String(folder), W_OK) == 0 else { throw ShellError.unwritable(path) }
        // Devices, pipes and sockets contain no page that could be lost.
        var status = stat()
        guard stat(path, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return }
        guard let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: 1024),
            head.range(of: mark) != nil
        else {
            throw ShellError(message: "'\(path)' already exists and is not a page of imrepl", reason: .environment)
        }
        guard access(path, W_OK) == 0 else { throw ShellError.unwritable(path) }
    }

    static func write(_ report: ExploreReport, to path: String) throws {
        try check(path)
        try OutputFile.write(ExplorePage(report).html().utf8, to: path, overwrites: true)
    }
}

/// Finds the shortest scenario of each kind of failure, within limits, because a page may have many.
///
/// `@unchecked Sendable`: the lock guards the mutable state.
final class FailureShortener: @unchecked Sendable {
    /// Less than in `imrepl-explore shrink`, which shrinks only one.
    private static let triesMax = 3000

    private let request: ExploreRequest
    /// The search that found them; nil for merged reports.
    private let explorer: Explorer?
    private let lock = NSLock()
    private var isStopped = false

    init(_ request: ExploreRequest, _ explorer: Explorer?) {
        self.request = request
        self.explorer = explorer
    }

    func stop() { lock.withLock { isStopped = true } }

    private var isOver: Bool { lock.withLock { isStopped } }

    /// - Parameter show: is called with the kind of the next failure.
    func shortened(_ report: ExploreReport, show: (String) -> Void) -> ExploreReport {
        var report = report
        for failure in report.sortedFailures where failure.shortest == nil && !isOver {
            let group = failure.violation.group
            show(group)
            // If a failure cannot be played again, its shortest scenario is omitted.
            report.failures[group]?.shortest = try? shortest(failure)
        }
        return report
    }

    private func shortest(_ failure: ExploreReport.Failure) throws -> [String]? {
        let explorer = explorer ?? Explorer(request.searchSettings(profile: failure.onlyProfile ?? request.profile))
        var (scenario, _) = try explorer.scenario(of: failure.seed)
        // The steps that heal the network and log all clients out may be removed, too.
        if let dialect = Dialects.named(scenario.profile) { scenario.steps += scenario.ending(dialect) }
        let keeps = Shrinker.keeping(
            failure.violation, selfChecks: SearchSettings.allSelfChecks, canaryAt: request.canaryAt)
        guard keeps(scenario) else { return nil }
        var shrinker = Shrinker(scenario, triesMax: Self.triesMax) { [self] in !isOver && keeps($0) }
        let violation = failure.violation
        return try ScenarioScript(
            shrinker.shrink().scenario, title: "\(violation.rule): \(violation.kind)",
            // The checker that fails on purpose does not exist in scripts.
            check: violation.checker == .canary ? nil : ShrinkCommand.rulesCheck, recording: "\(failure.seed).pcapng"
        ).lines
    }
}
