import IMDebugger
import IMSession
import IMText

/// Events as lines on the screen.
package enum EventText {
    /// The minimum width at which the columns of numbers leave enough room for the text.
    static let wideColumnsMin = 72

    /// The event in the colours of the screen.
    ///
    /// - Parameters:
    ///   - columns: nil for lines of any length.
    ///   - undelivered: the fate of its frame, if it is known that the frame did not arrive.
    package static func line(
        _ event: SessionEvent, _ text: String, columns: Int?, clock: EventClock = .relative,
        undelivered: UndeliveredFrame? = nil
    ) -> [StyledText] {
        let (head, shown) = parts(event, text, columns: columns, clock: clock)
        let mark = undelivered.map { [StyledText($0.mark, .yellow)] } ?? []
        return [.init(head, .dim), .init(shown, colour(of: event))] + mark
    }

    /// The columns before the text, and the text.
    ///
    /// - Parameter columns: nil for lines of any length.
    package static func parts(
        _ event: SessionEvent, _ text: String, columns: Int?, clock: EventClock = .relative
    ) -> (head: String, text: String) {
        let times = clock.texts(of: event.time)
        let number = event.number == 0 ? "" : "#\(event.number)"
        guard let columns, columns < wideColumnsMin else {
            // A wall clock's time is 24 characters.
            let shown = times.map { TextWidth.padded($0, to: $0.hasPrefix("+") ? 12 : 26) }.joined()
            return (TextWidth.padded(number, to: 6) + shown + TextWidth.padded(event.node, to: 8), text)
        }
        return (([number] + times + [event.node]).filter { !$0.isEmpty }.joined(separator: " ") + " ", text)
    }

    private static func colour(of event: SessionEvent) -> TextColour {
        if event.isKick { return .red }
        switch event.kind {
        case "transition": return .cyan
        case "callback": return .green
        case "fault", "network": return .yellow
        case "command", "mark": return .bold
        default: return .plain
        }
    }
}
