/// Finds the earliest possible time of the cause of an ending. A cause can be long before its ending. For example, a
/// kick cannot reach a client that has no connection.
struct EarliestTime {
    private let app: ObservedApp
    private let found: CandidateRun
    private var runsLeft: Int

    init(_ app: ObservedApp, _ found: CandidateRun, runsMax: Int) {
        self.app = app
        self.found = found
        runsLeft = runsMax
    }

    /// The precision of the binary search.
    private static let step: Milliseconds = 100
    private static let runsPerEvent = 14

    /// Returns the earliest times of the cause of an ending, and of a loss of the network before it, with which the
    /// candidate still explains the log.
    ///
    /// A client without a network receives a kick only after the network returns. The network can be lost some time
    /// before the log shows it. So first the earliest time of the loss is searched, and then that of the cause.
    ///
    /// - Returns: nil if the event is not in the candidate, if no runs are left, or if the candidate's times are not
    ///   exact.
    mutating func times(of event: HiddenEvent) throws -> (cause: Milliseconds, loss: (HiddenEvent, Milliseconds)?)? {
        let candidate = found.candidate
        guard runsLeft > 0, app.hasTimes, !candidate.setsClock, let position = position(of: event) else { return nil }
        // Most endings follow their cause at once. One run with an earlier cause shows whether this ending does.
        if event.time - app.lines[0].time > Self.direct,
            !(try fits(Self.moving(position, to: event.time - Self.direct, in: candidate)))
        {
            return (event.time, nil)
        }
        let losses = candidate.events.filter { [.net(.halfOpen), .net(.down)].contains($0.action) }
        guard let loss = losses.last(where: { $0.time <= event.time }), let lossPosition = self.position(of: loss)
        else {
            return (try earliest(position, in: candidate), nil)
        }
        let time = try earliest(lossPosition, in: candidate)
        return (try earliest(position, in: Self.moving(lossPosition, to: time, in: candidate)), (loss, time))
    }

    /// If the cause cannot be this much earlier, it must have happened directly before the ending.
    private static let direct: Milliseconds = 2000

    private typealias Position = (decision: Int, event: Int)

    private func position(of event: HiddenEvent) -> Position? {
        for (number, decision) in found.candidate.decisions.enumerated() {
            if let index = decision.move.events.firstIndex(of: event) { return (number, index) }
        }
        return nil
    }

    /// A binary search between the first line and the found time. An event is not moved before an earlier event of the
    /// same move.
    private mutating func earliest(_ position: Position, in candidate: Candidate) throws -> Milliseconds {
        let events = candidate.decisions[position.decision].move.events
        var fitting = events[position.event].time
        var failing = max(app.lines[0].time, events[..<position.event].map(\.time).filter { $0 < fitting }.max() ?? 0)
        var runs = 0
        while fitting - failing > Self.step, runs < Self.runsPerEvent, runsLeft > 0 {
            let middle = failing + (fitting - failing) / 2
            runs += 1
            if try fits(Self.moving(position, to: middle, in: candidate)) { fitting = middle } else { failing = middle }
        }
        return fitting
    }

    private static func moving(_ position: Position, to time: Milliseconds, in candidate: Candidate) -> Candidate {
        var candidate = candidate
        candidate.decisions[position.decision].move.events[position.event].time = time
        return candidate
    }

    private mutating func fits(_ candidate: Candidate) throws -> Bool {
        runsLeft -= 1
        return try CandidateRun(candidate, app, after: found, keepsCheckpoints: false).match.isWhole
    }
}
