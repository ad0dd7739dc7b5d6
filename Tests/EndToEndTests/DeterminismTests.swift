import Foundation
import TestSupport
import Testing

/// The same input gives the same bytes.
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

    @Test func `two runs are the same byte for byte, whatever the order of hashes`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(Scenario.kick, "kick.imr")
        let first = try record(in: sandbox)
        #expect(try record(in: sandbox) == first)
        #expect(try record(environment: ["SWIFT_DETERMINISTIC_HASHING": "1"], in: sandbox) == first)
        #expect(try record(environment: ["TZ": "Asia/Tokyo", "LC_ALL": "de_DE.UTF-8"], in: sandbox) == first)
        // Another sandbox has another path, home and time.
        let other = try Sandbox()
        try other.write(Scenario.kick, "kick.imr")
        #expect(try record(in: other) == first)
    }

    @Test func `another seed is another run, and the same one again is not`() throws {
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
}
