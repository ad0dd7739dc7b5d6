import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSimulation
import Recorder
import SansIO

/// Three clients that log in and then only send heartbeats. Nearly all events of a long session are of this kind.
struct Scenario {
    let world: SimulatedWorld

    /// - Parameters:
    ///   - sink: stores the recording; nil for no recording.
    ///   - comments: true if each event gets a comment. The texts of the comments come from the shell, and are measured
    ///     with the built program (`SelfTests/Benchmarks/run`).
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

    /// Advances the virtual time.
    ///
    /// - Returns: the number of events in that time.
    @discardableResult
    func pass(hours: Int64) -> Int {
        let before = world.core.eventsSeen
        _ = world.run(until: world.core.now + .minutes(60 * hours)) { _ in false }
        return world.core.eventsSeen - before
    }

    /// The bytes of a session file with this scenario.
    static func recorded(hours: Int64) throws -> [UInt8] {
        let sink = MemorySink()
        let scenario = try Scenario("agora-rtm", into: sink)
        scenario.pass(hours: hours)
        try scenario.world.shutDown()
        return sink.bytes
    }
}

/// Discards all bytes.
final class NoSink: ByteSink {
    func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {}
    func close() throws(SessionError) {}
}
