import Foundation
import IMDebugger
import IMSession
import IMShell
import Recorder
import SansIO

/// The table of `sessions`: a row for each recording, at most as wide as the terminal.
struct SessionTable {
    private static let heading = ["NAME", "RECORDED", "PROFILE", "DEVICES", "DURATION", "KICKS", "FAULTS", "OUTCOME"]
    private static let gap = "  "
    /// The indices of the columns with numbers.
    private static let rightAligned: Set<Int> = [3, 4, 5, 6]
    /// The minimum width of a name and an outcome, however narrow the terminal is.
    private static let nameMin = 12
    private static let outcomeMin = 8

    private let terminalWidth: Int?
    private var rows: [[String]] = []

    /// - Parameter terminalWidth: the width of the terminal; nil for rows of any length.
    init(terminalWidth: Int?) {
        self.terminalWidth = terminalWidth
    }

    mutating func add(_ path: String) {
        let name = String(((path as NSString).lastPathComponent as NSString).deletingPathExtension)
        let changed = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        let date = changed.map(Self.text) ?? "-"
        do throws(SessionError) {
            let reader = try SessionReader(path: path)
            let summary = try SessionSummary(reader)
            let states = summary.clients.map { $0.state?.name ?? "ended" }
            let open = reader.completeness == .closed ? "" : " (not closed)"
            rows.append([
                name, date, reader.header.profile, String(summary.clients.count), Self.text(summary.lastTime),
                String(summary.kicks), String(summary.faults),
                (states.isEmpty ? "no client" : states.joined(separator: ", ")) + open,
            ])
        } catch {
            rows.append([name, date, "", "", "", "", "", "unreadable: \(error)"])
        }
    }

    private static func text(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd HH:mm"
        return formatter.string(from: date)
    }

    private static func text(_ time: Instant) -> String {
        let seconds = time.nanoseconds / 1_000_000_000
        return seconds < 60 ? time.secondsText : Interval.seconds(seconds).longText.replacing(" ", with: "")
    }

    /// A row for programs for each recording; whole numbers become numbers.
    var objects: [[(name: String, value: AnswerValue)]] {
        rows.map { row in
            zip(Self.heading, row).map { ($0.lowercased(), Int($1).map(AnswerValue.number) ?? .text($1)) }
        }
    }

    var lines: [String] {
        let all = [Self.heading] + rows
        var widths = Self.heading.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        let last = widths.count - 1
        if let terminalWidth {
            let fixed = widths[1..<last].reduce(0, +) + Self.gap.count * last
            let room = max(terminalWidth - fixed, Self.nameMin + Self.outcomeMin)
            // The outcome is cut first, then the name.
            widths[last] = min(widths[last], max(room - widths[0], Self.outcomeMin))
            widths[0] = min(widths[0], max(room - widths[last], Self.nameMin))
        }
        return all.map { row in
            let cells = row.enumerated().map { column, text -> String in
                let cut = text.count > widths[column] ? String(text.prefix(widths[column] - 1)) + "…" : text
                let space = String(repeating: " ", count: widths[column] - cut.count)
                return column == last ? cut : Self.rightAligned.contains(column) ? space + cut : cut + space
            }
            return cells.joined(separator: Self.gap)
        }
    }
}
