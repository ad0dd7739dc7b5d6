/// The earliest possible time of the cause of an ending. A kick that waits for a connection comes long after its cause.
struct EarliestTime {
    private let app: ObservedApp
    private let found: CandidateRun
    private var runsLeft: Int

    init(_ app: ObservedApp, _ found: CandidateRun, runsMax: Int) {
        self.app = app
        self.found = found
        runsLeft = runsMax
    }

    /// The smallest step of the bisection.
    private static let step: Milliseconds = 100
    private static let runsPerEnding = 14

    /// The earliest time at which an event explains the log, by bisection from the first line on.
    ///
    /// - Returns: nil if the event is not hidden, or if no runs are left.
    mutating func time(of event: HiddenEvent) throws -> Milliseconds? {
        let decisions = found.candidate.decisions
        guard runsLeft > 0, app.hasTimes, !found.candidate.setsClock,
            let decision = decisions.firstIndex(where: { $0.move.events.contains(event) }),
            let index = decisions[decision].move.events.firstIndex(of: event)
        else { return nil }
        // The events of one cause keep their order.
        let before = decisions[decision].move.events[..<index].map(\.time).filter { $0 < event.time }.max()
        var failing = max(app.lines[0].time, before ?? 0)
        var fitting = event.time
        var runs = 0
        while fitting - failing > Self.step, runs < Self.runsPerEnding, runsLeft > 0 {
            var candidate = found.candidate
            // Most kicks come directly after their cause: one run shows that.
            let middle = runs == 0 ? max(failing, fitting - 2000) : failing + (fitting - failing) / 2
            candidate.decisions[decision].move.events[index].time = middle
            let run = try CandidateRun(candidate, app, after: found, keepsCheckpoints: false)
            runs += 1
            runsLeft -= 1
            if run.match.isWhole { fitting = middle } else { failing = middle }
            if runs == 1, fitting == event.time { break }
        }
        return fitting
    }
}
