import IMSession
import Recorder
import SansIO

// Gives the events so far to another reader: in the recording's file, or in a copy.

extension WorldCore {
    /// Writes all recorded events to the operating system, so that another reader finds them.
    public func flushRecording() throws {
        try recording?.writer.flush()
    }

    /// Writes the kept events into another recording, and leaves it open. This world and its own recording do not
    /// change.
    public func copyPast(into copy: Recording) throws {
        var numbers = EventNumbers()
        for (event, id, cause) in keptEvents() {
            let index = node(named: event.node).map { copy.index(of: $0, named: event.node) } ?? .session
            numbers.note(id, try Self.write(event, into: copy, index, cause: numbers.number(of: cause), ""))
        }
        try copy.writer.flush()
    }

    /// - Returns: the number that the recorder gave the event.
    static func write(
        _ event: SessionEvent, into recording: Recording, _ index: NodeIndex, cause: UInt64, _ comment: String
    ) throws -> UInt64 {
        let writer = recording.writer
        switch event.content {
        case .start(let record):
            return try writer.start(index, payload: try record.payload(), at: event.time, comment: comment)
        case .stop: return writer.stop(index, at: event.time, comment: comment)
        case .input(let input):
            return writer.input(input, node: index, at: event.time, cause: cause, comment: comment)
        case .effect(let effect): return writer.effect(effect, node: index, at: event.time, comment: comment)
        case .environment(let action):
            let payload = IMSessionSchema.environment(action)
            return writer.environment(payload, node: index, at: event.time, comment: comment)
        case .mark(let text): return writer.mark(text, at: event.time)
        case .header, .clock, .keyframe, .closing, .unreadable: return recording.eventCount
        }
    }
}
