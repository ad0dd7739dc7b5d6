import IMClient
import IMSession
import SansIO

/// The data of `timeline`: the changes of each client's state, and the kicks, faults and marks.
///
/// This is not computed from ``EventLog``, because that log drops old events and the timeline begins at the start of
/// the session. Use it only on the thread of the world.
package final class StateHistory {
    package struct Lane: Equatable {
        package var name: String
        /// The changes in the order of time. A state lasts until the next change.
        package var changes: [Change] = []

        package init(name: String, changes: [Change] = []) {
            self.name = name
            self.changes = changes
        }
    }

    package struct Change: Equatable {
        package var time: Instant
        /// The state after the change; nil while the app does not run.
        package var state: ClientState?
        /// The number of the event; 0 if nothing is recorded, and for the state at the start.
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
        /// The number of the event; 0 if nothing is recorded.
        package var number: UInt64

        package init(time: Instant, kind: Kind, number: UInt64 = 0) {
            self.time = time
            self.kind = kind
            self.number = number
        }
    }

    /// The minimum number of the newest changes of a client, and of the newest ticks, that are stored. No terminal is
    /// wide enough for more.
    static let storedMin = 10_000

    package private(set) var lanes: [Lane] = []
    package private(set) var ticks: [Tick] = []
    private(set) var last = Instant.zero
    private var states = NodeStates<String>()

    /// - Parameter lanes: the states of the clients at the first event, if the session began earlier.
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
        case .environment(.observed(let observed)):
            if observed.state != nil || observed.kind == .life { note(event) }
            if observed.isKick { tick(event, .kick) }
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
            // The event may also be the end of the server's process. The server has no state and no strip.
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

    /// Removes the oldest elements when half of the list can be removed, so that adding an element is amortised O(1).
    private static func trim<Element>(_ list: inout [Element]) {
        if list.count >= 2 * storedMin { list.removeFirst(list.count - storedMin) }
    }
}
