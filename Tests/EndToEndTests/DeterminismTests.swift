import Foundation
import TestSupport
import Testing

/// The same input gives the same bytes in each run.
@Suite(.onOwnThreads) struct DeterminismTests {
    private func record(_ options: [String] = [], environment: [String: String] = [:], in sandbox: Sandbox) throws
        -> Data
    {
        let name = "\(UUID().uuidString).pcapng"
        let result = try sandbox.imrepl(
            ["run", "kick.imr", "--world", "simulated", "--record", name] + options, environment: environment)
        try #require(result.status == 0, "\(result.errors)")
        return try sandbox.data(name)
    }

    @Test func `two runs are byte-identical, independent of hash order`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Scenario.kick, "kick.imr")
        let first = try record(in: sandbox)
        #expect(try record(in: sandbox) == first)
        #expect(try record(environment: ["SWIFT_DETERMINISTIC_HASHING": "1"], in: sandbox) == first)
        #expect(try record(environment: ["TZ": "Asia/Tokyo", "LC_ALL": "de_DE.UTF-8"], in: sandbox) == first)
        // The second sandbox has another path, home folder and start time.
        let other = try Sandbox()
        try other.write(Scenario.kick, "kick.imr")
        #expect(try record(in: other) == first)
    }

    @Test func `another seed gives another run, and the same seed the same run`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Scenario.kick, "kick.imr")
        let second = try record(["--seed", "2"], in: sandbox)
        #expect(try record(["--seed", "2"], in: sandbox) == second)
        #expect(try record(["--seed", "3"], in: sandbox) != second)
        #expect(try record(in: sandbox) == record(["--seed", "1"], in: sandbox))
    }

    @Test func `the epoch sets the wall clock`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Scenario.kick, "kick.imr")
        let data = try record(["--epoch", "2026-02-03T04:05:06Z"], in: sandbox)
        #expect(try record(["--epoch", "1770091506"], in: sandbox) == data)
        try sandbox.write(data, "a.pcapng")
        let times = try sandbox.tool("tshark", "-n", "-r", "a.pcapng", "-T", "fields", "-e", "frame.time_epoch")
        #expect(times.lines.first == "1770091506.000000000")
    }

    // MARK: Searches

    private static let ordered = ["SWIFT_DETERMINISTIC_HASHING": "1"]

    /// Searches 128 seeds of all profiles, or one shard of them.
    ///
    /// - Returns: the report, and the bytes of each stored session by name.
    private func search(_ options: [String] = [], environment: [String: String] = [:], in sandbox: Sandbox) throws
        -> (report: String, sessions: [String: Data])
    {
        let folder = UUID().uuidString
        let result = try sandbox.explore(
            ["--seeds", "0..127", "--json", "--corpus", folder] + options, environment: environment)
        try #require(result.status == 0, "\(result.output)\(result.errors)")
        let files = try sandbox.files(below: folder).map { name in
            ((name as NSString).lastPathComponent, try sandbox.data(name))
        }
        return (result.output, Dictionary(uniqueKeysWithValues: files))
    }

    @Test func `a search does not depend on hash order, the number of threads or its parts`() throws {
        let sandbox = try Sandbox()
        let whole = try search(environment: Self.ordered, in: sandbox)
        #expect(whole.sessions.count > 20)
        // The order of hash tables differs in each process.
        for jobs in ["1", "2"] {
            let again = try search(["--jobs", jobs], in: sandbox)
            #expect(again.report == whole.report, "with \(jobs) jobs")
            #expect(again.sessions == whole.sessions, "with \(jobs) jobs")
        }
        var inParts: [String: Data] = [:]
        for (part, environment) in [("1/2", Self.ordered), ("2/2", [:])] {
            let found = try search(["--shard", part], environment: environment, in: sandbox)
            try sandbox.write(found.report, "part-\(part.prefix(1)).ndjson")
            inParts.merge(found.sessions) { one, _ in one }
        }
        let merged = try sandbox.explore(
            "--merge", "part-2.ndjson", "--merge", "part-1.ndjson", "--json")
        #expect(merged.output == whole.report)
        // A shard also stores a scenario if its coverage was first reached in another shard.
        for (name, data) in whole.sessions { #expect(inParts[name] == data, "\(name)") }
    }
}
