import IMScript
import Recorder

/// What a replay can stop at.
package struct ReplayCondition: Sendable {
    /// As it was typed.
    package let text: String
    private let filter: Filter
    private let serverFilter: Filter

    /// - Throws: ``FilterError`` with the place of what is wrong.
    package init(_ text: String) throws {
        self.text = text
        filter = try Filter(ofOneEvent: text)
        serverFilter = try Filter(parsing: text, ofServer: true)
    }

    private func filter(for session: DebugSession) -> Filter { session.reader.isOfServerAlone ? serverFilter : filter }

    /// Whether it holds for an event.
    package func holds(for view: EventView, in session: DebugSession) throws -> Bool {
        let filter = filter(for: session)
        guard filter.mayMatch(view, in: session.reader) else { return false }
        return filter.matches(try fields(of: view, in: session))
    }

    /// How near an event comes to it, and what it lacks.
    func stand(of view: EventView, in session: DebugSession) throws -> (likeness: Int, reasons: [String]) {
        let filter = filter(for: session)
        let fields = try fields(of: view, in: session)
        let values = Dictionary(filter.condition.names.map { ($0, fields[$0]) }) { first, _ in first }
        let likeness = filter.condition.likeness(to: values)
        return (likeness, likeness == 0 ? [] : filter.condition.reasons(against: values))
    }

    /// What was typed, and what its words stand for.
    var sourceAndWords: String {
        let words = text.split { !($0.isLetter || $0 == "-") }
        return ([text] + words.compactMap { FilterWord.named(String($0))?.filter }).joined(separator: " ")
    }

    private func fields(of view: EventView, in session: DebugSession) throws -> EventFields {
        let event = session.decoded(view)
        try session.learnCommand(of: event)
        session.formatter.note(event)
        let formatter = session.formatter
        return EventFields(
            event, formatted: formatter.format(event), formatter: formatter,
            inState: filter.usesInState ? try session.inStates().state(of: view.node, at: view.number)?.name : nil)
    }
}
