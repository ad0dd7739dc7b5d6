import IMProtocol
import IMScript
import Recorder

extension DebugSession {
    /// What led to an event, and by which rule.
    ///
    /// - Throws: ``DebuggerError`` or `SessionError`, for a number that no event has too.
    public func why(_ number: UInt64) throws -> Explanation {
        try CauseFinder(self).explanation(of: number)
    }

    /// The event at the position. What the recorder wrote there has no cause worth a question: the last transition has.
    package func eventToExplain() throws -> UInt64 {
        if position > 0 {
            switch try timeline.event(position).role {
            case .start, .input, .effect, .stop, .environment, .mark: return position
            case .header, .clock, .keyframe, .closing: break
            }
        }
        guard let last = try lastOutcome() else {
            throw DebuggerError(
                "no transition and no failed command at or before event \(position); "
                    + "'next' goes to a transition, 'why N' asks about an event")
        }
        return last
    }

    /// The number of the last change of state or failed command at or before the position; nil where there is none.
    ///
    /// - Parameter node: of this client; nil for any.
    package func lastOutcome(of node: NodeIndex? = nil) throws -> UInt64? {
        try timeline.last(before: position + 1) { view in
            guard node == nil || view.node == node, view.role == .effect else { return false }
            switch self.decoded(view).content {
            case .effect(.transition): return true
            case .effect(.complete(_, let completion)): return !completion.status.isGranted
            default: return false
            }
        }?.number
    }
}

extension Status {
    /// Whether a request was granted, at once or for a receiver who is away.
    var isGranted: Bool { self == .ok || self == .stored }
}
