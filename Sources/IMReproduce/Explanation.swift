import IMProfiles
import IMProtocol
import IMText

/// A candidate whose simulation has all lines of the log. ``ExplanationCheck`` has confirmed it.
package struct Explanation: Sendable {
    /// A hidden event, for display.
    package struct Event: Sendable {
        /// The time since the log's first line.
        package var time: Milliseconds
        /// The number of the line that the event explains. `stamp` is the time in that line.
        package var line: Int
        package var stamp: String
        /// The event as a line of a script.
        package var text: String
        /// The earliest time at which the event would have the same consequences. Nil if it was not searched, or if it
        /// is not a second earlier than ``time``. If it is not nil, the log does not determine the time of the event.
        package var earliest: Milliseconds?
        /// True if the event is a call of the app that the log lacks.
        package var isMissingCall = false
        /// True if the event happened before the log begins.
        package var isBeforeLog = false
        /// Other possible causes of the line; nil for none.
        package var note: String?
    }

    /// A line at which a login ends, fails or is interrupted, for display.
    package struct EndingText: Sendable {
        package var line: Int
        package var stamp: String
        package var text: String
        package var cause: EndingCause
        /// The earliest time of day at which the cause may have happened; nil if it is not known.
        package var since: String?
        /// True if the cause must have happened within the last 2 s before the line.
        package var isSudden = false
    }

    let candidate: Candidate
    let endings: [Ending]
    /// The script that plays the candidate.
    package let script: String
    /// The time of the log's first line in the script.
    package let scriptOrigin: Milliseconds
    package private(set) var events: [Event]
    package private(set) var endingTexts: [EndingText]
    /// The result of the second comparison with the log.
    package let check: ExplanationCheck

    /// Nil if the second comparison finds that the simulation lacks a line of the log.
    init?(_ candidate: Candidate, _ app: ObservedApp, _ vendor: any VendorCauses) throws {
        let run = try CandidateRun(candidate, app, keepsCheckpoints: false)
        let check = ExplanationCheck(candidate.lines(of: app), run.match.simulated, app)
        guard check.isReproduced else { return nil }
        self.candidate = candidate
        self.check = check
        endings = candidate.endings(app, vendor)
        let script = try CandidateScript(candidate, run, app)
        (self.script, scriptOrigin) = (script.text, script.origin)
        events = candidate.decisions.flatMap { decision -> [Event] in
            let line = app.lines[decision.line]
            var events = decision.move.events.compactMap { event -> Event? in
                guard let text = event.step(app)?.text else { return nil }
                let isBefore = event.time < app.logBegin
                return Event(
                    time: event.time - app.origin, line: line.number, stamp: line.stamp, text: text,
                    isMissingCall: event.isCall && !isBefore, isBeforeLog: isBefore,
                    note: event.note(for: decision.line, app, vendor))
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
    /// Stores the earliest time of the cause of an ending.
    ///
    /// - Parameter time: the time in the simulated world.
    mutating func setEarliest(_ time: Milliseconds, ofEnding index: Int, _ app: ObservedApp) {
        guard let cause = endings[index].event else { return }
        let isEarlier = cause.time - time >= Self.suddenMax
        endingTexts[index].isSudden = !isEarlier && app.lines[endings[index].line].time - time < Self.suddenMax
        guard isEarlier else { return }
        endingTexts[index].since = candidate.setsClock ? nil : app.clock(at: time)
        setEarliest(time, of: cause, app)
    }

    /// Stores the earliest time of a hidden event, if it is a second or more before the event.
    mutating func setEarliest(_ time: Milliseconds, of hidden: HiddenEvent, _ app: ObservedApp) {
        guard hidden.time - time >= 1000, let text = hidden.step(app)?.text else { return }
        for event in events.indices where events[event].text == text && events[event].time == hidden.time - app.origin {
            events[event].earliest = time - app.origin
        }
    }

    /// If the cause must have happened within this time before its line, the question to the user mentions one time,
    /// not a period.
    private static let suddenMax: Milliseconds = 2000
}
