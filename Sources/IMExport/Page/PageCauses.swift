import IMDebugger

/// The results of `why` for the page's side panel: the cause of each event, and the deciding rule of each kick,
/// transition, callback and result. The page's script makes the chains from the causes.
struct PageCauses {
    struct Cause: Equatable {
        /// The number of the explained event.
        var number: UInt64
        /// The number of the event that caused the explained one; nil if the cause is unknown or is not an event of the
        /// recording.
        var next: UInt64?
        /// How `next` caused the explained event, or the text of a cause that is not an event.
        var how: String
    }

    struct Verdict: Equatable {
        var number: UInt64
        /// The deciding rule and values.
        var rule: String
        /// The event that decided a kick which the server delivered later; nil for every other event.
        var decision: UInt64?
        /// The event of the login that the kick ended; nil for an event that is not a kick.
        var lost: UInt64?
    }

    /// The maximum number of events of a session for which the page contains the cause of every event. In a longer
    /// session, it contains only the chains of the events with a verdict.
    static let eventsMax: UInt64 = 1_500
    /// The maximum number of events for which the deciding rule is looked up. In a longer session, they are the newest
    /// ones.
    static let verdictsMax = 200

    private(set) var causes: [Cause] = []
    private(set) var verdicts: [Verdict] = []

    init(_ session: ExportedSession) {
        // Errors are ignored. The page of a recording that cannot be replayed has no causes.
        try? read(session)
    }

    private mutating func read(_ exported: ExportedSession) throws {
        guard exported.reader.eventCount <= UInt64(PageStates.eventsMax) else { return }
        let session = try DebugSession(exported.reader)
        let finder = CauseFinder(session)
        var explained: [UInt64] = []
        var pending: [UInt64] = []
        try session.timeline.scan(after: 0, upTo: session.count) { view in
            let event = session.decoded(view)
            let isExplained = ["transition", "callback", "result"].contains(event.kind)
            if isExplained || event.isKick { explained.append(view.number) }
            if session.count <= Self.eventsMax, view.role == .input || view.role == .effect {
                pending.append(view.number)
            }
            return true
        }
        explained = Array(explained.suffix(Self.verdictsMax))
        pending += explained
        var known: Set<UInt64> = []
        while let number = pending.popLast() {
            guard known.insert(number).inserted else { continue }
            switch try finder.cause(of: number) {
            case .event(let next, let how) where next < number:
                causes.append(Cause(number: number, next: next, how: how))
                pending.append(next)
            case .event: causes.append(Cause(number: number, next: nil, how: "its cause is not in this recording"))
            case .outside(let what), .unknown(let what):
                causes.append(Cause(number: number, next: nil, how: what))
            }
        }
        causes.sort { $0.number < $1.number }
        for number in explained {
            let explanation = try finder.explanation(of: number)
            guard let rule = explanation.verdict.rule else { continue }
            verdicts.append(
                Verdict(
                    number: number, rule: rule.text, decision: explanation.kick?.decision,
                    lost: explanation.kick?.endedLogin))
        }
    }

    /// `steps` has a row `[number, next or 0, how]` for each cause, `rules` a row `[number, rule, decision or 0, lost
    /// or 0]` for each verdict.
    var json: String {
        let steps = causes.map { "[\($0.number),\($0.next ?? 0),\(JSONText.shown($0.how))]" }
        let rules = verdicts.map {
            "[\($0.number),\(JSONText.shown($0.rule)),\($0.decision ?? 0),\($0.lost ?? 0)]"
        }
        return "{\"steps\":\(JSONText.list(steps)),\"rules\":\(JSONText.list(rules))}"
    }
}
