import IMClient
import IMDebugger
import IMProfiles
import IMSession
import Recorder
import SansIO

/// The recording of a scenario that was played with one version of an SDK.
struct RehearsalRun {
    /// The part of an event by which the events of both versions are compared.
    struct EventKey: Hashable {
        var node: String
        var time: Instant
        /// The event's text, with the profile's name without its version.
        var text: String
    }

    /// The callbacks and results, in order.
    private(set) var observations: [Rehearsal.Observation] = []
    private let session: DebugSession
    /// The keys of the events. The event with number n is at index n - 1.
    private var keys: [EventKey] = []
    private var causes: [UInt64] = []
    private var keySet: Set<EventKey> = []
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
                // When an app's process starts, no user is logged in.
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
        keySet = Set(keys)
    }

    private mutating func add(_ event: SessionEvent, _ text: String) {
        observations.append(
            Rehearsal.Observation(node: event.node, time: event.time, text: text, number: event.number))
    }

    func key(of number: UInt64) -> EventKey? {
        number > 0 && number <= UInt64(keys.count) ? keys[Int(number) - 1] : nil
    }

    /// The event from which the two versions differ: the last event in the causes of `number` that the other version
    /// has too. If there is none, the first event of the causes, which is a call that the other version does not have.
    func divergence(of number: UInt64, from other: RehearsalRun) -> EventKey? {
        var current = number
        var first: EventKey?
        while let key = key(of: current) {
            if current != number && other.keySet.contains(key) { return key }
            first = key
            current = causes[Int(current) - 1]
        }
        return first
    }

    /// The last change of a client's state not later than a time; nil if there was none.
    func lastTransition(of node: String, at time: Instant) -> (number: UInt64, state: ClientState)? {
        transitions.last { $0.key.node == node && $0.key.time <= time }.map { ($0.number, $0.state) }
    }

    /// The events that `why` shows for an event. The event itself is first, then its causes.
    func chain(of number: UInt64) throws -> [EventKey] {
        try CauseFinder(session).chain(from: number).steps.compactMap { key(of: $0.number) }
    }
}

/// Finds differences that are consequences of earlier differences.
struct Consequences {
    private let found: [Rehearsal.Difference]
    private let before: RehearsalRun
    private let after: RehearsalRun

    init(of found: [Rehearsal.Difference], _ before: RehearsalRun, _ after: RehearsalRun) {
        self.found = found
        self.before = before
        self.after = after
    }

    /// The differences. A difference without a note gets one if it is a consequence of an earlier difference.
    func explained() throws -> [Rehearsal.Difference] {
        guard found.contains(where: { $0.note == nil }) else { return found }
        // The differences that have a note, by the event from which the versions differ.
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
        if let observation = difference.before { return before.divergence(of: observation.number, from: after) }
        return difference.after.flatMap { after.divergence(of: $0.number, from: before) }
    }

    /// The earlier difference that caused a difference; nil if there is none. The causes that `why` shows are searched,
    /// the nearest first, for an event from which an earlier difference began. If a client in this chain had different
    /// states in the two versions, the causes of both states are searched too. If several differences began at the same
    /// event, the result of a call is chosen, because it explains most.
    private func cause(
        of difference: Rehearsal.Difference, among causes: [RehearsalRun.EventKey: [Rehearsal.Difference]]
    ) throws -> Rehearsal.Difference? {
        guard let observation = difference.observation else { return nil }
        var chain = try (difference.before != nil ? before : after).chain(of: observation.number)
        var nodes: Set<String> = []
        for step in chain where nodes.insert(step.node).inserted { chain += try states(of: step.node, at: step.time) }
        for key in chain {
            let earlier = (causes[key] ?? []).filter { $0.time <= difference.time }
            if let found = earlier.last(where: { $0.observation?.text.hasPrefix("result ") == true }) ?? earlier.last {
                return found
            }
        }
        return nil
    }

    /// The events that `why` shows for a client's state in both versions; empty if the states are equal.
    private func states(of node: String, at time: Instant) throws -> [RehearsalRun.EventKey] {
        let states = [before, after].map { $0.lastTransition(of: node, at: time) }
        guard states[0]?.state != states[1]?.state else { return [] }
        return try zip([before, after], states).flatMap { run, state in
            try state.map { try run.chain(of: $0.number) } ?? []
        }
    }
}
