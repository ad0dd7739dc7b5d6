import IMProfiles
import IMProtocol
import IMText

/// A candidate that produces the lines of the log, checked a second time.
package struct Explanation: Sendable {
    /// A hidden event, for display.
    package struct Event: Sendable {
        /// The time since the log's first line.
        package var time: Milliseconds
        /// The line of the log that it explains, and its time.
        package var line: Int
        package var stamp: String
        /// The line of a script.
        package var text: String
        /// True if it is a call of the app that the log lacks.
        package var isMissingCall = false
        /// Other possible causes of the line; nil for none.
        package var note: String?
    }

    /// A line that ends or breaks a login.
    package struct EndingText: Sendable {
        package var line: Int
        package var stamp: String
        package var text: String
        package var cause: EndingCause
    }

    /// A kind of callback that the log never has.
    package struct Unlogged: Sendable {
        package var kind: String
        /// How often the simulation produces it.
        package var count: Int
    }

    let candidate: Candidate
    let endings: [Ending]
    /// Kinds of callbacks that the simulation produces and the log never has.
    package let unlogged: [Unlogged]
    /// The script that runs it.
    package let script: String
    package let events: [Event]
    package let endingTexts: [EndingText]
    /// The result of the second matcher.
    package let check: ExplanationCheck

    /// Nil if the second matcher disagrees.
    init?(_ candidate: Candidate, _ app: ObservedApp, _ table: any VendorTable) throws {
        let run = try CandidateRun(candidate, app, keepsCheckpoints: false)
        let check = ExplanationCheck(candidate.lines(of: app), run.match.simulated, app)
        guard check.isReproduced else { return nil }
        self.candidate = candidate
        self.check = check
        unlogged = ExplanationCheck.unlogged(run.match.simulated, app)
        endings = candidate.endings(app, table)
        script = CandidateScript(run, app).text
        events = candidate.decisions.flatMap { decision -> [Event] in
            let line = app.lines[decision.line]
            var events = decision.move.events.compactMap { event -> Event? in
                guard let text = event.step(app)?.text else { return nil }
                var isMissing = false
                if case .call = event.action { isMissing = true }
                return Event(
                    time: event.time - app.origin, line: line.number, stamp: line.stamp, text: text,
                    isMissingCall: isMissing, note: event.note(for: decision.line, app, table))
            }
            events += decision.move.tokenLives.map { life in
                let call = life.line < 0 ? nil : app.lines[life.line]
                let login = call.map { "line \($0.number)" } ?? "the login before"
                return Event(
                    time: (call?.time ?? app.origin) - app.origin, line: line.number, stamp: line.stamp,
                    text: life.text(of: login))
            }
            if decision.move.clockSet != 0 {
                events.append(
                    Event(
                        time: line.time - app.origin, line: line.number, stamp: line.stamp,
                        text: "the clock is set by \(decision.move.clockSet) ms"))
            }
            return events
        }.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
        endingTexts = endings.map { ending in
            let line = app.lines[ending.line]
            return EndingText(line: line.number, stamp: line.stamp, text: line.text, cause: ending.cause)
        }
    }
}

/// Compares the log and a simulation again, independently of the search.
package struct ExplanationCheck: Sendable {
    /// The numbers of the log's lines that the simulation lacks.
    package var missing: [Int] = []
    /// The number of simulated callbacks and returns that the log lacks.
    package var extra = 0
    package var observed: Int
    private let extraMax: Int

    init(_ observed: [AppLine], _ simulated: [AppLine], _ app: ObservedApp) {
        self.observed = observed.count
        extraMax = app.lostLinesMax
        var free = Array(simulated.indices)
        for line in observed {
            let fitting = free.filter {
                simulated[$0].fits(line) && abs(simulated[$0].time - line.time) <= app.tolerance
            }
            let nearest = fitting.min { abs(simulated[$0].time - line.time) < abs(simulated[$1].time - line.time) }
            if let nearest { free.removeAll { $0 == nearest } } else { missing.append(line.number) }
        }
        guard let first = observed.first, let last = observed.last else { return }
        let begin = first.time + (app.isCut ? 100 : -app.tolerance)
        let left = free.map { simulated[$0] }.filter {
            ($0.kind == .callback || $0.kind == .result) && $0.time >= begin
                && $0.time <= last.time - (app.isComplete ? app.tolerance : 0)
        }
        if app.isComplete {
            extra = left.count
            return
        }
        // A kind that the log never has counts once.
        var unlogged: [String] = []
        for line in left where line.kind == .callback && !app.callbackKinds.contains(line.callbackKind) {
            if !unlogged.contains(line.callbackKind) { unlogged.append(line.callbackKind) }
        }
        let isLogged = { (line: AppLine) in line.kind == .result || app.callbackKinds.contains(line.callbackKind) }
        // If an app logs no callbacks, none was lost.
        extra = left.count(where: isLogged) + (app.callbackKinds.isEmpty ? 0 : unlogged.count)
    }

    /// Kinds of callbacks that the log never has, and that come too often to be lost lines.
    static func unlogged(_ simulated: [AppLine], _ app: ObservedApp) -> [Explanation.Unlogged] {
        guard let first = app.lines.first, let last = app.lines.last else { return [] }
        var found: [Explanation.Unlogged] = []
        for line in simulated
        where line.kind == .callback && !app.callbackKinds.contains(line.callbackKind) && line.time >= first.time
            && line.time <= last.time
        {
            if let index = found.firstIndex(where: { $0.kind == line.callbackKind }) {
                found[index].count += 1
            } else {
                found.append(Explanation.Unlogged(kind: line.callbackKind, count: 1))
            }
        }
        return found.filter { $0.count > 2 }
    }

    package var isReproduced: Bool { missing.isEmpty && extra <= extraMax }
}

/// A candidate as a script that `imrepl run` plays.
struct CandidateScript {
    let text: String

    init(_ run: CandidateRun, _ app: ObservedApp) {
        var lines = [
            "#! imrepl script 1", "# title: events that may have happened without a line in a log",
            "# profile: \(app.profile)",
            "# seed: 1",
        ]
        if !app.hasTimes { lines.append("# The log has no times: the waits are assumed.") }
        lines.append("")
        var now: Milliseconds = 0
        func wait(until time: Milliseconds) {
            if time > now { lines.append("wait \(time - now)ms") }
            now = max(now, time)
        }
        for (index, step) in run.steps.enumerated() {
            wait(until: step.time)
            lines.append((run.refused.contains(index) ? "! " : "") + step.text)
        }
        wait(until: (run.match.observed.last?.time ?? 0) + 1000)
        text = lines.joined(separator: "\n") + "\n"
    }
}

/// The first line that the best candidate cannot explain, for a log without an explanation.
package struct NearestMiss: Sendable {
    /// The first line without an explanation.
    package var line: Int
    package var stamp: String
    package var text: String
    /// The number of explained lines before it.
    package var explained: Int
    package var lineCount: Int
    /// The next line of the simulation instead; nil for none.
    package var instead: String?
    /// The difference in time if the simulation has the same line earlier or later; nil if it does not have it.
    package var offBy: Milliseconds?
    /// A line of the simulation before it that a complete log lacks; nil for none.
    package var lacking: String?
    /// The candidate up to that line.
    package var script: String

    init(_ run: CandidateRun, _ app: ObservedApp, _ table: any VendorTable) {
        let index = min(run.match.mismatch ?? 0, app.lines.count - 1)
        let line = run.match.observed[index]
        self.line = line.number
        stamp = line.stamp
        text = line.text
        explained = index
        lineCount = app.lines.count
        let unmet = run.match.simulated.enumerated().filter { !run.match.isMet($0.offset) }.map(\.element)
        instead = unmet.first { $0.time >= line.time - app.slack }?.text
        lacking =
            app.isComplete && run.match.isSurplus
            ? unmet.first { $0.kind == .callback || $0.kind == .result }?.text : nil
        offBy =
            !app.hasTimes ? nil : unmet.filter { $0.fits(line) }.map { $0.time - line.time }.min { abs($0) < abs($1) }
        script = CandidateScript(run, app).text
    }
}
