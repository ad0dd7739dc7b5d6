import IMProfiles
import IMProtocol

/// A script for `imrepl run` that plays a candidate.
struct CandidateScript {
    let text: String
    /// The time of the log's first line in the script.
    let origin: Milliseconds

    /// - Parameter run: a run of the candidate.
    init(_ candidate: Candidate, _ run: CandidateRun, _ app: ObservedApp) throws {
        let shift = Self.leadTime(run, app)
        let early = app.moved(by: shift)
        let other = try CandidateRun(candidate.moved(by: shift), early, keepsCheckpoints: false)
        // The script begins without the long wait of the search, if the shifted candidate still reproduces the log.
        // Some results depend on the absolute time. Then the script has the times of the search.
        let check = ExplanationCheck(other.match.observed, other.match.simulated, early)
        let isSame = other.match.isWhole && check.isReproduced
        self = isSame ? CandidateScript(other, early) : CandidateScript(run, app)
    }

    /// Makes a script with the times of the search.
    init(_ run: CandidateRun, _ app: ObservedApp) {
        origin = app.origin
        var lines = [
            "#! imrepl script 1", "# title: events that may have happened without a line in a log",
            "# profile: \(app.profile)",
            "# seed: 1",
        ]
        if let first = app.lines.first, !first.stamp.isEmpty {
            lines.append("# line \(first.number) of the log, \(first.stamp), is at \(origin.signedSeconds)")
        }
        if !app.hasTimes { lines.append("# The log has no times: the waits are assumed.") }
        lines.append("")
        var now: Milliseconds = 0
        func wait(until time: Milliseconds) {
            if time > now { lines.append("wait \(time - now)ms") }
            now = max(now, time)
        }
        for (index, step) in run.steps.enumerated() {
            wait(until: step.time)
            lines.append((run.failedSteps.contains(index) ? "! " : "") + step.text)
        }
        wait(until: (run.match.observed.last?.time ?? 0) + 1000)
        text = lines.joined(separator: "\n") + "\n"
    }

    /// The length of the time at the beginning of a run in which nothing happens.
    private static func leadTime(_ run: CandidateRun, _ app: ObservedApp) -> Milliseconds {
        // The creation of the client and the server's policy at 1 ms are not counted, because they can be at the start
        // of the world.
        let steps = run.steps.map(\.time).filter { $0 != app.begin && $0 > 1 }
        return max(0, min(app.lines[0].time, steps.min() ?? .max))
    }
}

extension Milliseconds {
    /// The time in seconds: `+12.345s`, or `-0.500s` for a time before the first line of the log.
    var signedSeconds: String {
        let fraction = String(abs(self) % 1000)
        let zeros = String(repeating: "0", count: 3 - fraction.count)
        return "\(self < 0 ? "-" : "+")\(abs(self) / 1000).\(zeros)\(fraction)s"
    }
}
