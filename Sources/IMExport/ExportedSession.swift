import IMProfiles
import IMSession
import Recorder

/// A recording that an export reads.
public struct ExportedSession {
    /// Reads the recording's events.
    public let reader: SessionReader
    /// The path of the recording. Errors contain the path. An export contains only the file name.
    public let path: String
    let dialect: any Dialect

    /// - Parameter path: the path of the recording, for errors and for the file name in the export.
    /// - Throws: ``ExportError`` for a recording that this version cannot read.
    public init(reader: SessionReader, path: String) throws(ExportError) {
        do throws(SessionError) {
            // The events are read from the file, and only their texts come from this version. So a recording of another
            // behaviour version can be exported.
            try reader.requireFormat(of: IMSessionSchema(), sameBehaviour: false)
        } catch {
            throw ExportError(.unreadable, "\(path): \(error)")
        }
        do { dialect = try reader.header.dialect() } catch { throw ExportError(.unreadable, "\(path): \(error)") }
        self.reader = reader
        self.path = path
    }

    /// Calls `body` for every event of the recording, in order, with the event's formatted texts.
    func forEach(_ body: (EventView, SessionEvent, EventFormatter.FormattedEvent, EventFormatter) throws -> Void) throws
    {
        let formatter = EventFormatter(dialect: dialect)
        let schema = IMSessionSchema()
        let scanner = reader.makeScanner()
        while let view = try scanner.next() {
            let event = SessionEvent(view, node: reader.name(of: view.node), schema: schema)
            try body(view, event, formatter.format(event), formatter)
        }
    }
}

/// The reason why an export failed, in one line.
public struct ExportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure of an export.
    public enum Reason: Hashable, Sendable {
        /// The recording is damaged, or this version does not have its format or its profile.
        case unreadable
        /// The recording's contents cannot be expressed in this format.
        case impossible
        /// A replay with the machines of this version gives other effects than the recording contains.
        case diverged
    }

    /// The kind of failure.
    public let reason: Reason
    /// The message for people. It contains the path of the recording.
    public let description: String

    package init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
