import IMProfiles
import IMSession
import Recorder

/// A recording that is read for an export.
public struct ExportedSession {
    /// The recording.
    public let reader: SessionReader
    /// Its name in the export.
    public let path: String
    let dialect: any Dialect

    /// - Parameter path: its name in the export.
    /// - Throws: ``ExportError`` for a recording that this version cannot read.
    public init(reader: SessionReader, path: String) throws(ExportError) {
        do throws(SessionError) {
            // Only the texts come from this version; the events come from the file.
            try reader.requireFormat(of: IMSessionSchema(), sameBehaviour: false)
        } catch {
            throw ExportError(.unreadable, "\(path): \(error)")
        }
        do { dialect = try reader.header.dialect() } catch { throw ExportError(.unreadable, "\(path): \(error)") }
        self.reader = reader
        self.path = path
    }

    /// Passes every event with its texts, in order.
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
    /// The kind of failure.
    public enum Reason: Hashable, Sendable {
        /// The recording is damaged, or its machines have an unknown version.
        case unreadable
        /// The recording's contents cannot be expressed in this format.
        case impossible
        /// The machines of this version do something else than the recording contains.
        case diverged
    }

    /// The kind of failure.
    public let reason: Reason
    /// The message for people, with the path.
    public let description: String

    package init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
