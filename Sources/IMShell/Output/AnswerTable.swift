import IMProtocol
import IMText

/// Formats the rows of an answer as a table, with the names of the fields as headings.
struct AnswerTable {
    private let names: [String]
    private let cells: [[String]]

    init(_ rows: [AnswerRow]) {
        let names = rows.flatMap(\.fields).filter { !$0.value.isEmpty }.map(\.name).uniqued
        self.names = names
        cells = rows.map { row in
            names.map { name in VisibleText.of(row[name] ?? "") }
        }
    }

    /// The lines of the table; nil if it is wider than the terminal.
    func lines(columns: Int) -> [String]? {
        let widths = names.indices.map { column in
            ([names[column]] + cells.map { $0[column] }).map(TextWidth.columns(of:)).max() ?? 0
        }
        guard widths.reduce(0, +) + 2 * max(0, widths.count - 1) <= columns else { return nil }
        return ([names] + cells).map { row in
            let line = zip(row, widths).map { TextWidth.padded($0, to: $1) }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
