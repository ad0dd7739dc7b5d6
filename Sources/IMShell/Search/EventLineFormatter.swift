import IMDebugger
import IMProfiles
import IMSession

/// Formats the events of a recording as lines of text.
package final class EventLineFormatter {
    private let formatter: EventFormatter

    package init(_ profile: String) {
        formatter = EventFormatter(dialect: Dialects.named(profile) ?? Dialects.all[0])
    }

    /// The line of an event while it is recorded. Events must be passed in order, because the text of an event can
    /// depend on earlier events.
    package func line(_ event: SessionEvent) -> String {
        formatter.note(event)
        return text(ofRecorded: event)
    }

    /// The line of an event of an existing recording.
    package func text(ofRecorded event: SessionEvent) -> String { "\(event.node) \(formatter.text(of: event))" }
}
