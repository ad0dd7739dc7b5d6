import IMText

/// Pasted text, split into lines.
///
/// One line is inserted like typed text, even if a newline follows it on the clipboard: nothing runs before the user
/// presses Enter. Several lines are shown and must be confirmed.
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

    /// The preview above the question: the first lines, and the number of the others.
    static func preview(of lines: [String], limit: Int = 10) -> [String] {
        let shown = lines.prefix(limit).map { "  │ " + TerminalText.quoted($0, keeping: .oneLine) }
        return lines.count > limit ? shown + ["  │ … and \(lines.count - limit) more"] : shown
    }

    static func question(of lines: [String]) -> String {
        "\(lines.count) lines pasted; Enter runs all, ^C drops "
    }

    /// A tab becomes a blank (TAB means completion here), other control characters are removed, so that a paste never
    /// acts as keys.
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
