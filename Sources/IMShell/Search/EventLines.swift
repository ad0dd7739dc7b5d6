import IMDebugger
import IMProfiles
import IMSession

/// The line of each event of a recording, as the shell writes it.
package final class EventLines {
    private let formatter: EventFormatter

    package init(_ profile: String) {
        formatter = EventFormatter(dialect: Dialects.named(profile) ?? Dialects.all[0])
    }

    package func line(_ event: SessionEvent) -> String {
        formatter.note(event)
        return words(event)
    }

    /// The line of an event of an existing recording.
    package func words(_ event: SessionEvent) -> String { "\(event.node) \(formatter.text(of: event))" }
}
