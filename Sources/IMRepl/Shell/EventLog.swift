import IMDialects
import IMWorld
import SansIO

/// What was seen of a world, in order: what expectations look through and what the screen shows.
///
/// `@unchecked Sendable`: used on the world's thread only; others go through ``World/perform(_:)``.
final class EventLog: @unchecked Sendable {
    /// One event as expectations see it.
    struct Entry {
        var node: String
        var observed: ObservedEvent
    }

    private(set) var entries: [Entry] = []
    private let narrator: Narrator
    /// Events already put into words for the file, waiting to be shown.
    private var told: [(Narrator.Telling, [ObservedEvent])] = []
    private var shownHead = 0
    /// Gets each line that the settings let through.
    var show: ((SessionEvent, Narrator.Telling) -> Void)?

    init(dialect: any Dialect) {
        narrator = Narrator(dialect: dialect)
    }

    /// Puts an event into words; called once for each, before it is written.
    func tell(_ event: SessionEvent) -> String {
        let telling = narrator.tell(event)
        return "\(event.node) \(telling.text)"
    }

    /// Takes in an event that has been recorded.
    func take(_ event: SessionEvent) {
        for observed in narrator.observations(of: event) {
            entries.append(Entry(node: event.node, observed: observed))
        }
        if let show { show(event, narrator.tell(event)) }
    }

    /// The index of the first entry from `start` on that a clause matches, for a node.
    func firstMatch(of clause: ExpectClause, node: String, from start: Int) -> Int? {
        var index = start
        while index < entries.count {
            if entries[index].node == node, clause.matches(entries[index].observed) { return index }
            index += 1
        }
        return nil
    }
}
