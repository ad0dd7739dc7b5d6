import IMClient
import IMSession
import SansIO

extension WhatIfOutcome {
    /// The condition that ended a changed scenario.
    public enum Ending: Hashable, Sendable {
        /// The time of the recording's last event was reached.
        case recording
        /// No outcome has changed for ``WhatIfStability/stableFor``, and no client is in a transient state. The value
        /// is the time of the last change.
        case stable(Instant)
        /// ``WhatIfStability/limit`` was reached before the outcome was stable. The values are that time, and the
        /// clients in transient states with their states.
        case limit(Instant, [String])
    }
}

/// Continues a changed scenario and the recorded one until both are stable.
public enum WhatIfStability {
    /// An outcome is stable if nothing changes for this time. It is longer than a client or the server takes to detect
    /// a dead connection.
    public static let stableFor = Interval.seconds(180)
    /// The time limit for the outcome to become stable, after the last command of the scenario.
    public static let limit = Interval.seconds(1800)
    private static let step = Interval.seconds(10)

    static func run(_ changed: inout ScenarioRerun, _ recorded: inout ScenarioRerun, end: Instant) throws
        -> WhatIfOutcome.Ending
    {
        // A delayed command may come after the recording's end.
        let start = max(end, changed.world.core.now)
        var now = start
        while true {
            try changed.run(until: now)
            try recorded.run(until: now)
            let since = max(start, max(changed.lastOutcome, recorded.lastOutcome))
            let transientClients = changed.transientClients
            if transientClients.isEmpty, recorded.transientClients.isEmpty, now - since >= stableFor {
                return .stable(since)
            }
            guard now - start < limit else {
                return .limit(now, transientClients)
            }
            now = now + step
        }
    }
}

extension ScenarioRerun {
    /// The time of the last callback or state transition.
    fileprivate var lastOutcome: Instant { events.last(where: \.isOutcome)?.time ?? .zero }

    fileprivate var transientClients: [String] {
        let core = world.core
        return core.clients.compactMap { id in
            let name = core.name(of: id)
            if core.isAsleep(id) { return "\(name) sleeps" }
            switch core.clientMachine(of: id)?.state {
            case .connecting?, .syncing?, .reconnecting?, .offline?:
                return "\(name) is \(core.clientMachine(of: id)?.state.name ?? "")"
            case .loggedOut?, .online?, .kicked?, .tokenExpired?, nil: return nil
            }
        }
    }
}
