import IMClient
import IMProfiles
import IMProtocol
import SansIO

/// The settings of a client and its server that determine the times of lines. ``VendorCauses`` computes the times of
/// hidden events from them.
struct ClientTimes: Hashable, Sendable {
    /// The time limit for the answer to a heartbeat.
    var answerLimit: Milliseconds
    var heartbeat: Milliseconds
    /// The time by which each answered heartbeat makes the next interval longer, up to ``heartbeatMax``.
    var heartbeatGrowth: Milliseconds
    var heartbeatMax: Milliseconds
    /// True if the first retry after a loss is delayed.
    var firstRetryWaits: Bool
    /// True if the delays between attempts are random.
    var hasRandomDelays: Bool
    /// The time limit of a login or a connection attempt.
    var attemptLimit: Milliseconds
    /// The time from the break of a connection to the client's callback.
    var lossDelay: Milliseconds
    /// The server's silence limit.
    var silence: Milliseconds

    init(_ policy: ClientPolicy, silence: Milliseconds) {
        answerLimit = policy.heartbeatAnswerLimit.inMilliseconds
        heartbeat = policy.heartbeatInterval.inMilliseconds
        heartbeatGrowth = policy.heartbeatGrowth.inMilliseconds
        heartbeatMax = policy.longestHeartbeatInterval.inMilliseconds
        firstRetryWaits = policy.firstRetryWaits
        hasRandomDelays = policy.retryJitterPerMille > 0
        attemptLimit = policy.attemptTimeLimit.inMilliseconds
        lossDelay = policy.interruptionGrace.inMilliseconds
        self.silence = silence
    }

    /// The values of a profile.
    init(_ dialect: some Dialect) {
        self.init(dialect.clientPolicy, silence: dialect.serverPolicy.silenceLimit.inMilliseconds)
    }

    /// A copy with other settings.
    func with(_ numbers: ClientNumbers, profile: String) -> ClientTimes {
        let silent = numbers.server.first { $0.key == "silence-limit-ms" }.flatMap { Milliseconds($0.value) } ?? silence
        var times = numbers.policy(of: profile).map { ClientTimes($0, silence: silent) } ?? self
        times.silence = silent
        if numbers.hasRandomDelays { times.hasRandomDelays = true }
        return times
    }
}
