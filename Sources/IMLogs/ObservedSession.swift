import Foundation
import IMSession
import Recorder
import SansIO

/// Converts a log to a session.
public struct ObservedSession {
    private let log: ObservedLog
    private let name: String

    /// - Parameter path: the path of the log. The session gets the name of the file.
    public init(_ log: ObservedLog, of path: String) {
        self.log = log
        name = URL(fileURLWithPath: path).lastPathComponent
    }

    /// Writes the session.
    ///
    /// - Throws: `SessionError` if the sink cannot be written.
    public func write(to sink: any ByteSink) throws {
        let header = SessionHeader(
            title: "observed in \(name)", profile: log.profile ?? "nim", application: "imrepl \(Version.number)",
            os: "",
            parameters: [
                ("world", SessionHeader.observedWorld), ("log", name), ("lines", String(log.lineCount)),
                ("understood", String(log.understoodCount)), ("not-understood", String(log.unknownCount)),
                ("processes", String(log.processCount)), ("zone", log.isLocal ? "unknown" : "known"),
            ] + (log.hasTimes ? [] : [("times", "unknown")]))
        let writer = SessionWriter(sink: sink, schema: IMSessionSchema(), header: header, epochNanoseconds: log.start)
        let node = writer.addNode("device")
        var last = Instant.zero
        for entry in log.entries {
            last = Instant(nanoseconds: entry.offset)
            let event = entry.event
            writer.environment(
                IMSessionSchema.environment(.observed(event)), node: node, channel: event.channel, at: last,
                comment: "device \(event.summary)")
        }
        if log.unstoredCount > 0 {
            writer.mark("\(log.unstoredCount) more lines were not understood and are not stored", at: last)
        }
        try writer.log.close(at: last)
    }

    /// Writes the session to memory and opens it.
    public func reader() throws -> SessionReader {
        let sink = MemorySink()
        try write(to: sink)
        return try SessionReader(bytes: sink.bytes)
    }
}
