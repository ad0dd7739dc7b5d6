import IMSession
import Recorder

/// The breakpoints and watches of a replay.
package struct StopList: Sendable {
    package struct Break: Sendable {
        package var number: Int
        var condition: ReplayCondition
        /// The number of the first hit at which the replay stops. The replay also stops at all later hits.
        var count: Int
        var hits = 0

        package var text: String {
            let rest = count > 1 ? " --count \(count)" : ""
            return "\(number)  \(condition.text)\(rest)  hit \(hits) time\(hits == 1 ? "" : "s")"
        }
    }

    package struct Watch: Sendable {
        package var number: Int
        package var path: StatePath
    }

    package private(set) var breaks: [Break] = []
    package private(set) var watches: [Watch] = []
    private var lastNumber = 0

    package var isEmpty: Bool { breaks.isEmpty && watches.isEmpty }

    package mutating func add(_ condition: ReplayCondition, count: Int) -> Break {
        lastNumber += 1
        let added = Break(number: lastNumber, condition: condition, count: count)
        breaks.append(added)
        return added
    }

    package mutating func watch(_ path: StatePath) -> Watch {
        lastNumber += 1
        let added = Watch(number: lastNumber, path: path)
        watches.append(added)
        return added
    }

    package mutating func deleteBreak(_ number: Int) -> Bool {
        let count = breaks.count
        breaks.removeAll { $0.number == number }
        return breaks.count < count
    }

    package mutating func deleteWatch(_ number: Int) -> Bool {
        let count = watches.count
        watches.removeAll { $0.number == number }
        return watches.count < count
    }

    /// Counts a hit of a breakpoint. Returns true if the replay stops at this hit.
    mutating func hit(_ number: Int) -> Bool {
        guard let index = breaks.firstIndex(where: { $0.number == number }) else { return false }
        breaks[index].hits += 1
        return breaks[index].hits >= breaks[index].count
    }
}

/// Runs through a recording until a breakpoint or watch of the list is hit.
package struct StopSearch {
    let session: DebugSession
    /// The condition of `continue CONDITION`. If it is set, the breakpoints and watches are ignored.
    let condition: ReplayCondition?

    package init(session: DebugSession, until condition: ReplayCondition?) {
        self.session = session
        self.condition = condition
    }

    /// A breakpoint, a watch or a condition that is met at an event.
    private struct Hit {
        var event: UInt64
        /// The number of the breakpoint; nil for a watch and for a condition, at which the run always stops.
        var breakpoint: Int?
        /// A line to print about the hit; nil if the text of the event is sufficient.
        var text: String?
    }

    /// The number of the event at which the run stops, with a line for each hit. Nil if the run reaches the end or the
    /// beginning of the recording.
    package func run(isForward: Bool) throws -> (event: UInt64, texts: [String])? {
        isForward ? try forward() : try backward()
    }

    private func forward() throws -> (event: UInt64, texts: [String])? {
        var found: (event: UInt64, texts: [String])?
        try visit(after: session.position, upTo: session.count) { hits in
            found = stop(at: hits)
            return found == nil
        }
        return found
    }

    /// Searches backward, one section of the recording after another. Each section runs forward, because a machine
    /// cannot run backward.
    private func backward() throws -> (event: UInt64, texts: [String])? {
        var end = session.position
        while end > 1 {
            let begin = try session.timeline.entry(before: end)
            var all: [[Hit]] = []
            try visit(after: begin, upTo: end - 1) { hits in
                all.append(hits)
                return true
            }
            for hits in all.reversed() {
                if let found = stop(at: hits) { return found }
            }
            end = begin + 1
        }
        return nil
    }

    /// Counts the hits at an event. Returns the event and the lines to print if the run stops there; otherwise nil.
    private func stop(at hits: [Hit]) -> (event: UInt64, texts: [String])? {
        var texts: [String] = []
        var stops = false
        for hit in hits {
            if let number = hit.breakpoint {
                guard session.stops.hit(number) else { continue }
            }
            stops = true
            if let text = hit.text { texts.append(text) }
        }
        return stops ? hits.first.map { ($0.event, texts) } : nil
    }

    /// Calls `body` with the hits of each event that has any, until `body` returns false.
    private func visit(after begin: UInt64, upTo end: UInt64, _ body: ([Hit]) -> Bool) throws {
        var failure: (any Error)?
        var visitedCount: UInt64 = 0
        let watches = condition == nil ? session.stops.watches : []
        var values: [StateTree?] = []
        func take(_ view: EventView, _ state: Replay<IMSessionSchema>?) -> Bool {
            do {
                visitedCount &+= 1
                if visitedCount & 4095 == 0, session.isInterrupted() { throw DebuggerError("interrupted") }
                var found = try hits(of: view)
                if let state { found += changes(of: watches, at: view, in: state, values: &values) }
                return found.isEmpty || body(found)
            } catch {
                failure = error
                return false
            }
        }
        if watches.isEmpty {
            try session.timeline.scan(after: begin, upTo: end) { take($0, nil) }
        } else {
            let state = try session.timeline.state(at: begin)
            values = watches.map { $0.path.value(in: state) }
            try session.timeline.run(after: begin, upTo: end) { take($0, $1) }
        }
        if let failure { throw failure }
    }

    private func hits(of view: EventView) throws -> [Hit] {
        if let condition { return try condition.holds(for: view, in: session) ? [Hit(event: view.number)] : [] }
        return try session.stops.breaks.compactMap { item in
            guard try item.condition.holds(for: view, in: session) else { return nil }
            return Hit(
                event: view.number, breakpoint: item.number, text: "break \(item.number): \(item.condition.text)")
        }
    }

    private func changes(
        of watches: [StopList.Watch], at view: EventView, in state: Replay<IMSessionSchema>, values: inout [StateTree?]
    ) -> [Hit] {
        // Only inputs, starts and stops change the state of a machine.
        guard view.role == .input || view.role == .start || view.role == .stop else { return [] }
        var hits: [Hit] = []
        for (index, watch) in watches.enumerated() where watch.path.node == view.node {
            let value = watch.path.value(in: state)
            guard value != values[index] else { continue }
            let name = watch.path.lastName
            let change = "\(values[index]?.displayed(name).line ?? "-") → \(value?.displayed(name).line ?? "-")"
            hits.append(Hit(event: view.number, text: "watch \(watch.number): \(watch.path.text): \(change)"))
            values[index] = value
        }
        return hits
    }
}
