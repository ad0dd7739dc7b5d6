import Foundation
import IMExplorer
import IMScript
import IMSession
import IMShell
import IMSimulation
import Recorder

/// A folder of recordings that earlier searches kept because they reached something: a search begins from them, and adds
/// what reached something that none of its own had.
struct ExploreCorpus {
    private let folder: String

    init(_ folder: String) { self.folder = folder }

    /// The scenarios of the recordings, in the order of their names; of one system where one is given. A file that is no
    /// recording of a scenario is passed over.
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

    /// Writes the scenarios that were the first to reach something.
    ///
    /// - Returns: how many are new.
    func add(_ report: ExploreReport, _ explorer: Explorer) throws -> Int {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var count = 0
        for seed in Set(report.coverage.first.values).sorted() {
            let (scenario, outcome) = try explorer.scenario(of: seed)
            let path = (folder as NSString).appendingPathComponent("\(scenario.profile)-\(seed).pcapng")
            guard outcome.violation == nil, !FileManager.default.fileExists(atPath: path) else { continue }
            let bytes = try ScenarioRecording.bytes(
                of: scenario, heals: false, summarize: EventLines(scenario.profile).line)
            guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
                throw ShellError.unwritable(path)
            }
            count += 1
        }
        return count
    }
}
