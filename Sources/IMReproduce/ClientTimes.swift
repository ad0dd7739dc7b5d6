import IMClient
import IMProfiles
import IMProtocol
import SansIO

/// The settings of a client and its server that determine when a line comes. The formulas of tables use them.
struct ClientTimes: Hashable, Sendable {
    /// How long a client waits for the answer to a heartbeat.
    var answerLimit: Milliseconds
    var heartbeat: Milliseconds
    /// Each answered heartbeat makes the next interval longer by this, up to ``heartbeatMax``.
    var heartbeatGrowth: Milliseconds
    var heartbeatMax: Milliseconds
    /// True if the first retry after a loss is delayed.
    var firstRetryWaits: Bool
    /// True if the delays between attempts are random.
    var drawsWaits: Bool
    /// The time limit of a login or a connection attempt.
    var attemptLimit: Milliseconds
    /// The time from a break to the client's report.
    var lossDelay: Milliseconds
    /// The server's silence limit.
    var silence: Milliseconds

    init(_ policy: ClientPolicy, silence: Milliseconds) {
        answerLimit = policy.heartbeatAnswerLimit.inMilliseconds
        heartbeat = policy.heartbeatInterval.inMilliseconds
        heartbeatGrowth = policy.heartbeatGrowth.inMilliseconds
        heartbeatMax = policy.longestHeartbeatInterval.inMilliseconds
        firstRetryWaits = policy.firstRetryWaits
        drawsWaits = policy.retryJitterPerMille > 0
        attemptLimit = policy.attemptTimeLimit.inMilliseconds
        lossDelay = policy.interruptionGrace.inMilliseconds
        self.silence = silence
    }

    /// The values of a system.
    init(_ dialect: some Dialect) {
        self.init(dialect.clientPolicy, silence: dialect.serverPolicy.silenceLimit.inMilliseconds)
    }

    /// The values with other settings.
    func with(_ numbers: ClientNumbers, profile: String) -> ClientTimes {
        let silent = numbers.server.first { $0.key == "silence-limit-ms" }.flatMap { Milliseconds($0.value) } ?? silence
        var times = numbers.policy(of: profile).map { ClientTimes($0, silence: silent) } ?? self
        times.silence = silent
        if numbers.drawsWaits { times.drawsWaits = true }
        return times
    }
}
