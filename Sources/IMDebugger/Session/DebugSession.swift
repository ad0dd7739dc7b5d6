import IMProfiles
import IMProtocol
import IMSession
import IMText
import Recorder
import SansIO

/// A recording with a current position: the state of the machines there, the events up to there, the breakpoints and
/// the watches.
///
/// A session must be used by one thread at a time. It prints nothing. The caller presents the results.
public final class DebugSession {
    /// The recording.
    public let reader: SessionReader
    package let schema = IMSessionSchema()
    package let dialect: any Dialect
    /// The events, and the states of the machines at each of them.
    public var timeline: Timeline<IMSessionSchema>
    package let formatter: EventFormatter
    /// The visited positions, including the current one.
    private(set) var visited = VisitedPositions()
    package var stops = StopList()
    /// The result of ``causalGraph()``; nil before its first call.
    private var graph: CausalGraph?
    /// The events that decided refusals. The key is the number of the event that refused a request. The results are
    /// stored because each search runs a machine many times.
    var decisions: [UInt64: FoundCause?] = [:]
    /// The result of ``inStates()``; nil before its first call.
    private var inStateIndex: InStateIndex?
    private var nodeKinds: (servers: Set<NodeIndex>, hasClients: Bool)?
    /// The current time in a recording that is still being written. It can be later than the time of the last event.
    package var present = Instant.zero
    /// Called repeatedly during a long operation; true ends the operation with an error.
    package var isInterrupted: () -> Bool = { false }

    /// Creates a session at position 0, before the first event.
    ///
    /// - Throws: ``DebuggerError`` for a system that this version does not support; `SessionError` for an unreadable
    ///   file.
    public init(_ reader: SessionReader) throws {
        do { dialect = try reader.header.dialect() } catch { throw DebuggerError("\(error)") }
        // The events are read from the file. Only the states are computed by the machines of this version, which may
        // behave differently from those that made the recording.
        timeline = try Timeline(reader: reader, schema: IMSessionSchema(), sameBehaviour: false)
        self.reader = reader
        formatter = EventFormatter(dialect: dialect)
    }

    // MARK: The position

    /// The number of the current event; 0 if the position is before the first event.
    public var position: UInt64 { timeline.position }
    /// The number of the last event.
    public var count: UInt64 { timeline.count }

    /// The replay up to the position: it contains the states of all machines at the position.
    public func state() throws -> Replay<IMSessionSchema> { try timeline.state() }

    /// The time at the position.
    public func time() throws -> Instant {
        let time = position == 0 ? .zero : try timeline.event(position).time
        return position == count ? max(time, present) : time
    }

    /// Moves to an event, and stores the position for ``revisit(_:)``.
    public func move(to number: UInt64) throws {
        let from = position
        try timeline.go(to: number)
        visited.visit(number, from: from)
    }

    /// Moves to the previous (-1) or next (1) position in the list of visited positions, without a change of the list.
    package func revisit(_ step: Int) throws {
        guard let number = visited.move(by: step) else {
            throw DebuggerError(
                step < 0 ? "there is no earlier position in the history" : "there is no later position in the history")
        }
        try timeline.go(to: number)
    }

    // MARK: Events

    /// Reads and decodes the event with a number.
    public func event(_ number: UInt64) throws -> SessionEvent {
        decoded(try timeline.event(number))
    }

    package func decoded(_ event: Event) -> SessionEvent {
        event.withView { decoded($0) }
    }

    package func decoded(_ view: EventView) -> SessionEvent {
        SessionEvent(view, node: reader.name(of: view.node), schema: schema)
    }

    /// The text of an event.
    public func text(of event: SessionEvent) throws -> String {
        try findCommand(of: event)
        return formatter.format(event).text
    }

    /// Passes the command of a completion to the formatter. A completion contains only the number of its command,
    /// so the method searches for the command if the formatter has not read it yet.
    func findCommand(of event: SessionEvent) throws {
        guard case .effect(.complete(let id, _)) = event.content, formatter.commands[id.rawValue] == nil,
            formatter.serverCommands[id.rawValue] == nil
        else { return }
        _ = try timeline.last(before: event.number) { view in
            guard view.role == .input, view.channel == .sdk else { return false }
            let command = decoded(view)
            formatter.note(command)
            return command.commandID == id
        }
    }

    // MARK: Nodes

    /// The node with a name. Without a name, the only client, or the node of the position.
    package func node(named name: String?) throws -> NodeIndex {
        if let name {
            if let node = reader.node(named: name), node != .session { return node }
            throw DebuggerError(
                "there is no node '\(name)' in this recording"
                    + (Suggestion.hint(for: name, among: nodeNames).map { "; \($0)" } ?? ""))
        }
        if let node = try currentNode() { return node }
        let state = try state()
        guard let first = state.running.first(where: { state[$0]?.client != nil }) else {
            throw DebuggerError("no client runs here; give a node: \(nodeNames.joined(separator: ", "))")
        }
        return first
    }

    /// The node of the event at the position; nil at position 0 and for an event of the session itself.
    package func currentNode() throws -> NodeIndex? {
        guard position > 0 else { return nil }
        let node = try timeline.event(position).node
        return node == .session ? nil : node
    }

    /// The names of the nodes, in the order of their first appearance.
    public var nodeNames: [String] { reader.nodes.filter { $0 != "session" && !$0.isEmpty } }

    /// The clients and servers of the session, in the order of their first appearance.
    public var nodes: [NodeIndex] {
        reader.nodes.indices.dropFirst().map { NodeIndex(rawValue: UInt16(clamping: $0)) }
    }

    /// The graph of causes, with the fate of every frame. It is computed at the first call and then stored.
    public func causalGraph() throws -> CausalGraph {
        if let graph { return graph }
        var builder = CausalGraph.Builder(reader.header)
        try timeline.scan(after: 0) { view in
            builder.take(decoded(view), of: view.node)
            return true
        }
        let graph = builder.build(at: present)
        self.graph = graph
        return graph
    }

    /// The value of the filter field `in-state` for every event. It is computed at the first call and then stored.
    func inStates() throws -> InStateIndex {
        if let inStateIndex { return inStateIndex }
        var index = InStateIndex()
        try timeline.scan(after: 0) { view in
            index.note(view)
            return true
        }
        inStateIndex = index
        return index
    }

    /// The nodes that are servers.
    var servers: Set<NodeIndex> { get throws { try kinds().servers } }

    /// True if the server was recorded.
    var hasServer: Bool { get throws { try !kinds().servers.isEmpty } }

    /// True if a client was recorded.
    var hasClients: Bool { get throws { try kinds().hasClients } }

    private func kinds() throws -> (servers: Set<NodeIndex>, hasClients: Bool) {
        if let nodeKinds { return nodeKinds }
        var kinds: (servers: Set<NodeIndex>, hasClients: Bool) = ([], false)
        try timeline.scan(after: 0) { view in
            guard view.role == .start, case .start(let start) = decoded(view).content else { return true }
            if start.isServer { kinds.servers.insert(view.node) } else { kinds.hasClients = true }
            return true
        }
        nodeKinds = kinds
        return kinds
    }

    /// The changes of the nodes between two events, one line each.
    public func differences(_ first: UInt64, _ second: UInt64) throws -> [String] {
        let (old, new) = (try timeline.state(at: first), try timeline.state(at: second))
        var lines: [String] = []
        for node in nodes {
            let (before, after) = (old[node], new[node])
            // Comparing machines is cheaper than converting them to text.
            if before == after { continue }
            let name = reader.name(of: node)
            switch (before, after) {
            case (nil, nil): break
            case (nil, _?): lines.append("\(name): not running → running")
            case (_?, nil): lines.append("\(name): running → not running")
            case (let before?, let after?):
                lines += StateTree.differences(
                    StateTree(before)?.displayed(), StateTree(after)?.displayed(), path: name)
            }
        }
        return lines
    }
}

/// The reason why a query about a recording failed, in one line, with a way to correct the query.
public struct DebuggerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message for people.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }
}

extension SessionEvent {
    /// The id of the command that this event starts or completes; nil for other events.
    package var commandID: CommandID? {
        switch content {
        case .input(.clientCommand(let id, _)), .input(.serverCommand(let id, _)), .effect(.complete(let id, _)): id
        default: nil
        }
    }
}
