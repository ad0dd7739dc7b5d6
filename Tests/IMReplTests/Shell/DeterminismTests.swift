import Foundation
import Recorder
import Testing

@testable import IMRepl
@testable import IMShell

/// The same script with the same seed gives the same bytes in any process. Another seed gives other bytes.
@Suite struct DeterminismTests {
    @Test(arguments: SessionLibrary.scripts) func aScriptEqualsItsRecording(_ name: String) throws {
        let recording = SessionLibrary.recordingPath(name.dropLast(4))
        let kept = try #require(FileManager.default.contents(atPath: recording), "no recording beside \(name)")
        #expect(
            try record(name, seed: nil) == Array(kept),
            "the run differs from the recording; take the new one with 'imrepl test --update'")
    }

    @Test func anotherSeedGivesAnotherSession() throws {
        let name = try #require(SessionLibrary.scripts.first)
        #expect(try record(name, seed: 7) != record(name, seed: 8))
    }

    private func record(_ name: String, seed: UInt64?) throws -> [UInt8] {
        let script = try SessionLibrary.read(name)
        var settings = WorldSettings.forTests
        settings.seed = seed
        settings.epochNanoseconds = nil
        return try Played.recording(of: script, settings)
    }
}
