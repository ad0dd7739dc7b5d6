import IMSimulation
import Recorder
import Testing

@testable import IMRepl
@testable import IMSession

/// A recording of the library, and the configuration of a world in which it can run again.
struct ScenarioHarness {
    let decoded: DecodedSession
    let configuration: WorldConfiguration

    /// - Parameter name: the recording's name, without its extension.
    init(_ name: String) throws {
        try self.init(SessionReader(path: SessionLibrary.recordingPath(name)))
    }

    /// - Parameter script: a script whose run gives the recording.
    init(playing script: String) throws {
        try self.init(SessionReader(bytes: try Played.recording(script)))
    }

    private init(_ reader: SessionReader) throws {
        decoded = try DecodedSession(reader)
        configuration = try WorldConfiguration(continuing: reader.header)
    }

    func outcome(_ change: WhatIf.Change, at number: UInt64) throws -> WhatIfOutcome {
        try WhatIf(decoded, change, at: number).run(configuration)
    }

    /// The outcome of a change, and all events of the changed scenario.
    func altered(
        _ change: WhatIf.Change, at number: UInt64
    ) throws -> (outcome: WhatIfOutcome, events: [SessionEvent]) {
        let sink = MemorySink()
        let recording = Recording(
            sink: sink, path: nil, header: decoded.header, epochNanoseconds: configuration.epochNanoseconds)
        let outcome = try WhatIf(decoded, change, at: number).run(configuration, recording: recording)
        return (outcome, try DecodedSession(SessionReader(bytes: sink.bytes)).events)
    }

    /// The error for an impossible change; nil if the change is possible.
    func rejectionReason(_ change: WhatIf.Change, at number: UInt64) -> String? {
        do {
            _ = try WhatIf(decoded, change, at: number)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// The number of the first event that satisfies the condition.
    func first(_ condition: (SessionEvent) -> Bool) throws -> UInt64 {
        let found = decoded.events.first(where: condition)
        return try #require(found).number
    }
}
