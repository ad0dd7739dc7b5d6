import IMClient
import IMProfiles
import SansIO

/// The longest delays that the policies permit after the last fault.
package enum RecoveryTimes {
    /// After this time without a fault, lost frames have been detected and sent again. It covers two heartbeats with
    /// their answers, or one unanswered heartbeat and the following login.
    package static func quiescenceTime(_ policy: ClientPolicy) -> Interval {
        let interval = policy.longestHeartbeatInterval
        return max(interval * 2, interval + max(policy.heartbeatAnswerLimit, policy.silenceLimit)) + .seconds(1)
    }

    /// Within this time a client on a working network is online or in a final state. It covers the longest delay, the
    /// longest attempt, the time until the server detects a dead connection, and the penalty for too many logins.
    package static func recoveryLimit(_ dialect: any Dialect) -> Interval {
        let client = dialect.clientPolicy
        let server = dialect.serverPolicy
        let retry = client.retryDelays.max() ?? .seconds(1)
        let jitter = Interval(nanoseconds: retry.nanoseconds / 1000 * client.retryJitterPerMille)
        return retry + jitter + client.attemptTimeLimit + server.loginRatePenalty + retry + jitter
            + client.longestHeartbeatInterval + client.heartbeatAnswerLimit + server.silenceLimit + .seconds(5)
    }
}
