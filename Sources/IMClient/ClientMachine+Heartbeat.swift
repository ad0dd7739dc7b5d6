import IMProtocol
import SansIO

// Heartbeats belong to a connection and end with it (C-12). Any frame that arrives answers them.

extension ClientMachine {
    mutating func startHeartbeat(at now: Instant) {
        timers.set(.heartbeat, at: now + policy.heartbeatInterval)
        timers.cancel(.heartbeatAnswer)
    }

    /// The interval grows with each heartbeat, as long as the one before was answered; on a new connection it starts
    /// again.
    mutating func heartbeatDue(at now: Instant, into effects: inout [ClientEffect]) {
        if policy.heartbeatGrowth > .zero, timers.instant(of: .heartbeatAnswer) == nil {
            let wait = min(heartbeatWait + policy.heartbeatGrowth, policy.longestHeartbeatInterval)
            changeLink { $0.heartbeatWait = wait }
        }
        sendHeartbeat(at: now, into: &effects)
    }

    private var heartbeatWait: Interval { link?.heartbeatWait ?? policy.heartbeatInterval }

    mutating func sendHeartbeat(at now: Instant, into effects: inout [ClientEffect]) {
        guard let link, link.isOpen else { return }
        effects.append(.send(link.id, Frame(.heartbeat)))
        timers.set(.heartbeat, at: now + heartbeatWait)
        // The first unanswered beat counts, not the latest.
        if timers.instant(of: .heartbeatAnswer) == nil {
            let silent = policy.silenceLimit > .zero ? link.lastReceived.map { $0 + policy.silenceLimit } : nil
            timers.set(.heartbeatAnswer, at: max(now, silent ?? now + policy.heartbeatAnswerLimit))
        }
    }
}
