import IMClient
import IMProtocol
import IMSession
import Recorder
import SansIO

// Searches that start at the position of the session.

extension DebugSession {
    /// The number of the first event that meets a condition, among those after event `number`. Nil if there is none.
    ///
    /// - Parameters:
    ///   - condition: in the language of `imrepl show --filter`: `kind == transition and to == kicked`.
    ///   - number: the number of the event after which the search starts; 0 to search all events.
    /// - Throws: ``DebuggerError`` or `FilterError` for an invalid condition; `SessionError`.
    public func first(_ condition: String, after number: UInt64 = 0) throws -> UInt64? {
        let condition = try ReplayCondition(condition)
        return try search(isForward: true, from: number) { try condition.holds(for: $0, in: $1) }
    }

    /// The number of the last event that meets a condition, among those before event `number`. Nil if there is none.
    ///
    /// - Parameters:
    ///   - condition: as for ``first(_:after:)``.
    ///   - number: the number of the event before which the search starts; nil to search all events.
    /// - Throws: as ``first(_:after:)``.
    public func last(_ condition: String, before number: UInt64? = nil) throws -> UInt64? {
        let condition = try ReplayCondition(condition)
        return try search(isForward: false, from: number ?? count + 1) { try condition.holds(for: $0, in: $1) }
    }

    /// The number of the nearest event after or before `start` that meets the condition; nil if there is none. `start`
    /// is the position by default. The event at `start` is not checked.
    package func search(
        isForward: Bool, from start: UInt64? = nil, where condition: (EventView, DebugSession) throws -> Bool
    ) throws -> UInt64? {
        let position = start ?? position
        var failure: (any Error)?
        var visitedCount: UInt64 = 0
        let holds = { (view: EventView) -> Bool in
            guard failure == nil else { return true }
            visitedCount &+= 1
            do {
                // With Ctrl-C, a user can end a search that takes too long.
                if visitedCount & 4095 == 0, self.isInterrupted() { throw DebuggerError("interrupted") }
                return try condition(view, self)
            } catch {
                failure = error
                return true
            }
        }
        let found =
            isForward
            ? try timeline.first(after: position, where: holds) : try timeline.last(before: position, where: holds)
        if let failure { throw failure }
        return found?.number
    }

    /// The newest command of a client before an event that satisfies the condition; nil if there is none.
    func lastCommand(
        of client: NodeIndex, before number: UInt64, where matches: (ClientCommand) -> Bool
    ) throws -> (number: UInt64, command: ClientCommand)? {
        var found: ClientCommand?
        let event = try timeline.last(before: number) { view in
            guard view.node == client, view.role == .input, view.channel == .sdk,
                case .input(.clientCommand(_, let command)) = self.decoded(view).content, matches(command)
            else { return false }
            found = command
            return true
        }
        guard let event, let found else { return nil }
        return (event.number, found)
    }

    /// The number of the first event in a range after which `holds` is true of the machines. `holds` must be true at
    /// the end of the range, and must not become false again within the range, because the search is binary.
    func first(
        from first: UInt64, through last: UInt64, where holds: (Replay<IMSessionSchema>) -> Bool
    ) throws -> UInt64 {
        try (first..<max(first, last)).partitioningIndex { holds(try timeline.state(at: $0)) }
    }

    /// The effects of an input; none if the recording does not contain causes.
    func effects(of input: UInt64) throws -> [SessionEvent] {
        var found: [SessionEvent] = []
        try timeline.scan(after: input) { view in
            guard view.role == .effect, view.cause == input else { return false }
            found.append(self.decoded(view))
            return true
        }
        return found
    }

    /// The end of the message that a search found nothing. It names a match at the position or in the other direction.
    /// If there is none, it lists the kinds of events in the recording.
    package func matchesElsewhere(
        isForward: Bool, where condition: (EventView, DebugSession) throws -> Bool
    ) throws -> String {
        if position > 0, try timeline.event(position).withView({ try condition($0, self) }) {
            return "; the position is at one, #\(position)"
        }
        if let other = try search(isForward: !isForward, where: condition) {
            return "; there is one at #\(other), \(isForward ? "before" : "after") here"
        }
        return ", and none elsewhere; this recording has \(try kindsText())"
    }

    /// The number of events of each kind, under the names that `next` accepts.
    private func kindsText() throws -> String {
        var counts: [String: Int] = [:]
        var states: [String] = []
        _ = try search(isForward: true, from: 0) { view, session in
            let event = session.decoded(view)
            counts[event.kind, default: 0] += 1
            if case .effect(.transition(let change)) = event.content, !states.contains(change.to.name) {
                states.append(change.to.name)
            }
            return false
        }
        let kinds = EventKind.searchable.filter { $0 != "keyframe" }.compactMap { kind -> String? in
            guard let count = counts[kind] else { return nil }
            let to = kind == "transition" && !states.isEmpty ? " (to \(states.joined(separator: ", ")))" : ""
            return "\(kind) \(count)\(to)"
        }
        return kinds.isEmpty ? "no events" : kinds.joined(separator: ", ")
    }

    // MARK: Pending operations

    /// The number of the event at which the pending operation of the current node ends: the result of its command, the
    /// end of its connection, or the last effect of the input at the position.
    package func endOfPendingOperation() throws -> UInt64 {
        guard position > 0, let node = try currentNode() else {
            throw DebuggerError("nothing is in progress here; 'next command' goes to a command")
        }
        if let end = try resultAhead(of: node) ?? nextLinkEnd(at: node) ?? answerEnd(of: node) {
            return end
        }
        throw DebuggerError("nothing is in progress on \(reader.name(of: node)) at event \(position)")
    }

    /// The result, after the position, of the newest command of the node that has no result at the position.
    private func resultAhead(of node: NodeIndex) throws -> UInt64? {
        var open: [CommandID] = []
        _ = try timeline.first(after: 0, upTo: position) { view in
            guard view.node == node, view.channel == .sdk, view.role == .input || view.role == .effect else {
                return false
            }
            let event = decoded(view)
            guard let id = event.commandID else { return false }
            if view.role == .input { open.append(id) } else { open.removeAll { $0 == id } }
            return false
        }
        guard let id = open.last else { return nil }
        return try timeline.first(after: position) { view in
            view.node == node && view.channel == .sdk && view.role == .effect && self.decoded(view).commandID == id
        }?.number
    }

    /// The event after the position in which the node notices or causes the end of the connection to which the event
    /// at the position belongs; nil if there is none.
    private func nextLinkEnd(at node: NodeIndex) throws -> UInt64? {
        let stream = try timeline.event(position).stream
        guard stream != 0 else { return nil }
        return try timeline.first(after: position) { view in
            guard view.node == node, view.stream == stream, view.channel == .runtime else { return false }
            switch self.decoded(view).content {
            case .input(.linkClosed), .input(.linkFailed), .effect(.closeLink): return true
            default: return false
            }
        }?.number
    }

    /// The last effect of the input at the position.
    private func answerEnd(of node: NodeIndex) throws -> UInt64? {
        let next = try timeline.first(after: position) { $0.role != .effect || $0.node != node }
        let end = next.map { $0.number - 1 } ?? count
        return end > position ? end : nil
    }
}
