import Foundation
import IMClient
import IMDebugger
import IMExport
import IMProfiles
import IMProtocol
import IMSession
import IMShell
import Recorder
import SansIO

/// `show`: the events of a recording, as a table for people or as NDJSON for programs. One line for each event. A frame
/// that was lost, or is in flight at the end, is marked.
final class SessionPrinter {
    let reader: SessionReader
    let output: any ShellOutput
    let dialect: any Dialect
    /// Made only when the first frame is printed, because a filtered list may contain no frame.
    private lazy var graph = CausalGraph(reading: reader)

    /// - Throws: ``ShellError`` for a profile that this version does not have, and for a session of another format.
    init(_ reader: SessionReader, path: String, output: any ShellOutput) throws {
        self.reader = reader
        self.output = output
        dialect = try reader.printedDialect(path)
    }

    /// - Parameters:
    ///   - filter: selects the events that match; nil for all.
    ///   - number: selects the events after this number.
    ///   - limit: the maximum number of events.
    /// - Returns: true if more events match than the limit.
    @discardableResult
    func print(asJSON: Bool, filter: Filter? = nil, after number: UInt64 = 0, limit: Int = .max) throws -> Bool {
        if let filter { return try print(filter, asJSON: asJSON, after: number, limit: limit) }
        var count = 0
        let formatter = EventFormatter(dialect: dialect)
        let schema = IMSessionSchema()
        let scanner = reader.makeScanner()
        while let view = try scanner.next() {
            let event = SessionEvent(view, node: reader.name(of: view.node), schema: schema)
            let formatted = formatter.format(event)
            guard view.number > number else { continue }
            if count == limit { return true }
            print(event, formatted, view, formatter, asJSON: asJSON)
            count += 1
        }
        return false
    }

    private func print(_ filter: Filter, asJSON: Bool, after number: UInt64, limit: Int) throws -> Bool {
        let session = try SessionFields(reader, for: filter)
        guard filter.mayHold(in: session) else { return false }
        var count = 0
        let scan = FilterScan(filter, of: reader, dialect: dialect, session: session)
        let scanner = reader.makeScanner()
        while let view = try scanner.next() {
            guard let event = scan.take(view), view.number > number else { continue }
            if count == limit { return true }
            count += 1
            let formatted = EventFormatter.FormattedEvent(
                text: scan.formatter.text(of: event), weight: scan.formatter.weight(of: event))
            print(event, formatted, view, scan.formatter, asJSON: asJSON)
        }
        return false
    }

    private func print(
        _ event: SessionEvent, _ formatted: EventFormatter.FormattedEvent, _ view: EventView,
        _ formatter: EventFormatter, asJSON: Bool
    ) {
        var undelivered: UndeliveredFrame?
        if case .effect(.send) = event.content { undelivered = graph.undelivered(event.number) }
        if asJSON {
            output.verbatim(
                EventObject.line(
                    of: event, channel: view.channel.name, role: view.role.name, text: formatted.text, formatter,
                    undelivered: undelivered, wall: output.clock.wall))
        } else {
            output.line(
                EventText.line(
                    event, formatted.text, columns: output.columns, clock: output.clock, undelivered: undelivered))
        }
    }
}
