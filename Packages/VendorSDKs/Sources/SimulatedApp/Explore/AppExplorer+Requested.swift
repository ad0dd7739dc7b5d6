import Foundation
import IMShell

/// The part of a search that `imrepl app search` requests of a test run, in the environment.
struct RequestedSearch {
    var first: UInt64 = 0
    var count: UInt64 = 200
    /// The distance between seeds: every `stride`-th one, from the first.
    var stride: UInt64 = 1
    var offset: UInt64 = 0
    /// True to report the progress on the standard output, line by line.
    var reportsProgress = false
    /// The folder of the scenarios to begin from; nil for none.
    var corpus: String?

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        let numbers = environment[AppSearchLine.variable]?.split(separator: " ").compactMap { UInt64($0) } ?? []
        guard numbers.count == 4, numbers[2] > 0 else { return }
        (first, count, stride, offset, reportsProgress) = (numbers[0], numbers[1], numbers[2], numbers[3], true)
        corpus = environment[AppSearchLine.corpusVariable]
    }

    var seeds: [UInt64] {
        Swift.stride(from: offset, to: count, by: UInt64.Stride(stride)).map { first + $0 }
    }

    func report(_ object: [String: String]) {
        guard reportsProgress, let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
        else {
            return
        }
        FileHandle.standardOutput.write(Data("\n\(AppSearchLine.mark)".utf8) + data + Data("\n".utf8))
    }
}

extension AppExplorer {
    /// Plays the seeds that `imrepl app search` requests, or 200 in a test run of its own. With a corpus, its scenarios
    /// come first, and half of the seeds continue one of them.
    ///
    /// - Parameter folder: the folder for each failure, as a test and as a session.
    /// - Returns: a failure for each kind of violation.
    public func search(failuresIn folder: String? = nil) async throws -> [Failure] {
        let requested = RequestedSearch()
        var failures: [Failure] = []
        var known: Set<String> = []
        var corpus = try requested.corpus.map(AppCorpus.init)
        func play(_ scenario: AppScenario, _ seed: UInt64) async throws {
            failures += try await search(
                scenario, seed, besides: &known, failuresIn: folder,
                number: requested.reportsProgress ? Int(clamping: seed) : nil, corpus: &corpus
            ) { failure in
                requested.report([
                    "seed": "\(failure.seed)", "kind": failure.violation.kind, "text": "\(failure.violation)",
                    "scenario": "\(failure.scenario)", "test": failure.files?.test ?? "",
                    "session": failure.files?.session ?? "", "hint": failure.files?.hint ?? "",
                ])
            }
        }
        let stored = (corpus?.entries ?? []).enumerated().filter {
            UInt64($0.offset) % requested.stride == requested.offset % requested.stride
        }
        for entry in stored.map(\.element) { try await play(entry.scenario, entry.seed) }
        for (index, seed) in requested.seeds.enumerated() {
            try await play(scenario(seed, corpus: corpus), seed)
            requested.report(["done": "\(index + 1)"])
        }
        requested.report(["end": "\(stored.count + requested.seeds.count)"])
        return failures
    }
}
