import IMClient
import IMDebugger
import IMSession
import IMText
import SansIO

/// The drawing of `timeline`: a strip of states for each client, a row of signs for kicks, faults and marks, and a time
/// axis. The width is a number of columns.
///
/// Time is not drawn to scale, because a login takes milliseconds, a pause may take hours, and both have to be visible.
/// The distance between two consecutive events is proportional to the logarithm of the time between them.
package struct StateChart {
    package let lanes: [StateHistory.Lane]
    package let ticks: [StateHistory.Tick]
    package let now: Instant
    package let columns: Int
    /// True if characters outside ASCII may be printed.
    package let isUnicode: Bool
    /// Which times the axis shows: the time since the start, the time of the wall clock, or both.
    package let clock: EventClock
    /// The time at the left edge.
    package var begin = Instant.zero
    /// A time that is marked above the strips, and the text of the mark; nil for no mark.
    package var mark: (time: Instant, text: String)?

    package init(
        lanes: [StateHistory.Lane], ticks: [StateHistory.Tick], now: Instant, columns: Int, isUnicode: Bool,
        clock: EventClock = .relative, begin: Instant = Instant.zero, mark: (time: Instant, text: String)? = nil
    ) {
        self.lanes = lanes
        self.ticks = ticks
        self.now = now
        self.columns = columns
        self.isUnicode = isUnicode
        self.clock = clock
        self.begin = begin
        self.mark = mark
    }

    package typealias Piece = StyledText

    /// The maximum number of columns of a client's name. Longer names are cut.
    private static let nameMax = 16
    /// The minimum number of columns of a strip. On a narrower terminal, the lines are longer than the terminal is
    /// wide.
    private static let stripMin = 10

    package var lines: [[Piece]] {
        let scale = Scale(eventTimes: eventTimes, width: stripWidth)
        let empty = String(repeating: " ", count: nameWidth + 1)
        var lines: [[Piece]] =
            mark.map { [[Piece(empty), Piece(markRow(at: scale.column(of: $0.time), $0.text), .bold)]] } ?? []
        lines += lanes.map { lane in
            [Piece(TextWidth.fitted(lane.name, to: nameWidth) + " ")] + strip(of: lane, scale)
        }
        if !ticks.isEmpty { lines.append([Piece(empty)] + tickRow(scale)) }
        for index in clock.texts(of: begin).indices { lines.append([Piece(empty + axis(scale, index), .dim)]) }
        let legend = self.legend(scale)
        if !legend.isEmpty { lines.append([Piece(legend, .dim)]) }
        return lines
    }

    private var nameWidth: Int { min(Self.nameMax, lanes.map { TextWidth.columns(of: $0.name) }.max() ?? 0) }

    private var stripWidth: Int { max(Self.stripMin, columns - nameWidth - 1) }

    /// The times at which something is drawn, in order, each once.
    private var eventTimes: [Instant] {
        var eventTimes = lanes.flatMap { $0.changes.map(\.time) } + ticks.map(\.time) + [begin, now]
        if let mark { eventTimes.append(mark.time) }
        eventTimes.sort()
        return eventTimes.enumerated().compactMap { position, eventTime in
            position > 0 && eventTimes[position - 1] == eventTime ? nil : eventTime
        }
    }

    // MARK: Strips

    private struct Run {
        var state: ClientState?
        var from: Int
        var to: Int
    }

    /// The runs of columns with the same state. If several states fall in one column, the last is shown, unless one is
    /// a kick: a kick is always shown. `before` is the number of empty columns before the first state.
    private func runs(of lane: StateHistory.Lane, _ scale: Scale) -> (before: Int, runs: [Run]) {
        guard let first = lane.changes.first else { return (stripWidth, []) }
        let begin = scale.column(of: first.time)
        var cells: [ClientState?] = Array(repeating: nil, count: stripWidth)
        for (position, change) in lane.changes.enumerated() {
            let from = scale.column(of: change.time)
            let to = position + 1 < lane.changes.count ? scale.column(of: lane.changes[position + 1].time) : stripWidth
            for column in from..<max(to, from + 1) where column < stripWidth { cells[column] = change.state }
            if position > 0, from == scale.column(of: lane.changes[position - 1].time),
                lane.changes[position - 1].state == .kicked, change.state != .kicked
            {
                cells[from] = .kicked
            }
        }
        var runs: [Run] = []
        for column in begin..<stripWidth {
            if let last = runs.last, last.state == cells[column] {
                runs[runs.count - 1].to = column + 1
            } else {
                runs.append(Run(state: cells[column], from: column, to: column + 1))
            }
        }
        return (begin, runs)
    }

    private func strip(of lane: StateHistory.Lane, _ scale: Scale) -> [Piece] {
        let (before, runs) = runs(of: lane, scale)
        return [Piece(String(repeating: " ", count: before))]
            + runs.map { Piece(text(of: $0), Self.colour(of: $0.state)) }
    }

    /// The state's name if the run has enough columns, otherwise the state's letter.
    private func text(of run: Run) -> String {
        let width = run.to - run.from
        guard let state = run.state else {
            return String(repeating: isUnicode ? "·" : ".", count: width)
        }
        let fill: Character = isUnicode ? "─" : "-"
        let edge = isUnicode ? "├" : "|"
        if width >= state.name.count + 1 {
            return edge + state.name + String(repeating: fill, count: width - state.name.count - 1)
        }
        return String(Self.letter(of: state)) + String(repeating: fill, count: width - 1)
    }

    static func letter(of state: ClientState) -> Character {
        switch state {
        case .loggedOut: "l"
        case .connecting: "c"
        case .syncing: "s"
        case .online: "o"
        case .reconnecting: "r"
        case .offline: "f"
        case .kicked: "K"
        case .tokenExpired: "T"
        }
    }

    private static func colour(of state: ClientState?) -> TextColour {
        switch state {
        case .online: .green
        case .connecting, .reconnecting: .yellow
        case .syncing: .blue
        case .offline: .cyan
        case .kicked: .red
        case .tokenExpired: .magenta
        case .loggedOut, nil: .dim
        }
    }

    // MARK: Ticks, time, letters

    private func tickRow(_ scale: Scale) -> [Piece] {
        var cells: [StateHistory.Tick.Kind?] = Array(repeating: nil, count: stripWidth)
        for tick in ticks {
            let column = scale.column(of: tick.time)
            cells[column] = max(cells[column] ?? tick.kind, tick.kind)
        }
        return cells.map { kind in
            switch kind {
            case nil: Piece(" ")
            case .kick: Piece(sign(of: .kick), .red)
            case .fault: Piece(sign(of: .fault), .yellow)
            case .mark: Piece(sign(of: .mark), .magenta)
            }
        }
    }

    /// A row with a sign above the column, and the text on the side that has enough room.
    private func markRow(at column: Int, _ text: String) -> String {
        let sign = isUnicode ? "▼" : "v"
        if column + 2 + text.count <= stripWidth {
            return String(repeating: " ", count: column) + sign + " " + text
        }
        guard column >= text.count + 1 else { return String(repeating: " ", count: column) + sign }
        return String(repeating: " ", count: column - text.count - 1) + text + " " + sign
    }

    private func sign(of kind: StateHistory.Tick.Kind) -> String {
        switch kind {
        case .kick: isUnicode ? "✗" : "x"
        case .fault: isUnicode ? "▲" : "^"
        case .mark: isUnicode ? "◆" : "*"
        }
    }

    /// - Parameter timeIndex: which of the clock's texts the axis shows: 0, or 1 if the clock prints two times.
    private func axis(_ scale: Scale, _ timeIndex: Int) -> String {
        var axis = ""
        var last = ""
        var day = Substring()
        for eventTime in eventTimes {
            var text = clock.texts(of: eventTime)[timeIndex]
            if let dateEnd = text.firstIndex(of: "T") {
                // The date is only printed with the first time of each day.
                if day == text[..<dateEnd] {
                    text = String(text[text.index(after: dateEnd)...])
                } else {
                    day = text[..<dateEnd]
                }
            }
            // Events within one millisecond have the same text, so it is printed only once.
            guard text != last else { continue }
            let column = scale.column(of: eventTime)
            guard axis.isEmpty || column >= axis.count + 2, column + text.count <= stripWidth else { continue }
            axis += String(repeating: " ", count: column - axis.count) + text
            last = text
        }
        return axis
    }

    /// The meanings of the letters and signs that the drawing contains.
    private func legend(_ scale: Scale) -> String {
        let short = lanes.flatMap { runs(of: $0, scale).runs }.filter { run in
            run.state.map { run.to - run.from < $0.name.count + 1 } ?? false
        }
        var parts = ClientState.allCases.filter { state in short.contains { $0.state == state } }.map {
            "\(Self.letter(of: $0)) \($0.name)"
        }
        let signs: [(StateHistory.Tick.Kind, String)] = [(.kick, "kick"), (.fault, "fault"), (.mark, "mark")]
        for (kind, name) in signs where ticks.contains(where: { $0.kind == kind }) {
            parts.append("\(sign(of: kind)) \(name)")
        }
        var rows = [""]
        for part in parts {
            let row = rows[rows.count - 1]
            if !row.isEmpty, row.count + 3 + part.count > max(columns, Self.stripMin) {
                rows.append(part)
            } else {
                rows[rows.count - 1] = row.isEmpty ? part : row + "   " + part
            }
        }
        return rows.joined(separator: "\n")
    }

    // MARK: Time

    /// Maps times to columns.
    private struct Scale {
        private let eventTimes: [Instant]
        /// The distance of each time from the left edge, as a part of the width from 0 to 1.
        private let offsets: [Double]
        private let width: Int

        init(eventTimes: [Instant], width: Int) {
            self.eventTimes = eventTimes
            self.width = width
            var sums: [Double] = []
            var sum = 0.0
            for (position, eventTime) in eventTimes.enumerated() {
                if position > 0 { sum += Self.weight(of: eventTime - eventTimes[position - 1]) }
                sums.append(sum)
            }
            offsets = sums.map { sum > 0 ? $0 / sum : 0 }
        }

        /// One more than the number of binary digits of the milliseconds. It replaces a logarithm, because whole
        /// numbers are the same on every machine.
        private static func weight(of interval: Interval) -> Double {
            let milliseconds = UInt64(max(0, interval.inMilliseconds))
            return Double(1 + UInt64.bitWidth - milliseconds.leadingZeroBitCount)
        }

        func column(of eventTime: Instant) -> Int {
            let position = eventTimes.partitioningIndex { $0 >= eventTime }
            guard position < offsets.count else { return width - 1 }
            return min(width - 1, Int(offsets[position] * Double(width - 1)))
        }
    }
}
