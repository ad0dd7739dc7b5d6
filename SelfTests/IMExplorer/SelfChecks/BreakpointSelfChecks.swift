import IMDebugger
import IMSession
import IMSimulation
import Recorder

/// Checks that a replay stops at every event for which a breakpoint's condition holds, from the N-th hit on. A backward
/// replay must stop at the same events (C-16).
enum BreakpointSelfChecks {
    static func failure(_ reader: SessionReader, _ decoded: DecodedSession) throws -> String? {
        let hits = decoded.events.filter { event in
            if case .effect(.transition) = event.content { true } else { false }
        }.map(\.number)
        for count in [1, 2] where try stops(reader, count, isForward: true) != Array(hits.dropFirst(count - 1)) {
            return "a breakpoint does not stop at its events, or stops at others"
        }
        guard try stops(reader, 1, isForward: false) == hits.reversed() else {
            return "a breakpoint does not stop backwards at its events, or stops at others"
        }
        return nil
    }

    private static func stops(_ reader: SessionReader, _ count: Int, isForward: Bool) throws -> [UInt64] {
        let session = try DebugSession(reader)
        if !isForward { try session.move(to: session.count) }
        _ = session.stops.add(try ReplayCondition("kind == transition"), count: count)
        var found: [UInt64] = []
        while let stop = try StopSearch(session: session, until: nil).run(isForward: isForward) {
            found.append(stop.event)
            try session.move(to: stop.event)
        }
        return found
    }
}
