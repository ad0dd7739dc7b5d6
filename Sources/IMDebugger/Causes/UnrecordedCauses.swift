import IMProtocol
import IMSession
import Recorder

/// Derives the cause of an input in a recording without causes (format 1) from the events.
package struct UnrecordedCauses {
    private let session: DebugSession
    private let graph: CausalGraph

    package init(_ session: DebugSession) throws {
        self.session = session
        graph = try session.causalGraph()
    }

    /// The number of the event that led to an input; nil if no known event of the recording did.
    package func cause(of input: NodeInput, _ event: Event) throws -> UInt64? {
        let end = CausalGraph.End(node: event.node, connection: event.stream)
        switch input {
        case .frame: return graph.sendings[event.number]
        case .linkOpened: return try asked(end, event) ?? graph.peer(of: end).flatMap(graph.begin)
        case .linkFailed: return try environment(before: event, sameTime: false) ?? asked(end, event)
        case .linkClosed: return try closer(of: end, event)
        case .network, .app: return try environment(before: event, sameTime: true)
        // Format 1 is older than local data.
        case .unreadable, .deadlineReached, .data, .clientCommand, .serverCommand: return nil
        }
    }

    private func asked(_ end: CausalGraph.End, _ event: Event) throws -> UInt64? {
        try last(of: end, before: event.number) { if case .effect(.connect) = $0 { true } else { false } }
    }

    /// One of its ends closes a connection, or the end of a process, or the network: the last of these events.
    private func closer(of end: CausalGraph.End, _ event: Event) throws -> UInt64? {
        var candidates = [try closing(end, event)]
        let peer = graph.peer(of: end)
        let opened = peer.flatMap(graph.begin) ?? 0
        if let peer {
            candidates.append(try closing(peer, event))
            let stopped = try session.timeline.last(before: event.number) {
                $0.role == .stop && $0.node == peer.node
            }
            if let stopped, stopped.number > opened { candidates.append(stopped.number) }
        }
        if let fault = try environment(before: event, sameTime: false), fault > opened { candidates.append(fault) }
        return candidates.compactMap(\.self).max()
    }

    private func closing(_ end: CausalGraph.End, _ event: Event) throws -> UInt64? {
        try last(of: end, before: event.number) { if case .effect(.closeLink) = $0 { true } else { false } }
    }

    private func last(
        of end: CausalGraph.End, before number: UInt64, where condition: (SessionEvent.Content) -> Bool
    ) throws -> UInt64? {
        // The same number in an earlier process means another connection.
        guard let begin = graph.begin(of: end), begin < number else { return nil }
        var found: UInt64?
        try session.timeline.scan(after: begin - 1, upTo: number - 1) { view in
            guard view.node == end.node, view.stream == end.connection, view.channel == .runtime else { return true }
            if condition(session.decoded(view).content) { found = view.number }
            return true
        }
        return found
    }

    /// The newest event of the world on the node's side, or on no node's side.
    private func environment(before event: Event, sameTime: Bool) throws -> UInt64? {
        let found = try session.timeline.last(before: event.number) { view in
            view.role == .environment && (view.node == event.node || view.node == .session)
        }
        guard let found, !sameTime || found.time == event.time else { return nil }
        return found.number
    }
}
