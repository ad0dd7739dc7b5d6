import IMDebugger
import IMProtocol
import IMText
import SansIO

extension Shell {
    /// Prints rows of names and values: one line each, names with their values.
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

    /// Prints several rows as a table if the terminal is wide enough, otherwise as ``printResult(rows:none:)`` does. Columns
    /// without a value are left out.
    func printResult(table rows: [AnswerRow], none: String) {
        let next = rows.last.flatMap { $0.fields.count == 1 && $0.fields[0].name == "next" ? $0 : nil }
        let found = next == nil ? rows : rows.dropLast()
        guard output.form != .json, found.count > 1, let columns = output.columns,
            let table = AnswerTable(Array(found)).lines(columns: columns)
        else { return printResult(rows: rows, none: none) }
        table.forEach(printResult)
        if let next { printResult(rows: [next], none: none) }
    }

    /// Durations in the units of input: `in=28.04s`.
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
