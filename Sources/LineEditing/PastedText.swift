import IMText

/// Pasted text, split into lines.
///
/// A single line is inserted like typed text. A newline at its end is removed, so that the line runs only when the user
/// presses Enter. Several lines are shown to the user, who must confirm them.
enum PastedText: Equatable {
    case insert(String)
    case lines([String])

    /// - Parameters:
    ///   - before: the text before the cursor; it becomes part of the first line.
    ///   - after: the text after the cursor; it becomes part of the last line.
    init(_ text: String, before: String = "", after: String = "") {
        let unified = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        var lines = unified.split(separator: "\n", omittingEmptySubsequences: false).map(Self.printable)
        while lines.count > 1, lines.last?.allSatisfy(\.isWhitespace) == true {
            lines.removeLast()
        }
        if lines.count == 1 {
            self = .insert(lines[0])
            return
        }
        lines[0] = before + lines[0]
        lines[lines.count - 1] += after
        self = .lines(lines)
    }

    /// The preview that is shown above the confirmation prompt: the first `limit` lines, and the number of omitted
    /// lines.
    static func preview(of lines: [String], limit: Int = 10) -> [String] {
        let shown = lines.prefix(limit).map { "  │ " + TerminalText.quoted($0, keeping: .oneLine) }
        return lines.count > limit ? shown + ["  │ … and \(lines.count - limit) more"] : shown
    }

    static func question(of lines: [String]) -> String {
        "\(lines.count) lines pasted; Enter runs all, ^C drops "
    }

    /// The line without control characters, because the editor would read them as keys. A tab becomes a blank, because
    /// the TAB key requests completion.
    private static func printable(_ line: Substring) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            if scalar == "\t" {
                scalars.append(" ")
            } else if scalar.properties.generalCategory != .control {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
