import IMProfiles
import IMSession
import IMSimulation

/// The comparison of a recorded run of a scenario with an altered run, as lines of text.
package struct WhatIfReport {
    /// The maximum number of lines for each client after the first difference.
    static let linesMax = 12

    private let outcome: WhatIfOutcome
    private let formatter: EventFormatter

    package init(_ outcome: WhatIfOutcome, dialect: any Dialect) {
        self.outcome = outcome
        formatter = EventFormatter(dialect: dialect)
    }

    /// - Parameter listsAll: true to include the unchanged lines.
    package func lines(listsAll: Bool) -> [String] {
        var report = outcome.finals.flatMap { lines(of: $0.node, listsAll: listsAll) }
        for skipped in outcome.skipped {
            report.append("#\(skipped.number) was no longer possible: \(skipped.reason)")
        }
        if let event = outcome.commandDuringSleep {
            report.append(
                "#\(event.number) was given while \(event.node) slept; its time is unknown: "
                    + "here it comes when the app wakes, after the waiting input")
        }
        let states = outcome.finals.map { final in
            let (one, two) = (final.recorded?.name ?? "not running", final.altered?.name ?? "not running")
            return one == two ? "\(final.node) \(one)" : "\(final.node) \(one) → \(two)"
        }
        if let difference = outcome.difference {
            report.append("different outcome, first at \(difference.node):")
            report.append("  was: \(difference.recorded.map(text) ?? "nothing more")")
            report.append("  is:  \(difference.altered.map(text) ?? "nothing more")")
        } else {
            let isLate = outcome.recorded.map(\.time) != outcome.altered.map(\.time)
            report.append("same outcome: \(Self.count(outcome.recorded))\(isLate ? ", at different times" : "")")
        }
        report.append("at the end: \(states.joined(separator: ", "))")
        if let line = ending { report.append(line) }
        return report
    }

    /// The line about the end of the comparison; nil if it ended at the end of the recording.
    private var ending: String? {
        switch outcome.ending {
        case .recording: nil
        case .stable(let instant):
            "stable: nothing changes for \(WhatIfStability.stableFor.text) after +\(instant.secondsText)"
        case .limit(let instant, let transientClients):
            "limit reached at +\(instant.secondsText), \(WhatIfStability.limit.text) after the scenario's end, and not "
                + "stable: "
                + (transientClients.isEmpty ? "callbacks still come" : transientClients.joined(separator: ", "))
        }
    }

    /// The lines of one client. A line that only the recorded run has begins with `-`, one that only the altered run
    /// has with `+`, and a line whose time differs with `~`.
    private func lines(of node: String, listsAll: Bool) -> [String] {
        let recorded = outcome.recorded.filter { $0.node == node }
        let altered = outcome.altered.filter { $0.node == node }
        let change = altered.map(eventText).difference(from: recorded.map(eventText))
        let isOnTime = recorded.map(\.time) == altered.map(\.time)
        if recorded.isEmpty && altered.isEmpty || change.isEmpty && isOnTime && !listsAll {
            return ["\(node): \(recorded.isEmpty ? "" : "the same ")\(Self.count(recorded))"]
        }
        var lines: [(mark: String, text: String)] = recorded.map { (" ", text($0)) }
        var removed: Set<Int> = []
        for case .remove(let offset, _, _) in change {
            removed.insert(offset)
            lines[offset].mark = "-"
        }
        // Merges the lines of the altered run into those of the recorded run.
        var merged: [(mark: String, text: String)] = []
        var inserted: Set<Int> = []
        for case .insert(let offset, _, _) in change { inserted.insert(offset) }
        var next = 0
        for index in altered.indices {
            // At one position, lines of the recorded run come before lines of the altered run.
            while removed.contains(next) {
                merged.append(lines[next])
                next += 1
            }
            if inserted.contains(index) {
                merged.append(("+", text(altered[index])))
                continue
            }
            // Both runs have this event. If its times differ, the line shows both times.
            let old = next < recorded.count ? recorded[next].time : altered[index].time
            if old == altered[index].time {
                merged.append((" ", text(altered[index])))
            } else {
                merged.append(("~", "+\(old.secondsText) → \(text(altered[index]))"))
            }
            next += 1
        }
        merged += lines[min(next, lines.count)...]
        return shortened(merged, of: node, listsAll: listsAll)
    }

    private func shortened(_ lines: [(mark: String, text: String)], of node: String, listsAll: Bool) -> [String] {
        let first = lines.firstIndex { $0.mark != " " } ?? lines.count
        let start = listsAll ? 0 : max(0, first - 1)
        var report = [start > 0 ? "\(node): the same \(Self.count(lines[..<start])), then" : "\(node):"]
        let end = listsAll ? lines.count : min(lines.count, first + Self.linesMax)
        report += lines[min(start, end)..<end].map { "  \($0.mark) \($0.text)" }
        if end < lines.count { report.append("    … and \(lines.count - end) more; --all lists them") }
        return report
    }

    private static func count(_ events: some Collection) -> String {
        switch events.count {
        case 0: "no states or callbacks"
        case 1: "1 state or callback"
        default: "\(events.count) states and callbacks"
        }
    }

    private func eventText(_ event: SessionEvent) -> String { formatter.text(of: event) }

    private func text(_ event: SessionEvent) -> String {
        "+\(event.time.secondsText) \(event.node) \(eventText(event))"
    }
}
