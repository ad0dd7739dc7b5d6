/// The results of a search in many logs, with one row for each ending of each log. If a corpus is searched in parts,
/// the rows of the parts together are the table of the whole corpus.
package struct CorpusTable: Sendable {
    package enum Outcome: String, Sendable {
        /// An ending of a login, in a log with an explanation.
        case ending
        /// A log with an explanation but no ending.
        case noEnding = "no-ending"
        /// A log for which no explanation was found. The row's line is the first one without an explanation.
        case noExplanation = "no-explanation"
        /// The file cannot be read as a log; the text gives the reason.
        case unreadable
    }

    package struct Row: Hashable, Sendable {
        package var log: String
        package var outcome: Outcome
        /// The number of the line in the log; 0 for none.
        package var line: Int
        package var text: String
        /// The names of the possible causes, the most likely first.
        package var causes: [String]
        /// The id of the rule by which the most likely cause ended the login; empty if it is not known.
        package var rule: String

        package init(
            log: String, outcome: Outcome, line: Int = 0, text: String = "", causes: [String] = [], rule: String = ""
        ) {
            self.log = log
            self.outcome = outcome
            self.line = line
            self.text = text
            self.causes = causes
            self.rule = rule
        }

        /// The confidence in the first cause: `1 of 3` if there are two other possible causes.
        package var confidence: String { causes.isEmpty ? "" : "1 of \(causes.count)" }
    }

    /// Logs with the same most likely cause.
    package struct Group: Hashable, Sendable {
        package var cause: String
        package var logCount: Int
        package var first: String
    }

    /// The rows, sorted by log, then by line.
    package private(set) var rows: [Row]

    package init(_ rows: [Row]) {
        self.rows = rows.sorted {
            ($0.log, $0.line, $0.outcome.rawValue, $0.text) < ($1.log, $1.line, $1.outcome.rawValue, $1.text)
        }
    }

    package var logCount: Int {
        rows.indices.count { $0 == 0 || rows[$0].log != rows[$0 - 1].log }
    }

    /// True if each log has an explanation.
    package var isExplained: Bool { rows.allSatisfy { [.ending, .noEnding].contains($0.outcome) } }

    /// The groups, the largest first. A log with endings of different causes is in several groups.
    package var groups: [Group] {
        var groups: [(group: Group, last: String)] = []
        for row in rows {
            guard let cause = row.causes.first else { continue }
            if let index = groups.firstIndex(where: { $0.group.cause == cause }) {
                groups[index].group.logCount += groups[index].last == row.log ? 0 : 1
                groups[index].last = row.log
            } else {
                groups.append((Group(cause: cause, logCount: 1, first: row.log), row.log))
            }
        }
        return groups.map(\.group).sorted { ($1.logCount, $0.cause) < ($0.logCount, $1.cause) }
    }

    /// The table as lines of text.
    package var lines: [String] {
        var lines = rows.map { row in
            let source = row.line > 0 ? "\(row.log):\(row.line)" : row.log
            return switch row.outcome {
            case .ending:
                "\(source)  \(row.causes.joined(separator: ", or "))  \(row.rule.isEmpty ? "" : row.rule + "  ")\(row.text)"
            case .noEnding: "\(source)  no login ends"
            case .noExplanation:
                "\(source)  no explanation of the log was found; the first line without one: \(row.text)"
            case .unreadable: "\(source)  \(row.text)"
            }
        }
        if !groups.isEmpty { lines.append("") }
        for group in groups {
            lines.append(
                "\(group.cause): \(group.logCount) \(group.logCount == 1 ? "log" : "logs"), first \(group.first)")
        }
        return lines
    }
}
