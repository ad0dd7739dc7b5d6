import IMProfiles
import IMSession
import Recorder

/// A recording that is read for an export.
public struct ExportedSession {
    /// The recording.
    public let reader: SessionReader
    /// What it is called where an export names it.
    public let path: String
    let dialect: any Dialect

    /// - Parameter path: what it is called where the export names it.
    /// - Throws: ``ExportError`` for what this version cannot read.
    public init(reader: SessionReader, path: String) throws(ExportError) {
        do throws(SessionError) {
            // Only the words come from this version; what the file says is the file's.
            try reader.requireFormat(of: IMSessionSchema(), sameBehaviour: false)
        } catch {
            throw ExportError(.unreadable, "\(path): \(error)")
        }
        do { dialect = try reader.header.dialect() } catch { throw ExportError(.unreadable, "\(path): \(error)") }
        self.reader = reader
        self.path = path
    }

    /// Shows every event with its words, in order.
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

/// Why an export cannot be made, in one line.
public struct ExportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of obstacle it is.
    public enum Reason: Hashable, Sendable {
        /// The recording is damaged, or of machines that this version does not know.
        case unreadable
        /// What is in the recording has no such form.
        case impossible
        /// The machines of this version do something else than the recording says.
        case diverged
    }

    /// What kind of obstacle it is.
    public let reason: Reason
    /// The line for people, with the path.
    public let description: String

    package init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}
