import IMDebugger
import Recorder
import TestSupport
import Testing

@testable import IMRepl
@testable import IMSimulation

/// The recorded events of a fork are written at once.
@Suite struct ForkRecordingTests {
    @Test func `a killed fork leaves all its events`() throws {
        let sandbox = try Sandbox()
        let path = sandbox.file("fork.pcapng")
        let session = try SessionLibrary.replay("readme")
        try session.beginFork(after: 20, record: path)
        let fork = try #require(session.currentFork)
        for line in ["net down", "wait 3s", "net up", "wait 10s"] {
            #expect(try fork.execute(fork.shell.checked(try #require(try Statement.parse(line)))))
            // The file as another process would see it after a kill.
            let written = try SessionReader(path: path).eventCount
            let recorded = try fork.shell.world.perform { $0.recording?.eventCount }
            #expect(written == recorded, "behind '\(line)'")
        }
        try session.endFork()
    }
}
