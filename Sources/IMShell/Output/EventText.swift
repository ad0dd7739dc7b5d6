import IMDebugger
import IMSession
import IMText

/// Formats events as lines for the screen.
package enum EventText {
    /// The minimum number of terminal columns for a layout in columns. On a narrower terminal, too little room would
    /// remain for the text.
    static let wideColumnsMin = 72

    /// The line of an event, with colours.
    ///
    /// - Parameters:
    ///   - columns: the terminal's width; nil for lines of any length.
    ///   - undelivered: if the event is a frame that did not arrive, whether it was lost or is in flight; otherwise
    ///     nil.
    package static func line(
        _ event: SessionEvent, _ text: String, columns: Int?, clock: EventClock = .relative,
        undelivered: UndeliveredFrame? = nil
    ) -> [StyledText] {
        let (head, shown) = parts(event, text, columns: columns, clock: clock)
        let mark = undelivered.map { [StyledText($0.mark, .yellow)] } ?? []
        return [.init(head, .dim), .init(shown, colour(of: event))] + mark
    }

    /// The columns before the text (number, time, node), and the text.
    ///
    /// - Parameter columns: the terminal's width; nil for lines of any length.
    package static func parts(
        _ event: SessionEvent, _ text: String, columns: Int?, clock: EventClock = .relative
    ) -> (head: String, text: String) {
        let times = clock.texts(of: event.time)
        let number = event.number == 0 ? "" : "#\(event.number)"
        guard let columns, columns < wideColumnsMin else {
            // A time of the wall clock has 24 characters.
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
