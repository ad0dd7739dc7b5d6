import IMDebugger
import IMProfiles
import IMSession

/// Formats the events of a recording as the shell prints them. The events must be passed in order.
package final class EventLines {
    private let formatter: EventFormatter

    package init(_ profile: String) {
        formatter = EventFormatter(dialect: Dialects.named(profile) ?? Dialects.all[0])
    }

    package func line(_ event: SessionEvent) -> String {
        formatter.note(event)
        return words(event)
    }

    /// The line of an event that was already passed to ``line(_:)``.
    package func words(_ event: SessionEvent) -> String { "\(event.node) \(formatter.text(of: event))" }
}
