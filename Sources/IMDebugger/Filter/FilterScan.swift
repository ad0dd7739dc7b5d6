import IMClient
import IMProfiles
import IMSession
import Recorder

/// Applies a filter to the events of a recording. The caller must pass every event, in order.
package final class FilterScan {
    package let formatter: EventFormatter
    private let filter: Filter
    /// The reader that has the names of the nodes. While the file grows, the caller sets a newer reader.
    package var reader: SessionReader
    private let session: SessionFields?
    private let schema = IMSessionSchema()
    private var states: InStates?
    /// True if events are rejected without decoding them where possible. False only in tests, which check that the
    /// results are equal.
    private let peeks: Bool

    package init(
        _ filter: Filter, of reader: SessionReader, dialect: any Dialect, session: SessionFields? = nil,
        peeks: Bool = true
    ) {
        self.filter = filter
        self.reader = reader
        self.session = session
        self.peeks = peeks
        formatter = EventFormatter(dialect: dialect)
        states = filter.usesInState ? InStates() : nil
    }

    /// The event, if the filter matches it.
    package func take(_ view: EventView) -> SessionEvent? {
        states?.note(view)
        let needsDecoding = !peeks || filter.mayMatch(view, in: reader)
        // The text of a result contains its command, so the formatter needs each command.
        guard needsDecoding || EventPeek.kinds(of: view).contains(.command) else { return nil }
        let event = SessionEvent(view, node: reader.name(of: view.node), schema: schema)
        formatter.note(event)
        guard needsDecoding else { return nil }
        let formatter = formatter
        let fields = EventFields(
            event, formatted: EventFormatter.FormattedEvent(text: formatter.text(of: event), weight: .essential),
            formatter: formatter,
            inState: states?.state(of: view.node)?.name, session: session)
        return filter.matches(fields) ? event : nil
    }
}
