import IMClient
import IMDialects
import IMSession
import Recorder

/// Walks through a recording and asks a filter about each event. Has to be shown every event, in order.
package final class FilterScan {
    package let narrator: Narrator
    private let filter: Filter
    private let reader: SessionReader
    private let session: SessionFields?
    private let schema = IMSessionSchema()
    private var states: InStates?
    /// Off only to show that it changes nothing.
    private let glances: Bool

    package init(
        _ filter: Filter, of reader: SessionReader, dialect: any Dialect, session: SessionFields? = nil,
        glances: Bool = true
    ) {
        self.filter = filter
        self.reader = reader
        self.session = session
        self.glances = glances
        narrator = Narrator(dialect: dialect)
        states = filter.usesInState ? InStates() : nil
    }

    /// The event, if the filter holds for it.
    package func take(_ view: EventView) -> SessionEvent? {
        states?.note(view)
        let isLookedAt = !glances || filter.mayMatch(view, in: reader)
        // The words for a result depend on the command that was given.
        guard isLookedAt || EventGlance.kinds(of: view).contains(.command) else { return nil }
        let event = SessionEvent(view, node: reader.name(of: view.node), schema: schema)
        narrator.note(event)
        guard isLookedAt else { return nil }
        let narrator = narrator
        let fields = EventFields(
            event, telling: Narrator.Telling(text: narrator.text(of: event), weight: .story), narrator: narrator,
            inState: states?.state(of: view.node), session: session)
        return filter.matches(fields) ? event : nil
    }
}
