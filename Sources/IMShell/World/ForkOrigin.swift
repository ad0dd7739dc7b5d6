import Foundation
import IMDebugger
import IMProfiles
import IMSession
import IMSimulation
import Recorder
import SansIO

/// The event of a recording from which a world continues.
package struct ForkOrigin: Sendable {
    let decoded: DecodedSession
    /// The file, as the user named it.
    let file: String
    /// The number of the event after which it continues, or of the changed event.
    package let number: UInt64
    /// The change of that event, as it was typed; nil for a fork by hand.
    var change: String?

    package init(decoded: DecodedSession, file: String, number: UInt64, change: String? = nil) {
        self.decoded = decoded
        self.file = file
        self.number = number
        self.change = change
    }

    /// The origin in a session's header: only the file's name, without the folders of the person who made it.
    var parameters: [(key: String, value: String)] {
        let name = URL(filePath: file).lastPathComponent
        return [("fork-of", name), ("fork-event", String(number))] + (change.map { [("fork-change", $0)] } ?? [])
    }
}

extension WorldPlan {
    /// The simulated world in which a recording continues, with the recording's own parameters.
    package init(goingOnFrom header: SessionHeader) throws {
        var settings = WorldSettings()
        settings.profile = header.profile
        settings.kind = .simulated
        settings.seed = header["seed"].flatMap { UInt64($0) }
        settings.order = header["order"].flatMap(DueOrder.init)
        settings.timeScale = header["time-scale"].flatMap(TimeScale.factor)
        settings.isStrict = header["strict"] == "true"
        settings.epochNanoseconds = header.epochNanoseconds
        try self.init(
            settings, head: ScriptMetadata(), defaultKind: .simulated, isScripted: true, title: header.title)
    }

    /// Starts a recording of a change's effects.
    package func recording(at path: String?) throws -> Recording? {
        try path.map { path in
            try Self.requireFree(path)
            return try RecordingFiles(dataFolder: settings.dataFolder).begin(self, path: path)
        }
    }

    /// A fork overwrites no file, because that file may be the recording of its origin.
    package static func requireFree(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        throw CommandFailure("'\(path)' already exists and is not overwritten; give --record another name")
    }
}
