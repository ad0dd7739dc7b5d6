import IMClient
import IMProfiles
import SansIO

/// How long things may take by the policies when nothing is wrong any more.
package enum SettlingTimes {
    /// After so long without a fault nothing that was lost is still missing: two heartbeats and what they take, or one
    /// that nobody answers and a login behind it.
    package static func quiet(_ policy: ClientPolicy) -> Interval {
        let beat = policy.longestHeartbeatInterval
        return max(beat * 2, beat + max(policy.heartbeatAnswerLimit, policy.silenceLimit)) + .seconds(1)
    }

    /// Within so long a client whose network is whole is online, or in a declared end: the longest wait, the longest
    /// attempt, what a server that does not know yet takes to find a connection dead, and a refusal of too many logins.
    package static func bound(_ dialect: any Dialect) -> Interval {
        let client = dialect.clientPolicy
        let server = dialect.serverPolicy
        let retry = client.retryDelays.max() ?? .seconds(1)
        let jitter = Interval(nanoseconds: retry.nanoseconds / 1000 * client.retryJitterPerMille)
        return retry + jitter + client.attemptTimeLimit + server.loginRatePenalty + retry + jitter
            + client.longestHeartbeatInterval + client.heartbeatAnswerLimit + server.silenceLimit + .seconds(5)
    }
}
