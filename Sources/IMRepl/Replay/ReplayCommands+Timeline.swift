import IMDebugger
import IMShell
import Recorder
import SansIO

/// `timeline`: draws the states of the clients around the position, as the shell's `timeline` does.
extension ReplayCommands {
    /// The default number of events on either side of the position. Most recordings have fewer events.
    static let timelineSpread: UInt64 = 500

    static let timeline = ReplayCommand(
        name: "timeline", group: .looking, usage: "[±N | all]",
        summary: "Draw the states of all clients around the position, with kicks, faults and marks.",
        notes: """
            It draws N events on either side; the default is \(timelineSpread). The sign above the strips is the \
            current position. Time is not to scale, so that milliseconds and hours are both visible.
            """,
        examples: ["timeline", "timeline 20", "timeline all"],
        arguments: [.words(["all"])], check: { line in _ = try line.timelineSpread() },
        run: { session, line in
            let spread = try line.timelineSpread()
            if session.output.form == .json {
                return try session.output.object(session.timelineObject(spread: spread))
            }
            let drawing = try session.timelineDrawing(spread: spread)
            guard !drawing.lanes.isEmpty else {
                throw CommandFailure("no client runs around event \(session.position); 'timeline all' draws everything")
            }
            for line in drawing.lines { session.output.verbatim(line) }
        })
}

extension ReplayLine {
    /// The number of events on either side of the position; nil for all.
    fileprivate func timelineSpread() throws -> UInt64? {
        guard let text = try optionalArgument() else { return ReplayCommands.timelineSpread }
        if text == "all" { return nil }
        let digits = text.hasPrefix("±") || text.hasPrefix("+") || text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard let number = UInt64(digits), number > 0 else {
            throw CommandFailure("'\(text)' is neither a number of events, from 1, nor 'all'")
        }
        return number
    }
}

extension ReplaySession {
    /// - Parameter spread: the number of events on either side of the position; nil for all.
    func timelineDrawing(spread: UInt64?) throws -> StateChart {
        let strips = try strips(spread: spread)
        let columns = output.columns
        return StateChart(
            lanes: strips.log.lanes, ticks: strips.log.ticks, now: strips.end,
            columns: columns ?? StateChart.columnsDefault,
            isUnicode: columns != nil && StateChart.isUTF8, clock: output.clock, begin: strips.begin,
            mark: (Self.drawnTime(try time(), position, first: strips.first), "\(position)/\(count)"))
    }

    /// The timeline as an object for programs.
    fileprivate func timelineObject(spread: UInt64?) throws -> AnswerObject {
        let strips = try strips(spread: spread)
        return try strips.log.object(from: strips.begin, to: strips.last, position: position, wall: output.clock.wall) {
            try timeline.event($0).time
        }
    }

    /// The time at which an event is drawn. Many events can have the same time, so a nanosecond is added for each event
    /// to keep their order.
    private static func drawnTime(_ time: Instant, _ number: UInt64, first: UInt64) -> Instant {
        time + Interval(nanoseconds: Int64(clamping: number >= first ? number - first + 1 : 0))
    }

    /// The history of the states around the position, the number of its first event, its start and end as they are
    /// drawn, and the time of its last event.
    private func strips(
        spread: UInt64?
    ) throws -> (log: StateHistory, first: UInt64, begin: Instant, end: Instant, last: Instant) {
        let spread = spread ?? count
        let first = position > spread ? position - spread : 1
        let last = spread > count - position ? count : position + spread
        let begin = first == 1 ? Instant.zero : try timeline.event(first).time
        let before = first == 1 ? [] : try lanes(before: first, begin)
        let log = StateHistory(lanes: before)
        var (end, lastTime) = (begin, begin)
        try timeline.scan(after: first - 1, upTo: last) { view in
            lastTime = view.time
            let drawnTime = Self.drawnTime(view.time, view.number, first: first)
            end = max(end, drawnTime)
            guard Self.isDrawn(view) else { return true }
            var event = decoded(view)
            event.time = drawnTime
            log.take(event)
            return true
        }
        return (log, first, begin, end, lastTime)
    }

    /// The clients' states before an event, as the recorded transitions show them. A machine changes its state at an
    /// input, and the transitions are separate events after that input. So this takes the state before the last input,
    /// and applies the transitions between that input and the event.
    private func lanes(before number: UInt64, _ time: Instant) throws -> [StateHistory.Lane] {
        let cause = try timeline.last(before: number) { $0.role != .effect }?.number ?? 1
        let state = try timeline.state(at: cause - 1)
        let lanes = nodes.compactMap { node -> StateHistory.Lane? in
            guard let client = state[node]?.client else { return nil }
            return StateHistory.Lane(name: reader.name(of: node), changes: [.init(time: time, state: client.state)])
        }
        let log = StateHistory(lanes: lanes)
        try timeline.scan(after: cause - 1, upTo: number - 1) { view in
            if Self.isDrawn(view) { log.take(decoded(view)) }
            return true
        }
        return log.lanes.map { lane in
            StateHistory.Lane(name: lane.name, changes: [.init(time: time, state: lane.changes.last?.state)])
        }
    }

    /// True if the chart shows the event. Other events are not decoded.
    private static func isDrawn(_ view: EventView) -> Bool {
        switch view.role {
        case .start, .stop, .environment, .mark: true
        case .effect: EventPeek.kinds(of: view).contains(.transition)
        case .header, .clock, .input, .keyframe, .closing: false
        }
    }
}
