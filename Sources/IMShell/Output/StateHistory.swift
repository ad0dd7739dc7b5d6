import IMClient
import IMSession
import SansIO

/// The data of `timeline`: the clients' states, and the kicks, faults and marks between them.
///
/// Separate from the log of events, because it is small and has to go back to the start. Confined to the world's
/// thread, like that log.
package final class StateHistory {
    package struct Lane: Equatable {
        package var name: String
        /// In the order of time; a state lasts until the next one.
        package var changes: [Change] = []

        package init(name: String, changes: [Change] = []) {
            self.name = name
            self.changes = changes
        }
    }

    package struct Change: Equatable {
        package var time: Instant
        /// nil while the app does not run.
        package var state: ClientState?
        /// The event's number; 0 while nothing is recorded, and for the state at the start.
        package var number: UInt64

        package init(time: Instant, state: ClientState? = nil, number: UInt64 = 0) {
            self.time = time
            self.state = state
            self.number = number
        }
    }

    package struct Tick: Equatable {
        package enum Kind: Int, Comparable {
            case fault, mark, kick

            package static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
        }

        package var time: Instant
        package var kind: Kind
        /// The event's number; 0 while nothing is recorded.
        package var number: UInt64

        package init(time: Instant, kind: Kind, number: UInt64 = 0) {
            self.time = time
            self.kind = kind
            self.number = number
        }
    }

    /// The minimum number of changes of a client, and of ticks, that are kept; no terminal shows more.
    static let keptMin = 10_000

    package private(set) var lanes: [Lane] = []
    package private(set) var ticks: [Tick] = []
    private(set) var last = Instant.zero
    private var states = NodeStates<String>()

    /// - Parameter lanes: the clients' states at the start of the log, if that is not the start of the session.
    package init(lanes: [Lane] = []) {
        self.lanes = lanes
    }

    package func take(_ event: SessionEvent) {
        last = max(last, event.time)
        switch event.content {
        case .start, .stop: note(event)
        case .effect(.transition(let change)):
            note(event)
            if change.to == .kicked { tick(event, .kick) }
        case .environment(.observed(let seen)):
            if seen.state != nil || seen.kind == .life { note(event) }
            if seen.isKick { tick(event, .kick) }
        case .environment: tick(event, .fault)
        case .mark: tick(event, .mark)
        case .header, .clock, .input, .effect, .keyframe, .closing, .unreadable: break
        }
    }

    private func note(_ event: SessionEvent) {
        states.note(event)
        let state = states.current(of: event.node)
        let change = Change(time: event.time, state: state, number: event.number)
        guard let laneIndex = lanes.firstIndex(where: { $0.name == event.node }) else {
            // The end of the server's process comes here too; the server has no strip.
            guard state != nil else { return }
            lanes.append(Lane(name: event.node, changes: [change]))
            return
        }
        lanes[laneIndex].changes.append(change)
        Self.trim(&lanes[laneIndex].changes)
    }

    private func tick(_ event: SessionEvent, _ kind: Tick.Kind) {
        ticks.append(Tick(time: event.time, kind: kind, number: event.number))
        Self.trim(&ticks)
    }

    /// Compacts when half can be dropped: amortised O(1).
    private static func trim<Element>(_ list: inout [Element]) {
        if list.count >= 2 * keptMin { list.removeFirst(list.count - keptMin) }
    }
}
