import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSimulation
import Recorder
import SansIO

/// Three clients that log in and then only send their heartbeats: what nearly all of a long session is.
struct Scenario {
    let world: SimulatedWorld

    /// - Parameters:
    ///   - sink: nil records nothing.
    ///   - comments: whether each event gets a line. The words themselves are the shell's, and are measured with the
    ///     built program (`SelfTests/Benchmarks/run`).
    init(_ profile: String, into sink: (any ByteSink)? = nil, comments: Bool = false) throws {
        guard let dialect = Dialects.named(profile) else { throw Unknown(profile: profile) }
        let recording = sink.map { sink in
            Recording(
                sink: sink, path: nil,
                header: SessionHeader(title: "three idle clients", profile: profile, application: "benchmark", os: ""),
                epochNanoseconds: 0, recordsComments: comments)
        }
        var configuration = WorldConfiguration(dialect)
        configuration.epochNanoseconds = 0
        world = try SimulatedWorld(
            configuration, recording: recording, store: MemoryClientStore(),
            summarize: { "\($0.node) → heartbeat" })
        for (client, user) in [("a", "ann"), ("b", "ben"), ("c", "cleo")] {
            let id = try world.core.addClient(client, platform: .ios)
            let credential = world.core.vault.reference(for: user)
            try world.core.command(.login(user: user, credential: credential, mode: .manual), client: id)
        }
    }

    struct Unknown: Error {
        var profile: String
    }

    /// Lets time pass.
    ///
    /// - Returns: how many events there were.
    @discardableResult
    func pass(hours: Int64) -> Int {
        let before = world.core.eventsSeen
        _ = world.run(until: world.core.now + .minutes(60 * hours)) { _ in false }
        return world.core.eventsSeen - before
    }

    /// A session of the scenario, as a file has it.
    static func recorded(hours: Int64) throws -> [UInt8] {
        let sink = MemorySink()
        let scenario = try Scenario("agora-rtm", into: sink)
        scenario.pass(hours: hours)
        try scenario.world.shutDown()
        return sink.bytes
    }
}

/// Takes bytes and keeps none.
final class NoSink: ByteSink {
    func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {}
    func close() throws(SessionError) {}
}
