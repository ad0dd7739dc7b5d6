import IMClient
import IMProtocol
import IMSession
import Recorder

// Looking for events from the position on.

extension DebugSession {
    /// The number of the first event behind one for which a condition holds; nil where there is none.
    ///
    /// - Parameters:
    ///   - condition: as `imrepl show --filter` takes it: `kind == transition and to == kicked`.
    ///   - number: 0 looks at all.
    /// - Throws: ``DebuggerError`` or `FilterError` for a text that is no condition; `SessionError`.
    public func first(_ condition: String, after number: UInt64 = 0) throws -> UInt64? {
        let condition = try ReplayCondition(condition)
        return try search(isForward: true, from: number) { try condition.holds(for: $0, in: $1) }
    }

    /// The number of the last event before one for which a condition holds; nil where there is none.
    ///
    /// - Parameters:
    ///   - condition: as of ``first(_:after:)``.
    ///   - number: nil looks at all.
    /// - Throws: as ``first(_:after:)``.
    public func last(_ condition: String, before number: UInt64? = nil) throws -> UInt64? {
        let condition = try ReplayCondition(condition)
        return try search(isForward: false, from: number ?? count + 1) { try condition.holds(for: $0, in: $1) }
    }

    /// The nearest event from here for which the condition holds, not looking at the position itself.
    package func search(
        isForward: Bool, from start: UInt64? = nil, where condition: (EventView, DebugSession) throws -> Bool
    ) throws -> UInt64? {
        let position = start ?? position
        var failure: (any Error)?
        var seen: UInt64 = 0
        let holds = { (view: EventView) -> Bool in
            guard failure == nil else { return true }
            seen &+= 1
            do {
                // A person who asked for too much gets the prompt back.
                if seen & 4095 == 0, self.isInterrupted() { throw DebuggerError("interrupted") }
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

    /// The newest command of a client before an event that satisfies the condition; nil where there is none.
    func lastCommand(
        of client: NodeIndex, before number: UInt64, where isMeant: (ClientCommand) -> Bool
    ) throws -> (number: UInt64, command: ClientCommand)? {
        var found: ClientCommand?
        let event = try timeline.last(before: number) { view in
            guard view.node == client, view.role == .input, view.channel == .sdk,
                case .input(.clientCommand(_, let command)) = self.decoded(view).content, isMeant(command)
            else { return false }
            found = command
            return true
        }
        guard let event, let found else { return nil }
        return (event.number, found)
    }

    /// The first event of a range after which the machines are in a state. It must last to the end of the range, where
    /// they are in it: a binary search finds it.
    func first(
        from first: UInt64, through last: UInt64, where holds: (Replay<IMSessionSchema>) -> Bool
    ) throws -> UInt64 {
        var (low, high) = (first, last)
        while low < high {
            let middle = low + (high - low) / 2
            if holds(try timeline.state(at: middle)) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// What a machine asked for with an input; none where the recording does not say what led to its events.
    func effects(of input: UInt64) throws -> [SessionEvent] {
        var found: [SessionEvent] = []
        try timeline.scan(after: input) { view in
            guard view.role == .effect, view.cause == input else { return false }
            found.append(self.decoded(view))
            return true
        }
        return found
    }

    /// Where else there is what was looked for; where there is none at all, what the recording has instead.
    package func elsewhere(
        isForward: Bool, where condition: (EventView, DebugSession) throws -> Bool
    ) throws -> String {
        if position > 0, try timeline.event(position).withView({ try condition($0, self) }) {
            return "; you stand at one, #\(position)"
        }
        if let other = try search(isForward: !isForward, where: condition) {
            return "; there is one at #\(other), \(isForward ? "before" : "after") here"
        }
        return ", nor anywhere else; this recording has \(try kindsText())"
    }

    /// How many events there are of each kind, under the names that `next` takes.
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
        let kinds = EventKind.searched.filter { $0 != "keyframe" }.compactMap { kind -> String? in
            guard let count = counts[kind] else { return nil }
            let to = kind == "transition" && !states.isEmpty ? " (to \(states.joined(separator: ", ")))" : ""
            return "\(kind) \(count)\(to)"
        }
        return kinds.isEmpty ? "no events" : kinds.joined(separator: ", ")
    }

    // MARK: What is under way

    /// Where it ends what is under way at the position: the command, the link, or the answer.
    package func endOfWhatIsUnderWay() throws -> UInt64 {
        guard position > 0, let node = try currentNode() else {
            throw DebuggerError("nothing is under way here; 'next command' goes to a command")
        }
        if let end = try resultAhead(of: node) ?? linkEndAhead(of: node) ?? answerEnd(of: node) {
            return end
        }
        throw DebuggerError("nothing is under way on \(reader.name(of: node)) at event \(position)")
    }

    /// The result of the newest command of the node that has none yet.
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

    /// Where the connection ends that the event at the position belongs to.
    private func linkEndAhead(of node: NodeIndex) throws -> UInt64? {
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

    /// The last effect of the input that the position belongs to.
    private func answerEnd(of node: NodeIndex) throws -> UInt64? {
        let next = try timeline.first(after: position) { $0.role != .effect || $0.node != node }
        let end = next.map { $0.number - 1 } ?? count
        return end > position ? end : nil
    }
}
