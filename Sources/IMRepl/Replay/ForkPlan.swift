import Foundation
import IMDialects
import IMScript
import IMSimulation
import Recorder
import SansIO

/// Where a world goes on from: an event of a recording.
struct ForkOrigin: Sendable {
    let decoded: DecodedSession
    /// The file, as the user named it.
    let file: String
    /// The event behind which it goes on, or the one that is changed.
    let number: UInt64
    /// What is done to that event, as it was typed; nil for a fork by hand.
    var change: String?

    /// What a session says of the one that it comes from: its name, without the folders of whoever made it.
    var parameters: [(key: String, value: String)] {
        let name = URL(filePath: file).lastPathComponent
        return [("fork-of", name), ("fork-event", String(number))] + (change.map { [("fork-change", $0)] } ?? [])
    }
}

extension WorldPlan {
    /// The simulated world in which a recording goes on, with the recording's own numbers.
    init(goingOnFrom header: SessionHeader) throws {
        let settings = WorldSettings(
            profile: header.profile, world: .simulated, connect: nil, seed: header["seed"].flatMap { UInt64($0) },
            timeScale: header["time-scale"].flatMap { Double($0) }, recording: .off,
            isStrict: header["strict"] == "true", epochNanoseconds: header.epochNanoseconds, readsRC: false,
            watchdog: nil, common: CommonSettings(color: .never, dataFolder: nil))
        try self.init(
            settings, head: ScriptMetadata(), defaultKind: .simulated, isScripted: true, title: header.title)
    }

    /// Begins a recording of what comes of a change.
    func recording(at path: String?) throws -> Recording? {
        try path.map { path in
            try Self.requireFree(path)
            return try RecordingFiles(dataFolder: dataFolder).begin(self, path: path)
        }
    }

    /// What comes of a fork overwrites nothing: the recording that it comes from may be in that very file.
    static func requireFree(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        throw CommandFailure("'\(path)' is there already and is not overwritten: give --record another name")
    }
}
