import IMClient
import IMSession
import SansIO

extension WhatIfOutcome {
    /// Where a changed scenario was ended.
    public enum Ending: Hashable, Sendable {
        /// At the recording's end.
        case recording
        /// Nothing changed any more for ``WhatIfSettling/quiet``, and no client was on its way to another state.
        case stable(Instant)
        /// Still not stable at the limit; the clients that were on their way to another state, with their states.
        case limit(Instant, [String])
    }
}

/// Lets a changed scenario and the recorded one go on until both are stable.
public enum WhatIfSettling {
    /// So long nothing may change: longer than any side takes to find a connection dead.
    public static let quiet = Interval.seconds(180)
    /// So long after the last command of the scenario the outcome may take to become stable.
    public static let limit = Interval.seconds(1800)
    private static let step = Interval.seconds(10)

    static func run(_ changed: inout Rerun, _ recorded: inout Rerun, end: Instant) throws -> WhatIfOutcome.Ending {
        // A command that is late may come after the recording's end.
        let start = max(end, changed.world.core.now)
        var now = start
        while true {
            try changed.run(until: now)
            try recorded.run(until: now)
            let since = max(start, max(changed.lastOutcome, recorded.lastOutcome))
            let unsettled = changed.unsettled
            if unsettled.isEmpty, recorded.unsettled.isEmpty, now - since >= quiet { return .stable(since) }
            guard now - start < limit else {
                return .limit(now, unsettled)
            }
            now = now + step
        }
    }
}

extension Rerun {
    /// When an app was last notified or a state last changed.
    fileprivate var lastOutcome: Instant { happened.last(where: \.isOutcome)?.time ?? .zero }

    /// The clients that are on their way to another state.
    fileprivate var unsettled: [String] {
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
