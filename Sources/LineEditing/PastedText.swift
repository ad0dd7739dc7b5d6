import IMText

/// What was pasted, made into lines.
///
/// One line is inserted like typed text, also when the clipboard held a newline behind it: nothing runs before the
/// person presses Enter. Several lines are shown and asked about.
enum PastedText: Equatable {
    case insert(String)
    case lines([String])

    /// - Parameters:
    ///   - before: what stands before the cursor; it becomes part of the first line.
    ///   - after: what stands behind the cursor; it becomes part of the last line.
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

    /// What is shown above the question: the first lines, and how many more there are.
    static func preview(of lines: [String], limit: Int = 10) -> [String] {
        let shown = lines.prefix(limit).map { "  │ " + TerminalText.quoted($0, keeping: .oneLine) }
        return lines.count > limit ? shown + ["  │ … and \(lines.count - limit) more"] : shown
    }

    static func question(of lines: [String]) -> String {
        "\(lines.count) lines pasted; Enter runs all, ^C drops "
    }

    /// A tab becomes a blank (TAB means completion here), other control characters go: a paste never presses keys.
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
