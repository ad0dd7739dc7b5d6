import IMClient
import IMDebugger
import IMExport
import IMProfiles
import IMSimulation
import Recorder
import SansIO
import Testing

/// Plays a phone and a pad in virtual time, in a unit test: no socket, no waiting, the same bytes every time.
@Suite struct ScenarioTests {
    private func play(recordedInto sink: MemorySink? = nil) throws -> (phone: ClientState?, pad: ClientState?) {
        let dialect = try #require(Dialects.named("nim"))
        let configuration = WorldConfiguration(dialect, seed: 7)
        let recording = sink.map {
            Recording(
                sink: $0, path: nil,
                header: SessionHeader(title: "two devices", profile: "nim", application: "example", os: ""),
                epochNanoseconds: configuration.epochNanoseconds)
        }
        let world = try SimulatedWorld(configuration, recording: recording)
        let (phone, pad) = try world.perform { world in
            (try world.addClient("phone", platform: .ios), try world.addClient("pad", platform: .ios))
        }
        for client in [phone, pad] {
            try world.perform { world in
                _ = try world.command(
                    .login(user: "alice", credential: "token-of-alice", mode: .manual), client: client)
            }
            _ = try world.advance(by: .seconds(5)) { _ in false }
        }
        let states = try world.perform { ($0[phone].client?.state, $0[pad].client?.state) }
        try world.shutDown()
        return states
    }

    @Test func `the second device takes the slot of the first`() throws {
        let states = try play()
        #expect(states.phone == .kicked)
        #expect(states.pad == .online)
    }

    @Test func `the same seed gives the same bytes`() throws {
        let (first, second) = (MemorySink(), MemorySink())
        _ = try play(recordedInto: first)
        _ = try play(recordedInto: second)
        #expect(first.bytes == second.bytes)
    }

    @Test func `a scenario is explained and drawn`() throws {
        let sink = MemorySink()
        _ = try play(recordedInto: sink)
        let reader = try SessionReader(bytes: sink.bytes)
        let session = try DebugSession(reader)
        let kick = try #require(try session.first("kind == transition and to == kicked"))
        let cause = try #require(try session.why(kick).verdict.cause)
        #expect(try session.event(cause).node == "pad")

        let diagram = try ExportedSession(reader: reader, path: "two devices").text(as: .mermaid)
        #expect(diagram.hasPrefix("sequenceDiagram"))
    }
}
