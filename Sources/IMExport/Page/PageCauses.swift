import IMDebugger

/// The results of `why` for the page's side panel: for each event its cause, and for the interesting events the rule
/// that decided. The page follows the chains.
struct PageCauses {
    struct Cause: Equatable {
        /// The event's number.
        var number: UInt64
        /// The event that led to it; nil if it came from outside, or if the cause is not known.
        var next: UInt64?
        /// How it led to it, or the cause from outside.
        var how: String
    }

    struct Verdict: Equatable {
        var number: UInt64
        /// The deciding rule and values.
        var rule: String
        /// The event that decided a kick which was delivered late.
        var decision: UInt64?
        /// The login that the kick ended.
        var lost: UInt64?
    }

    /// In longer sessions, only the chains of interesting events are included.
    static let eventsMax: UInt64 = 1_500
    /// The maximum number of events with a verdict, the newest ones.
    static let askedMax = 200

    private(set) var causes: [Cause] = []
    private(set) var verdicts: [Verdict] = []

    init(_ session: ExportedSession) {
        // A recording that cannot be replayed still has a picture.
        try? read(session)
    }

    private mutating func read(_ exported: ExportedSession) throws {
        guard exported.reader.eventCount <= UInt64(PageStates.eventsMax) else { return }
        let session = try DebugSession(exported.reader)
        let finder = CauseFinder(session)
        var asked: [UInt64] = []
        var pending: [UInt64] = []
        try session.timeline.scan(after: 0, upTo: session.count) { view in
            let event = session.decoded(view)
            let isAsked = ["transition", "callback", "result"].contains(event.kind)
            if isAsked || event.isKick { asked.append(view.number) }
            if session.count <= Self.eventsMax, view.role == .input || view.role == .effect {
                pending.append(view.number)
            }
            return true
        }
        asked = Array(asked.suffix(Self.askedMax))
        pending += asked
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
        for number in asked {
            let explanation = try finder.explanation(of: number)
            guard let rule = explanation.verdict.rule else { continue }
            verdicts.append(
                Verdict(
                    number: number, rule: rule.text, decision: explanation.kick?.decision,
                    lost: explanation.kick?.endedLogin))
        }
    }

    /// `[number, next or 0, how]` and `[number, rule, decision or 0, lost or 0]`.
    var json: String {
        let steps = causes.map { "[\($0.number),\($0.next ?? 0),\(JSONText.shown($0.how))]" }
        let rules = verdicts.map {
            "[\($0.number),\(JSONText.shown($0.rule)),\($0.decision ?? 0),\($0.lost ?? 0)]"
        }
        return "{\"steps\":\(JSONText.list(steps)),\"rules\":\(JSONText.list(rules))}"
    }
}
