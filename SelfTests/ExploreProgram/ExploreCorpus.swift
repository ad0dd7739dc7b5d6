import Foundation
import IMCheckers
import IMDebugger
import IMExplorer
import IMSession
import IMShell
import IMSimulation
import Recorder

/// A folder of recordings that earlier searches kept because of their coverage. A search starts with them, and adds
/// recordings with new coverage.
struct ExploreCorpus {
    private let folder: String

    init(_ folder: String) { self.folder = folder }

    /// The scenarios of the recordings, sorted by file name. If a profile is given, recordings of other profiles are
    /// skipped. Files that are no recordings are skipped.
    func scenarios(profile: String?) -> [Scenario] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
        return names.filter { $0.hasSuffix(".pcapng") }.compactMap { name in
            let path = (folder as NSString).appendingPathComponent(name)
            guard let reader = try? RecordingFiles.open(path), let scenario = try? Scenario(DecodedSession(reader)),
                profile == nil || scenario.profile == profile
            else { return nil }
            return scenario
        }
    }

    /// Writes the scenarios that were the first to reach a coverage key.
    ///
    /// - Returns: the number of new files.
    func add(_ report: ExploreReport, _ explorer: Explorer) throws -> Int {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var count = 0
        let seeds = Set(report.coverage.first.values)
        // A scenario depends on the earlier seeds of its block. So each block is searched once for all its scenarios.
        for (block, seeds) in Dictionary(grouping: seeds, by: { $0 / Explorer.blockLength }) {
            let last = seeds.max() ?? 0
            _ = try explorer.search(block, seeds: (block * Explorer.blockLength)..<(last + 1)) {
                seed, scenario, outcome in
                if outcome.violation == nil, seeds.contains(seed), try write(scenario, of: seed) { count += 1 }
                return true
            }
        }
        return count
    }

    /// - Returns: false if a file of this name exists.
    private func write(_ scenario: Scenario, of seed: UInt64) throws -> Bool {
        let path = (folder as NSString).appendingPathComponent("\(scenario.profile)-\(seed).pcapng")
        guard !FileManager.default.fileExists(atPath: path) else { return false }
        let bytes = try ScenarioRecording.bytes(
            of: scenario, heals: false, summarize: EventLineFormatter(scenario.profile).line)
        try OutputFile.write(bytes, to: path, overwrites: false)
        return true
    }
}
