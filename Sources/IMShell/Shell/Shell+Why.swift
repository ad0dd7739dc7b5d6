import Foundation
import IMDebugger
import IMSimulation
import Recorder

// `why` and `why-not`. The answers come from the current recording, so they are the same as in a replay.

extension Shell {
    package func why(_ number: UInt64?, client name: String?) throws {
        let session = try pastSession()
        let start = try number ?? lastOutcome(in: session, of: name)
        guard start <= session.count else {
            throw CommandFailure("there is no event \(start) yet; the last one is \(session.count)")
        }
        try convertingErrors {
            try ExplanationPrinter(session, output: output) { self.printed.append($0) }.explain(start)
        }
    }

    package func whyNot(_ condition: String, client name: String?) throws {
        let session = try pastSession()
        try convertingErrors {
            try ExplanationPrinter(session, output: output) { self.printed.append($0) }.explainWhyNot(
                try ReplayCondition(condition), node: name)
        }
    }

    private func convertingErrors(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as DebuggerError {
            throw CommandFailure(error.description)
        }
    }

    private func currentName() throws -> String? {
        guard let name = currentClient else { return nil }
        return try world.perform { core in core.node(named: name).map { core[$0].name } }
    }

    private func lastOutcome(in session: DebugSession, of name: String?) throws -> UInt64 {
        let nodeName = try name ?? currentName()
        let node = nodeName.flatMap { session.reader.node(named: $0) }
        if let name, node == nil { throw CommandFailure("'\(name)' has no events yet") }
        guard let found = try session.lastOutcome(of: node) else {
            throw CommandFailure(
                "no client has changed its state and no command has failed yet; 'why N' explains an event")
        }
        return found
    }

    /// A debug session with all events up to now, positioned at the last event.
    private func pastSession() throws -> DebugSession {
        let reader: SessionReader
        do {
            if let path = recordingPath {
                try world.perform { try $0.flushRecording() }
                reader = try SessionReader(path: path)
            } else {
                guard try world.perform({ $0.hasAllEvents }) else {
                    throw CommandFailure(
                        "the session is too long to explain without a recording; start imrepl with '--record FILE'")
                }
                let copy = EventCopy()
                let (header, epoch) = (plan.header, plan.epochNanoseconds)
                try world.perform { core in
                    let recording = Recording(
                        sink: copy.sink, path: nil, header: header, epochNanoseconds: epoch, recordsComments: false)
                    try core.copyPast(into: recording)
                }
                reader = try SessionReader(bytes: copy.sink.bytes)
            }
            let session = try DebugSession(reader)
            session.present = try world.perform { $0.now }
            try session.timeline.go(to: session.count)
            return session
        } catch let error as SessionError {
            throw CommandFailure("the events cannot be read: \(error)")
        } catch let error as DebuggerError {
            throw CommandFailure(error.description)
        }
    }

    /// The copy of the events. `@unchecked Sendable`: the world's thread writes it, and this thread reads it
    /// afterwards.
    private final class EventCopy: @unchecked Sendable {
        let sink = MemorySink()
    }
}
