import IMClient
import IMProtocol
import IMServer
import IMSession
import Recorder
import SansIO

/// A timer that fired.
struct FiredTimer {
    /// The kind of timer and its machine.
    enum Name: Hashable, Sendable {
        case client(ClientTimer)
        case server(ServerTimer)

        fileprivate var isSilence: Bool { if case .server(.silence) = self { true } else { false } }
    }

    var node: NodeIndex
    var name: Name
    /// When it was due. A sleeping device fires it later.
    var due: Instant
    /// The number of the event that set it.
    var setter: UInt64

    /// The timer's name in an explanation.
    var word: String {
        switch name {
        case .client(let timer): timer.name
        case .server(.silence(let connection)): "silence of link \(connection.rawValue)"
        case .server(.overdue(let connection)): "overdue login on link \(connection.rawValue)"
        case .server(.presence(let user, let device)): "presence of \(user) on \(device)"
        case .server(.token(let user, let device)): "token of \(user) on \(device)"
        case .server(.push(let user, let device)): "push for \(user) on \(device)"
        }
    }
}

extension NodeMachine {
    /// The timers that are due at an instant, in the order in which they fire.
    fileprivate func timers(dueAt now: Instant) -> [(name: FiredTimer.Name, at: Instant)] {
        if let client { return client.setTimers.filter { $0.at <= now }.map { (.client($0.name), $0.at) } }
        if let server { return server.setTimers.filter { $0.at <= now }.map { (.server($0.name), $0.at) } }
        return []
    }

    fileprivate func isSet(_ name: FiredTimer.Name, at instant: Instant) -> Bool {
        switch name {
        case .client(let timer): client?.setTimers.contains { $0.name == timer && $0.at == instant } ?? false
        case .server(let timer): server?.setTimers.contains { $0.name == timer && $0.at == instant } ?? false
        }
    }

    /// The same machine without the timers that are due at an instant.
    func withoutTimers(dueAt now: Instant) -> NodeMachine { keeping([], dueAt: now) }

    /// The number of effects if only the given ones of the due timers fire.
    fileprivate func effectCount(firing names: Set<FiredTimer.Name>, dueAt now: Instant) -> Int {
        var machine = keeping(names, dueAt: now)
        var effects: [NodeEffect] = []
        machine.handle(.deadlineReached, at: now, into: &effects)
        return effects.count
    }

    private func keeping(_ names: Set<FiredTimer.Name>, dueAt now: Instant) -> NodeMachine {
        if let client {
            let due = Set(client.setTimers.filter { $0.at <= now }.map(\.name))
            return .client(client.keepingTimers { !due.contains($0) || names.contains(.client($0)) })
        }
        if let server {
            let due = Set(server.setTimers.filter { $0.at <= now }.map(\.name))
            return .server(server.keepingTimers { !due.contains($0) || names.contains(.server($0)) })
        }
        return self
    }
}

extension CauseFinder {
    /// The timer that an input reports. Several timers of a server's connections can fire in one input; the effect
    /// shows which of them is meant.
    ///
    /// - Parameter effect: the number of an effect of that input; nil for the timer that changes anything.
    func firedTimer(_ event: Event, leadingTo effect: UInt64?) throws -> FiredTimer? {
        guard let machine = try session.timeline.state(at: event.number - 1)[event.node] else { return nil }
        let due = machine.timers(dueAt: event.time)
        guard let first = due.first else { return nil }
        var found: (name: FiredTimer.Name, at: Instant)? = due.count == 1 ? first : nil
        if found == nil, let effect, effect > event.number {
            let effectIndex = Int(effect - event.number)
            var names: Set<FiredTimer.Name> = []
            found = due.first { timer in
                names.insert(timer.name)
                return machine.effectCount(firing: names, dueAt: event.time) >= effectIndex
            }
        }
        // No effect belongs to this input: take the timer that changed something. A silence limit that has not passed
        // is only set again.
        let meant =
            found ?? due.first { machine.effectCount(firing: [$0.name], dueAt: event.time) > 0 }
            ?? due.first { !$0.name.isSilence } ?? first
        let isFirst = meant.name == first.name
        let setter = isFirst && event.cause != 0 ? event.cause : try setter(of: meant, before: event)
        return FiredTimer(node: event.node, name: meant.name, due: meant.at, setter: setter)
    }

    /// The event after which a timer had its due time. It stays set until it fires.
    private func setter(of timer: (name: FiredTimer.Name, at: Instant), before event: Event) throws -> UInt64 {
        try session.first(from: 0, through: event.number - 1) { state in
            state[event.node]?.isSet(timer.name, at: timer.at) ?? false
        }
    }
}
