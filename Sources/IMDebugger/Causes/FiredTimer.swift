import IMClient
import IMProtocol
import IMServer
import IMSession
import Recorder
import SansIO

/// A timer that fired.
struct FiredTimer {
    var node: NodeIndex
    var name: NodeTimer
    /// The time at which the timer was due. On a sleeping device, it fires later.
    var due: Instant
    /// The number of the event that set the timer; 0 if it is not known.
    var setter: UInt64

    /// The text of the timer in an explanation.
    var text: String {
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

extension NodeTimer {
    fileprivate var isSilence: Bool { if case .server(.silence) = self { true } else { false } }
}

extension NodeMachine {
    /// The machine without the timers that are due at an instant.
    func withoutTimers(dueAt now: Instant) -> NodeMachine { keeping([], dueAt: now) }

    /// The number of effects if only the timers in `names` fire, of all timers that are due.
    fileprivate func effectCount(firing names: Set<NodeTimer>, dueAt now: Instant) -> Int {
        var machine = keeping(names, dueAt: now)
        var effects: [NodeEffect] = []
        machine.handle(.deadlineReached, at: now, into: &effects)
        return effects.count
    }

    private func keeping(_ names: Set<NodeTimer>, dueAt now: Instant) -> NodeMachine {
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
    /// The timer that fired with an input. If several timers fire with one input, `effect` shows which of them is
    /// meant.
    ///
    /// - Parameter effect: the number of an effect of the input. If nil, the first timer that has any effect is
    ///   returned.
    func firedTimer(_ event: Event, leadingTo effect: UInt64?) throws -> FiredTimer? {
        guard let machine = try session.timeline.state(at: event.number - 1)[event.node] else { return nil }
        let due = machine.setTimers.filter { $0.at <= event.time }
        guard let first = due.first else { return nil }
        var found: (name: NodeTimer, at: Instant)? = due.count == 1 ? first : nil
        if found == nil, let effect, effect > event.number {
            let effectIndex = Int(effect - event.number)
            var names: Set<NodeTimer> = []
            found = due.first { timer in
                names.insert(timer.name)
                return machine.effectCount(firing: names, dueAt: event.time) >= effectIndex
            }
        }
        // No timer was found from `effect`: use the first timer with any effect. Otherwise use one that is not a
        // silence timer, because a silence timer can fire only to be set again.
        let fired =
            found ?? due.first { machine.effectCount(firing: [$0.name], dueAt: event.time) > 0 }
            ?? due.first { !$0.name.isSilence } ?? first
        let isFirst = fired.name == first.name
        let setter = isFirst && event.cause != 0 ? event.cause : try setter(of: fired, before: event)
        return FiredTimer(node: event.node, name: fired.name, due: fired.at, setter: setter)
    }

    /// The event that set a timer to its due time. A binary search can find it, because the timer remains set until it
    /// fires.
    private func setter(of timer: (name: NodeTimer, at: Instant), before event: Event) throws -> UInt64 {
        try session.first(from: 0, through: event.number - 1) { state in
            state[event.node]?.setTimers.contains { $0 == timer } ?? false
        }
    }
}
