import IMClient
import IMDebugger
import IMProfiles
import IMSession
import Recorder
import SansIO

/// A scenario as one version of an SDK played it.
struct RehearsalRun {
    /// The part of an event that is the same in another version.
    struct EventKey: Hashable {
        var node: String
        var time: Instant
        /// The event's line, with the name of the system instead of that of its version.
        var text: String
    }

    /// The callbacks and results, in order.
    private(set) var observations: [Rehearsal.Observation] = []
    private let session: DebugSession
    /// The entries by the number of the event, from 1.
    private var keys: [EventKey] = []
    private var causes: [UInt64] = []
    private var known: Set<EventKey> = []
    /// The changes of the clients' states, in order.
    private var transitions: [(number: UInt64, key: EventKey, state: ClientState)] = []

    init(bytes: [UInt8], dialect: any Dialect) throws {
        let reader = try SessionReader(bytes: bytes)
        session = try DebugSession(reader)
        let formatter = EventFormatter(dialect: dialect)
        let schema = IMSessionSchema()
        let system = ProfileVersion.base(of: dialect.profile)
        try reader.forEach { view in
            let event = SessionEvent(view, node: reader.name(of: view.node), schema: schema)
            formatter.note(event)
            let text = formatter.text(of: event)
            keys.append(
                EventKey(node: event.node, time: event.time, text: text.replacing(dialect.profile, with: system)))
            causes.append(view.cause)
            if let key = keys.last {
                switch event.content {
                case .effect(.transition(let change)): transitions.append((event.number, key, change.to))
                // A new process begins without a login.
                case .start: transitions.append((event.number, key, .loggedOut))
                default: break
                }
            }
            if let callback = formatter.callback(of: event) {
                let fields = callback.fields.map { "\($0.name)=\($0.value)" }
                let text = (["callback", callback.name] + fields).joined(separator: " ")
                add(event, fields.isEmpty ? text + " " : text)
            } else if case .effect(.complete) = event.content, event.node != "server" {
                add(event, text)
            }
        }
        known = Set(keys)
    }

    private mutating func add(_ event: SessionEvent, _ text: String) {
        observations.append(
            Rehearsal.Observation(node: event.node, time: event.time, text: text, number: event.number))
    }

    func key(of number: UInt64) -> EventKey? {
        number > 0 && number <= UInt64(keys.count) ? keys[Int(number) - 1] : nil
    }

    /// The last event before `number` in its chain of causes that the other version has as well: there the two went
    /// different ways. If there is none, the first event of the chain: a call that the other version does not have.
    func divergence(of number: UInt64, from other: RehearsalRun) -> EventKey? {
        var current = number
        var first: EventKey?
        while let key = key(of: current) {
            if current != number && other.known.contains(key) { return key }
            first = key
            current = causes[Int(current) - 1]
        }
        return first
    }

    /// The last change of a client's state up to an instant; nil if there was none.
    func lastTransition(of node: String, at time: Instant) -> (number: UInt64, state: ClientState)? {
        transitions.last { $0.key.node == node && $0.key.time <= time }.map { ($0.number, $0.state) }
    }

    /// The events that `why` shows for an event, nearest first.
    func chain(of number: UInt64) throws -> [EventKey] {
        try CauseFinder(session).chain(from: number).steps.compactMap { key(of: $0.number) }
    }
}

/// Differences that no line of a guide explains, as consequences of earlier ones.
struct Consequences {
    private let found: [Rehearsal.Difference]
    private let before: RehearsalRun
    private let after: RehearsalRun

    init(of found: [Rehearsal.Difference], _ before: RehearsalRun, _ after: RehearsalRun) {
        self.found = found
        self.before = before
        self.after = after
    }

    /// The differences, with a note for each that follows from an earlier one.
    func explained() throws -> [Rehearsal.Difference] {
        guard found.contains(where: { $0.note == nil }) else { return found }
        // Of two that began with the same event, the result of a call says most.
        var causes: [RehearsalRun.EventKey: [Rehearsal.Difference]] = [:]
        for difference in found where difference.note != nil {
            guard let origin = divergence(of: difference) else { continue }
            causes[origin, default: []].append(difference)
        }
        return try found.map { difference in
            var difference = difference
            if difference.note == nil {
                difference.note = try cause(of: difference, among: causes)?.note.map {
                    "after an earlier difference: \($0)"
                }
            }
            return difference
        }
    }

    private func divergence(of difference: Rehearsal.Difference) -> RehearsalRun.EventKey? {
        if let seen = difference.before { return before.divergence(of: seen.number, from: after) }
        return difference.after.flatMap { after.divergence(of: $0.number, from: before) }
    }

    /// The earlier difference that began with an event to which `why` leads; the nearest one. If a client on the
    /// way was in another state with the other version, `why` of both states counts.
    private func cause(
        of difference: Rehearsal.Difference, among causes: [RehearsalRun.EventKey: [Rehearsal.Difference]]
    ) throws -> Rehearsal.Difference? {
        guard let seen = difference.seen else { return nil }
        var chain = try (difference.before != nil ? before : after).chain(of: seen.number)
        var nodes: Set<String> = []
        for step in chain where nodes.insert(step.node).inserted { chain += try states(of: step.node, at: step.time) }
        for key in chain {
            let earlier = (causes[key] ?? []).filter { $0.time <= difference.time }
            if let found = earlier.last(where: { $0.seen?.text.hasPrefix("result ") == true }) ?? earlier.last {
                return found
            }
        }
        return nil
    }

    /// The output of `why` for the states of a client in both versions; nothing if they are the same.
    private func states(of node: String, at time: Instant) throws -> [RehearsalRun.EventKey] {
        let states = [before, after].map { $0.lastTransition(of: node, at: time) }
        guard states[0]?.state != states[1]?.state else { return [] }
        return try zip([before, after], states).flatMap { run, state in
            try state.map { try run.chain(of: $0.number) } ?? []
        }
    }
}
