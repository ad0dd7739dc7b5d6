import IMProtocol
import Recorder

extension DebugSession {
    /// Returns the causes of an event, and the rule that decided it.
    ///
    /// - Throws: ``DebuggerError`` or `SessionError`, also for an unknown event number.
    public func why(_ number: UInt64) throws -> Explanation {
        try CauseFinder(self).explanation(of: number)
    }

    /// The event that `why` explains without an argument: the event at the position. If that is an entry of the
    /// recorder, such as a keyframe, it is the last transition or failed command before it. An observed session has
    /// neither, so there it is the last callback.
    package func eventToExplain() throws -> UInt64 {
        if position > 0 {
            switch try timeline.event(position).role {
            case .start, .input, .effect, .stop, .environment, .mark: return position
            case .header, .clock, .keyframe, .closing: break
            }
        }
        guard let last = try lastOutcome() ?? lastCallback() else {
            throw DebuggerError(
                "no transition and no failed command at or before event \(position); "
                    + "'next' goes to a transition, 'why N' explains an event")
        }
        return last
    }

    /// The number of the event that a text describes: a position, or a condition that holds for it. If several events
    /// match a condition, the last one is returned.
    ///
    /// - Throws: ``DebuggerError`` if there is no such event; `FilterError` if the text is neither a position nor a
    ///   condition.
    package func event(named text: String) throws -> UInt64 {
        guard let position = try? ReplayPosition(text) else {
            let condition = try ReplayCondition(text)
            guard
                let found = try search(
                    isForward: false, from: count + 1, where: { try condition.holds(for: $0, in: $1) })
            else { throw DebuggerError("no event of this recording matches '\(text)'") }
            return found
        }
        let number = try position.resolve(in: self)
        guard number > 0 else { throw DebuggerError("there is no event 0; the first one is 1") }
        return number
    }

    private func lastCallback() throws -> UInt64? {
        try timeline.last(before: position + 1) { self.decoded($0).kind == "callback" }?.number
    }

    /// The number of the last change of state or failed command at or before the position; nil if there is none.
    ///
    /// - Parameter node: the client; nil for all clients.
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
    /// True if the server granted a request. `stored` means that a message is stored for a receiver that is offline.
    var isGranted: Bool { self == .ok || self == .stored }
}
