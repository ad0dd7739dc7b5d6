import IMDebugger
import IMProtocol
import IMText
import SansIO

extension Shell {
    /// Prints each row as one line of `name=value` pairs, or as a JSON object. Prints `none` if there are no rows.
    package func printResult(rows: [AnswerRow], none: String) {
        if rows.isEmpty { return printResult(none) }
        for row in rows {
            let text = row.fields.map(Self.shown).joined(separator: "  ")
            guard output.form == .json else {
                printResult(text)
                continue
            }
            printed.append(text)
            var object = AnswerObject(.row)
            object.add("fields", fields: row.fields.map { ($0.name, $0.value) })
            output.object(object)
        }
    }

    /// Prints several rows as a table, without columns that have no value. If the table is wider than the terminal, the
    /// rows are printed by ``printResult(rows:none:)``.
    func printResult(table rows: [AnswerRow], none: String) {
        let next = rows.last.flatMap { $0.fields.count == 1 && $0.fields[0].name == "next" ? $0 : nil }
        let found = next == nil ? rows : rows.dropLast()
        guard output.form != .json, found.count > 1, let columns = output.columns,
            let table = AnswerTable(Array(found)).lines(columns: columns)
        else { return printResult(rows: rows, none: none) }
        table.forEach(printResult)
        if let next { printResult(rows: [next], none: none) }
    }

    /// The text `name=value` of a field. Milliseconds are printed as a duration that can be typed: `in-ms` 28040
    /// becomes `in=28.04s`.
    private static func shown(_ field: AnswerField) -> String {
        if field.name.hasSuffix("-ms"), let milliseconds = Int64(field.value), milliseconds.magnitude < 1 << 50 {
            return "\(field.name.dropLast(3))=\(Interval.milliseconds(milliseconds).text)"
        }
        if field.name == "reconnect-delay" {
            let delays = field.value.split(separator: ",").map { DurationText.interval(String($0))?.text ?? String($0) }
            return "\(field.name)=\(delays.joined(separator: ","))"
        }
        return "\(field.name)=\(field.value.quotedIfNeeded)"
    }
}
