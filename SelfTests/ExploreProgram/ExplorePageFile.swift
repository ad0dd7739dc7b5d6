import Foundation
import IMCheckers
import IMDebugger
import IMExplorer
import IMProfiles
import IMShell

/// The page of a search as a file. Writing a page may replace an earlier page, but no other file.
enum ExplorePageFile {
    /// A mark in the head of each page, by which an earlier page is recognized.
    private static let mark = Data(#"<meta name="generator" content="imrepl">"#.utf8)

    /// - Throws: ``ShellError`` if no page can be written.
    static func check(_ path: String) throws {
        if OutputFile.isStream(path) { return }
        // Implemented here, because `deletingLastPathComponent` of Foundation traps on a path such as ".".
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        guard access(String(folder), W_OK) == 0 else { throw ShellError.unwritable(path) }
        // Devices, pipes and sockets have no content that could be lost.
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

/// Shrinks one scenario of each kind of failure. The number of tries is limited, because a page may have many failures.
///
/// `@unchecked Sendable`: the lock guards the mutable state.
final class FailureShortener: @unchecked Sendable {
    /// The limit is lower than in `imrepl-explore shrink`, which shrinks only one scenario.
    private static let triesMax = 3000

    private let request: ExploreRequest
    /// The search that found the failures; nil for merged reports.
    private let explorer: Explorer?
    private let lock = NSLock()
    private var isStopped = false

    init(_ request: ExploreRequest, _ explorer: Explorer?) {
        self.request = request
        self.explorer = explorer
    }

    func stop() { lock.withLock { isStopped = true } }

    private var isOver: Bool { lock.withLock { isStopped } }

    /// - Parameter show: is called with the kind of each failure before it is shrunk.
    func shortened(_ report: ExploreReport, show: (String) -> Void) -> ExploreReport {
        var report = report
        for failure in report.sortedFailures where failure.shortest == nil && !isOver {
            let group = failure.violation.group
            show(group)
            // If a failure cannot be reproduced, the page has no shortest scenario for it.
            report.failures[group]?.shortest = try? shortest(failure)
        }
        return report
    }

    private func shortest(_ failure: ExploreReport.Failure) throws -> [String]? {
        let explorer = explorer ?? Explorer(request.searchSettings(profile: failure.onlyProfile ?? request.profile))
        var (scenario, _) = try explorer.scenario(of: failure.seed)
        // The steps of the second phase, in which the network works and all clients log out, may also be removed.
        if let dialect = Dialects.named(scenario.profile) { scenario.steps += scenario.ending(dialect) }
        let keeps = Shrinker.keeping(
            failure.violation, selfChecks: SearchSettings.allSelfChecks, canaryAt: request.canaryAt)
        guard keeps(scenario) else { return nil }
        var shrinker = Shrinker(scenario, triesMax: Self.triesMax) { [self] in !isOver && keeps($0) }
        let violation = failure.violation
        return try ScenarioScript(
            shrinker.shrink().scenario, title: "\(violation.rule): \(violation.kind)",
            // The canary checker reports a violation on purpose. A script cannot check for that violation.
            check: violation.checker == .canary ? nil : ShrinkCommand.rulesCheck, recording: "\(failure.seed).pcapng"
        ).lines
    }
}
