import Foundation
import IMDebugger
import IMProfiles
import IMSession
import IMSimulation
import Recorder
import SansIO

/// Where a world goes on from: an event of a recording.
package struct ForkOrigin: Sendable {
    let decoded: DecodedSession
    /// The file, as the user named it.
    let file: String
    /// The event behind which it goes on, or the one that is changed.
    package let number: UInt64
    /// What is done to that event, as it was typed; nil for a fork by hand.
    var change: String?

    package init(decoded: DecodedSession, file: String, number: UInt64, change: String? = nil) {
        self.decoded = decoded
        self.file = file
        self.number = number
        self.change = change
    }

    /// What a session says of the one that it comes from: its name, without the folders of whoever made it.
    var parameters: [(key: String, value: String)] {
        let name = URL(filePath: file).lastPathComponent
        return [("fork-of", name), ("fork-event", String(number))] + (change.map { [("fork-change", $0)] } ?? [])
    }
}

extension WorldPlan {
    /// The simulated world in which a recording goes on, with the recording's own numbers.
    package init(goingOnFrom header: SessionHeader) throws {
        var request = WorldRequest()
        request.profile = header.profile
        request.world = .simulated
        request.seed = header["seed"].flatMap { UInt64($0) }
        request.order = header["order"].flatMap(DueOrder.init)
        request.timeScale = header["time-scale"].flatMap(TimeScale.factor)
        request.isStrict = header["strict"] == "true"
        request.epochNanoseconds = header.epochNanoseconds
        try self.init(
            request, head: ScriptMetadata(), defaultKind: .simulated, isScripted: true, title: header.title)
    }

    /// Begins a recording of what comes of a change.
    package func recording(at path: String?) throws -> Recording? {
        try path.map { path in
            try Self.requireFree(path)
            return try RecordingFiles(dataFolder: dataFolder).begin(self, path: path)
        }
    }

    /// What comes of a fork overwrites nothing: the recording that it comes from may be in that very file.
    package static func requireFree(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        throw CommandFailure("'\(path)' is there already and is not overwritten: give --record another name")
    }
}
