import IMClient
import IMProfiles
import IMSession
import Recorder
import SansIO

/// A summary of a recording, counted in one pass.
package struct SessionSummary: Sendable {
    package private(set) var lastTime = Instant.zero
    package private(set) var kicks = 0
    /// The number of the scenario's actions on networks, apps and clocks.
    package private(set) var faults = 0
    package private(set) var marks: [(number: UInt64, time: Instant, text: String)] = []
    /// The users that sent a login, in the order of their first logins.
    package private(set) var users: [String] = []
    /// The seeds of the clients without duplicates, in the order of the clients' starts.
    package private(set) var seeds: [UInt64] = []
    /// The clients in the order of their starts, each with its final state. The state is nil if the client's process
    /// ended.
    package var clients: [(name: String, state: ClientState?)] { order.map { ($0.name, states.current(of: $0.node)) } }

    private var order: [(node: NodeIndex, name: String)] = []
    private var states = InStates()

    /// - Throws: ``SessionError`` if the file is damaged.
    package init(_ reader: SessionReader) throws(SessionError) {
        let scanner = reader.makeScanner()
        while let view = try scanner.next() { note(view, in: reader) }
    }

    private mutating func note(_ view: EventView, in reader: SessionReader) {
        states.note(view)
        lastTime = max(lastTime, view.time)
        let kinds = EventPeek.kinds(of: view)
        if kinds == EventPeek.transitions {
            if EventPeek.transition(view.payload)?.to == .kicked { kicks += 1 }
            return
        }
        let isLogin = kinds == EventPeek.frames && EventPeek.frameType(view.payload) == "login"
        guard
            isLogin || view.role == .environment || kinds.contains(.command) || kinds.contains(.start)
                || kinds.contains(.mark)
        else { return }
        note(SessionEvent(view, node: reader.name(of: view.node), schema: IMSessionSchema()), of: view.node)
    }

    private mutating func note(_ event: SessionEvent, of node: NodeIndex) {
        switch event.content {
        case .mark(let text): marks.append((event.number, event.time, text))
        case .start(let start):
            guard case .client(_, _, _, let seed, _, _) = start.body else { return }
            if !seeds.contains(seed) { seeds.append(seed) }
            if !order.contains(where: { $0.node == node }) { order.append((node, event.node)) }
        case .input(.clientCommand(_, .login(let call))): note(user: call.user)
        case .input(.frame(_, let frame)), .effect(.send(_, let frame)):
            if case .login(let login) = frame.body { note(user: login.user) }
        // An event of a log is stored like a fault.
        case .environment(.observed): break
        case .environment: faults += 1
        case .header, .clock, .stop, .input, .effect, .keyframe, .closing, .unreadable: break
        }
    }

    private mutating func note(user: String) {
        if !user.isEmpty, !users.contains(user) { users.append(user) }
    }
}

extension SessionFields {
    /// The fields of a whole recording that a filter can use. The events are only read if the filter uses a field that
    /// depends on them.
    package init(_ reader: SessionReader, for filter: Filter) throws(SessionError) {
        var values: [FilterName.SessionField: [String]] = [
            .profile: [reader.header.profile], .title: [reader.header.title],
            .closed: [reader.completeness == .closed ? "yes" : "no"],
        ]
        if filter.uses(where: { $0 == .session(.kicks) || $0 == .session(.finalState) }) {
            let summary = try SessionSummary(reader)
            values[.kicks] = [String(summary.kicks)]
            values[.finalState] = summary.clients.compactMap(\.state?.name)
        }
        self.init(values)
    }
}

extension Filter {
    /// True if the filter uses only fields of whole recordings, such as `profile` and `kicks`.
    package var isAboutSessions: Bool { !uses { if case .session = $0 { false } else { true } } }

    /// True if the filter can match an event of a recording with these fields.
    package func mayHold(in session: SessionFields) -> Bool {
        let verdict = condition.verdict { comparison in
            guard case .session(let field) = comparison.name else { return .maybe }
            return comparison.holds(for: session[field]) ? .yes : .no
        }
        return verdict != .no
    }
}
