import IMDebugger
import Recorder
import TestSupport
import Testing

@testable import IMRepl
@testable import IMSimulation

/// Tests that the events of a recorded fork are written to the file at once.
@Suite struct ForkRecordingTests {
    @Test func `a killed fork leaves all its events`() throws {
        let sandbox = try Sandbox()
        let path = sandbox.file("fork.pcapng")
        let session = try SessionLibrary.replay("readme")
        try session.beginFork(after: 20, record: path)
        let fork = try #require(session.currentFork)
        for line in ["net down", "wait 3s", "net up", "wait 10s"] {
            #expect(try fork.execute(fork.shell.checked(try #require(try Statement.parse(line)))))
            // Another process reads the file, as after a kill of the fork.
            let written = try SessionReader(path: path).eventCount
            let recorded = try fork.shell.world.perform { $0.recording?.eventCount }
            #expect(written == recorded, "behind '\(line)'")
        }
        try session.endFork()
    }
}
