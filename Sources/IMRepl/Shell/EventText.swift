import IMWorld
import LineEditing

/// Events as lines on the screen.
enum EventText {
    /// Below so many columns the numbers' columns would leave no room for what happened.
    static let wideColumnsMin = 72

    static func line(_ event: SessionEvent, _ text: String, output: Output) -> String {
        let (head, shown) = parts(event, text, columns: output.columns)
        return output.coloured(head, .dim) + output.coloured(shown, colour(of: event, text))
    }

    /// What stands before the words, and the words.
    ///
    /// - Parameter columns: nil where lines may be of any length.
    static func parts(_ event: SessionEvent, _ text: String, columns: Int?) -> (head: String, text: String) {
        let time = "+" + event.time.secondsText
        let number = event.number == 0 ? "" : "#\(event.number)"
        guard let columns, columns < wideColumnsMin else {
            return (pad(number, 6) + pad(time, 12) + pad(event.node, 8), text)
        }
        let head = [number, time, event.node].filter { !$0.isEmpty }.joined(separator: " ") + " "
        return (head, wrapped(text, columns: columns, from: head.count))
    }

    /// Breaks a text at its blanks, and moves what follows in a little, so that the eye finds where the next event
    /// begins. A word that is longer than a row is left to the terminal.
    private static func wrapped(_ text: String, columns: Int, from start: Int) -> String {
        let indent = "  "
        var wrapped = ""
        var column = start
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if wrapped.isEmpty {
                // The first word stays behind the head.
            } else if column + 1 + word.count > columns {
                wrapped += "\n" + indent
                column = indent.count
            } else {
                wrapped += " "
                column += 1
            }
            wrapped += word
            column += word.count
        }
        return wrapped
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text.count < width ? text + String(repeating: " ", count: width - text.count) : text + " "
    }

    private static func colour(of event: SessionEvent, _ text: String) -> Prompt.Colour {
        if text.contains("(Kick)") { return .red }
        switch event.kind {
        case "transition": return .cyan
        case "callback": return .green
        case "fault", "network": return .yellow
        case "command", "mark": return .bold
        default: return .plain
        }
    }
}
