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
        guard let last = try lastTransition() else {
            throw DebuggerError(
                "no transition at or before event \(position); 'next' goes to one, 'why N' asks about an event")
        }
        return last
    }

    /// The number of the last change of state at or before the position; nil where there is none.
    ///
    /// - Parameter node: of this client; nil for any.
    package func lastTransition(of node: NodeIndex? = nil) throws -> UInt64? {
        try timeline.last(before: position + 1) { view in
            (node == nil || view.node == node) && EventKind.mayBe("transition", view)
                && self.decoded(view).kind == "transition"
        }?.number
    }
}
