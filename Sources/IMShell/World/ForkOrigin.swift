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
    /// The path of the recording, as the user typed it.
    let file: String
    /// The number of the event after which the world continues, or of the changed event.
    package let number: UInt64
    /// The change of the event, as the user typed it; nil for the command `fork`.
    var change: String?

    package init(decoded: DecodedSession, file: String, number: UInt64, change: String? = nil) {
        self.decoded = decoded
        self.file = file
        self.number = number
        self.change = change
    }

    /// The origin, as parameters in the header of the new session. It contains only the name of the file, because the
    /// folders would reveal private data.
    var parameters: [(key: String, value: String)] {
        let name = URL(filePath: file).lastPathComponent
        return [("fork-of", name), ("fork-event", String(number))] + (change.map { [("fork-change", $0)] } ?? [])
    }
}

extension WorldPlan {
    /// The plan of a simulated world that continues a recording, with the parameters of the recording.
    package init(continuing header: SessionHeader) throws {
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

    /// Starts a recording of this world; nil if there is no path.
    package func recording(at path: String?) throws -> Recording? {
        try path.map { path in
            try Self.requireFree(path)
            return try RecordingFiles(dataFolder: settings.dataFolder).begin(self, path: path)
        }
    }

    /// Throws an error if a file exists at the path. A fork never overwrites a file, because it could be the recording
    /// from which it continues.
    package static func requireFree(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        throw CommandFailure("'\(path)' already exists and is not overwritten; give --record another name")
    }
}
