import IMProtocol
import SansIO

// Heartbeats start when a connection's login is accepted, and end with the connection (C-12). Any frame from the server
// counts as the answer to a heartbeat.

extension ClientMachine {
    /// Sets the timer for the first heartbeat.
    mutating func startHeartbeat(at now: Instant) {
        timers.set(.heartbeat, at: now + policy.heartbeatInterval)
        timers.cancel(.heartbeatAnswer)
    }

    /// Sends a heartbeat. If the policy has a growth and the previous heartbeat was answered, the interval grows first.
    /// A new connection starts with the policy's interval again.
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
        // The time limit counts from the first unanswered heartbeat, so a later heartbeat does not extend it.
        if timers.instant(of: .heartbeatAnswer) == nil {
            let silenceDeadline = policy.silenceLimit > .zero ? link.lastReceived.map { $0 + policy.silenceLimit } : nil
            timers.set(.heartbeatAnswer, at: max(now, silenceDeadline ?? now + policy.heartbeatAnswerLimit))
        }
    }
}
