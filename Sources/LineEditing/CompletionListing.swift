import IMText

/// The list of candidates that is printed above the line: one candidate per row with its help, or several per row if no
/// candidate has help.
struct CompletionListing {
    var columns: Int
    /// The maximum number of rows. If there are more, the last row shows how many are omitted.
    var rows: Int
    /// The number of terminal columns of a text.
    var width: (String) -> Int

    func lines(_ candidates: [LineCompletion.Candidate]) -> [String] {
        let names = candidates.map { TerminalText.quoted($0.display ?? $0.text, keeping: .oneLine) }
        let widest = names.map(width).max() ?? 0
        let all =
            candidates.contains { $0.help != nil }
            ? zip(names, candidates).map { name, candidate in row(name, candidate.help, widest: widest) }
            : grid(names, widest: widest)
        guard all.count > max(rows, 2) else { return all }
        let shown = all.prefix(max(rows, 2) - 1)
        return shown + ["… and \(all.count - shown.count) more rows; type more letters"]
    }

    private func row(_ name: String, _ help: String?, widest: Int) -> String {
        guard let help, !help.isEmpty else { return fitted(name, columns - 1) }
        return fitted(padded(name, widest) + "  " + TerminalText.quoted(help, keeping: .oneLine), columns - 1)
    }

    private func grid(_ names: [String], widest: Int) -> [String] {
        let columnCount = max(1, (columns - 1) / (widest + 2))
        let rowCount = (names.count + columnCount - 1) / columnCount
        return (0..<rowCount).map { row in
            stride(from: row, to: names.count, by: rowCount)
                .map { index in index + rowCount < names.count ? padded(names[index], widest + 2) : names[index] }
                .joined()
        }
    }

    private func padded(_ text: String, _ columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - width(text)))
    }

    private func fitted(_ text: String, _ columns: Int) -> String {
        guard width(text) > columns else { return text }
        var shown = text
        while !shown.isEmpty, width(shown) > columns - 1 {
            shown.removeLast()
        }
        return shown + "…"
    }
}
