import IMProtocol
import IMSession
import Recorder

/// Derives the cause of an input from the other events, for a recording that does not contain causes (format 1).
package struct UnrecordedCauses {
    private let session: DebugSession
    private let graph: CausalGraph

    package init(_ session: DebugSession) throws {
        self.session = session
        graph = try session.causalGraph()
    }

    /// The number of the event that caused an input; nil if the recording does not contain it.
    package func cause(of input: NodeInput, _ event: Event) throws -> UInt64? {
        let end = CausalGraph.End(node: event.node, connection: event.stream)
        switch input {
        case .frame: return graph.sendings[event.number]
        case .linkOpened: return try connectRequest(of: end, event) ?? graph.peer(of: end).flatMap(graph.begin)
        case .linkFailed: return try environment(before: event, sameTime: false) ?? connectRequest(of: end, event)
        case .linkClosed: return try closingEvent(of: end, event)
        case .network, .app: return try environment(before: event, sameTime: true)
        // Recordings of format 1 do not contain local data, because it was added later.
        case .unreadable, .deadlineReached, .data, .clientCommand, .serverCommand: return nil
        }
    }

    private func connectRequest(of end: CausalGraph.End, _ event: Event) throws -> UInt64? {
        try last(of: end, before: event.number) { if case .effect(.connect) = $0 { true } else { false } }
    }

    /// The event that closed a connection. It is the last of these: a close by one of the ends, the end of the other
    /// process, and a change of the network.
    private func closingEvent(of end: CausalGraph.End, _ event: Event) throws -> UInt64? {
        var candidates = [try closeRequest(of: end, event)]
        let peer = graph.peer(of: end)
        let opened = peer.flatMap(graph.begin) ?? 0
        if let peer {
            candidates.append(try closeRequest(of: peer, event))
            let stopped = try session.timeline.last(before: event.number) {
                $0.role == .stop && $0.node == peer.node
            }
            if let stopped, stopped.number > opened { candidates.append(stopped.number) }
        }
        if let fault = try environment(before: event, sameTime: false), fault > opened { candidates.append(fault) }
        return candidates.compactMap(\.self).max()
    }

    private func closeRequest(of end: CausalGraph.End, _ event: Event) throws -> UInt64? {
        try last(of: end, before: event.number) { if case .effect(.closeLink) = $0 { true } else { false } }
    }

    private func last(
        of end: CausalGraph.End, before number: UInt64, where condition: (SessionEvent.Content) -> Bool
    ) throws -> UInt64? {
        // The search begins at the start of this end, because an earlier process may have used the same number for
        // another connection.
        guard let begin = graph.begin(of: end), begin < number else { return nil }
        var found: UInt64?
        try session.timeline.scan(after: begin - 1, upTo: number - 1) { view in
            guard view.node == end.node, view.stream == end.connection, view.channel == .runtime else { return true }
            if condition(session.decoded(view).content) { found = view.number }
            return true
        }
        return found
    }

    /// The newest fault before an event that affects the event's node or the whole session.
    private func environment(before event: Event, sameTime: Bool) throws -> UInt64? {
        let found = try session.timeline.last(before: event.number) { view in
            view.role == .environment && (view.node == event.node || view.node == .session)
        }
        guard let found, !sameTime || found.time == event.time else { return nil }
        return found.number
    }
}
