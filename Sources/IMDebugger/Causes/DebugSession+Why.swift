import IMScript

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
        let last = try timeline.last(before: position + 1) { view in
            EventKind.mayBe("transition", view) && self.decoded(view).kind == "transition"
        }
        guard let last else {
            throw DebuggerError(
                "no transition at or before event \(position); 'next' goes to one, 'why N' asks about an event")
        }
        return last.number
    }
}
