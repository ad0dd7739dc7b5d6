import IMClient
import IMProfiles
import IMProtocol
import SansIO

/// The numbers of a client and of its server that decide when a line comes. A table's formulas use them.
struct ClientTimes: Hashable, Sendable {
    /// So long a client waits for the answer to a heartbeat.
    var answerLimit: Milliseconds
    var heartbeat: Milliseconds
    /// Each answered heartbeat adds this to the wait for the next one, up to ``heartbeatMax``.
    var heartbeatGrowth: Milliseconds
    var heartbeatMax: Milliseconds
    /// Whether the first retry after a loss waits.
    var firstRetryWaits: Bool
    /// Whether the waits between two attempts are drawn by chance.
    var drawsWaits: Bool
    /// So long a login or a connection attempt takes at most.
    var attemptLimit: Milliseconds
    /// So long after the break a client reports it.
    var lossDelay: Milliseconds
    /// So long the server waits for a silent client.
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

    /// Those of a system.
    init(_ dialect: some Dialect) {
        self.init(dialect.clientPolicy, silence: dialect.serverPolicy.silenceLimit.inMilliseconds)
    }

    /// With numbers instead of the system's.
    func with(_ numbers: ClientNumbers, profile: String) -> ClientTimes {
        let silent = numbers.server.first { $0.key == "silence-limit-ms" }.flatMap { Milliseconds($0.value) } ?? silence
        var times = numbers.policy(of: profile).map { ClientTimes($0, silence: silent) } ?? self
        times.silence = silent
        if numbers.drawsWaits { times.drawsWaits = true }
        return times
    }
}
