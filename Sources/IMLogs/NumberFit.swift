import IMClient
import IMSession

/// The numbers of a client's policy as a log shows them: `imrepl fit LOG`. Only what the log contains is estimated. Waits
/// between attempts need lines for attempts (NIM's steps, or frames). Heartbeats need frames, or several connections that
/// were lost without a sign.
public struct NumberFit: Sendable {
    /// An estimate.
    public struct Number: Hashable, Sendable {
        /// The key of the setting, or `latency-ms`.
        public var key: String
        /// The value as `client policy` takes it.
        public var value: String
        /// How many observations it rests on.
        public var count: Int
        /// The smallest observation, in the value's unit.
        public var least: Int64
        /// The largest observation.
        public var most: Int64
    }

    /// The estimates, in the order of the settings.
    public private(set) var numbers: [Number] = []
    /// The longest login that succeeded, in milliseconds: the time limit of an attempt is not shorter.
    public private(set) var longestLogin: Int64 = 0

    // What was observed, in milliseconds.
    private var latencies: [Int64] = []
    private var limits: [(length: Int64, ended: Int64)] = []
    private var firstWaits: [Int64] = []
    /// By the number of the retry since the connection was lost.
    private var waits: [[Int64]] = []
    /// Waits before attempts that succeeded: a network that came back may have cut them short.
    private var lastWaits: [Int64] = []
    /// The wait before the attempt that is under way, and the number of its retry.
    private var pending: (wait: Int64, retry: Int)?
    private var firstBeats: [Int64] = []
    private var growths: [Int64] = []
    private var beats: [Int64] = []
    private var answerLimits: [Int64] = []
    private var hosts = HostCount()
    private var silentLosses = SilentLosses()

    // Where the log is.
    private var process = 0
    private var loginAt: Int64?
    private var attemptAt: Int64?
    private var endedAt: Int64?
    private var isFirstAfterLoss = false
    private var retry = 0
    private var isOnline = false
    private var beatAt: Int64?
    private var beatGap: Int64?
    private var unansweredAt: Int64?
    /// When heartbeats were counted from last.
    private var aliveSince: Int64?

    /// A wait shorter than this follows at once, and an attempt that fails sooner did not run out of time.
    private static let atOnce: Int64 = 500
    private static let limitLeast: Int64 = 2000
    private static let beatNames = ["UNREAD", "heartbeat", "ping", "PING"]
    /// Codes of logins that got no answer.
    private static let timeoutCodes = ["408", "415", "6000104", "9", "300", "301"]
    private static let attemptNames = ["PROVISION"]

    /// Reads a log's events once.
    ///
    /// - Parameter usual: the profile's policy; jittered delays and heartbeats without frames are compared with it.
    public init(_ log: ObservedLog, usual: ClientPolicy? = nil) {
        for entry in log.entries { take(entry.event, at: entry.offset / 1_000_000) }
        estimate(usual)
    }

    private mutating func take(_ event: LoggedEvent, at now: Int64) {
        if event.process != process || event.kind == .life && event.name == LoggedEvent.processStarted {
            process = event.process
            forget()
        }
        switch event.kind {
        case .call where event.name.lowercased().hasSuffix("login"):
            forget()
            loginAt = now
        case .call where event.name == "logout": forget()
        case .return where event.name.lowercased().hasSuffix("login"): loginEnded(event, at: now)
        case .frame: frame(event, at: now)
        case .callback: callback(event, at: now)
        // A network or an app that comes back makes a retry come early.
        case .life:
            endedAt = nil
            if event.name == "foreground", isOnline { aliveSince = now }
        case .call, .return, .line: break
        }
    }

    private mutating func forget() {
        (loginAt, attemptAt, endedAt, beatAt, beatGap, unansweredAt) = (nil, nil, nil, nil, nil, nil)
        (retry, isOnline, isFirstAfterLoss, pending, aliveSince) = (0, false, false, nil, nil)
        hosts.forget()
    }

    private mutating func loginEnded(_ event: LoggedEvent, at now: Int64) {
        guard let begun = loginAt else { return }
        loginAt = nil
        let code = event.fields.first { $0.name == "code" || $0.name == "error" }?.value ?? "0"
        if code == "0" || code == "200" {
            latencies.append((now - begun) / 4)
            longestLogin = max(longestLogin, now - begun)
        } else if !Self.timeoutCodes.contains(code) {
            // The server's answer ended the attempt.
            if let limit = limits.last, now - limit.ended < Self.atOnce { limits.removeLast() }
        } else if now - begun >= Self.limitLeast, limits.last.map({ now - $0.ended >= Self.atOnce }) ?? true {
            limits.append((now - (attemptAt ?? begun), now))
        }
    }

    private mutating func frame(_ event: LoggedEvent, at now: Int64) {
        guard event.direction == "out" else {
            unansweredAt = nil
            return
        }
        // A client that sends this once for each connection gives no line for a failed attempt.
        if Self.attemptNames.contains(event.name) {
            attemptAt = nil
            attemptBegan(at: now)
        }
        guard Self.beatNames.contains(event.name) else { return }
        if let last = beatAt, now - last >= Self.atOnce {
            let gap = now - last
            beats.append(gap)
            if let before = beatGap { growths.append(gap - before) } else { firstBeats.append(gap) }
            beatGap = gap
        }
        beatAt = now
        unansweredAt = unansweredAt ?? now
    }

    private mutating func callback(_ event: LoggedEvent, at now: Int64) {
        let step = event.name == "onLogin" ? event.fields.first { $0.name == "step" }?.value : nil
        switch step {
        case "1"?: attemptBegan(at: now)
        case "3"?, "6"?:
            // The line of its begin is not in the log.
            if attemptAt == nil { skipWait() }
            attemptFailed(at: now)
        default: break
        }
        switch event.state {
        case .online?, .syncing?:
            if let pending, pending.retry == 0 { lastWaits.append(pending.wait) }
            pending = nil
            if !isOnline { aliveSince = now }
            hosts.forget()
            (isOnline, retry, attemptAt, endedAt, isFirstAfterLoss) = (true, 0, nil, nil, false)
        case .reconnecting? where isOnline:
            (isOnline, loginAt) = (false, nil)
            if let sent = unansweredAt { answerLimits.append(now - sent) }
            if let since = aliveSince { silentLosses.take(now - since) }
            (beatAt, beatGap, unansweredAt) = (nil, nil, nil)
            (endedAt, isFirstAfterLoss) = (now, true)
        case .reconnecting?: if step == nil { attemptFailed(at: now) }
        case .loggedOut?:
            // The state comes before the answer of the login that failed.
            let login = loginAt
            forget()
            loginAt = login
        case .kicked?, .tokenExpired?: forget()
        case .connecting?, .offline?, nil: break
        }
    }

    /// A wait that the log does not show.
    private mutating func skipWait() {
        (pending, isFirstAfterLoss) = (nil, false)
        retry = min(retry + 1, 63)
    }

    private mutating func attemptBegan(at now: Int64) {
        // The line of the loss is not in the log.
        if isOnline { (isOnline, retry, attemptAt, endedAt, pending, loginAt) = (false, 0, nil, nil, nil, nil) }
        // The line of the failure between the two is not in the log.
        if attemptAt != nil, endedAt == nil, !isOnline, loginAt == nil {
            recordWait()
            skipWait()
        }
        attemptAt = now
        hosts.begin(at: now)
        guard let ended = endedAt else { return }
        endedAt = nil
        let wait = now - ended
        // A network that came back ended the attempt before, and begins this one.
        if !isFirstAfterLoss, wait < Self.atOnce {
            if let limit = limits.last, limit.ended == ended { limits.removeLast() }
            return
        }
        if isFirstAfterLoss { firstWaits.append(wait) }
        let isImmediate = isFirstAfterLoss && wait < Self.atOnce
        isFirstAfterLoss = false
        guard !isImmediate else { return }
        pending = (wait, retry)
        retry = min(retry + 1, 63)
    }

    /// The attempt after the wait failed.
    private mutating func recordWait() {
        guard let pending else { return }
        while waits.count <= pending.retry { waits.append([]) }
        waits[pending.retry].append(pending.wait)
        self.pending = nil
    }

    private mutating func attemptFailed(at now: Int64) {
        recordWait()
        hosts.fail(at: now)
        if let begun = attemptAt, now - begun >= Self.limitLeast { limits.append((now - begun, now)) }
        attemptAt = nil
        endedAt = now
    }

    // MARK: Estimates

    private mutating func estimate(_ usual: ClientPolicy?) {
        add("latency-ms", latencies)
        // A host that refuses the connection ends an attempt after two delays.
        let refusal = (Self.median(latencies) ?? 0) * 5 / 2
        let agreeing = Self.agreeing(limits.map(\.length).filter { $0 > refusal })
        add("attempt-time-limit-ms", agreeing, as: Self.median(agreeing).map { String($0) })
        if !firstWaits.isEmpty {
            let waiting = firstWaits.filter { $0 >= Self.atOnce }.count
            add("first-retry-waits", firstWaits, as: waiting * 2 > firstWaits.count ? "true" : "false")
        }
        if waits.allSatisfy(\.isEmpty), !lastWaits.isEmpty { waits = [lastWaits] }
        let delays = RetryDelays(
            waits, usual: usual?.retryDelays.map(\.inMilliseconds) ?? [], usualJitter: usual?.retryJitterPerMille ?? 0)
        add("retry-delays-ms", delays.observed, as: delays.text)
        add("retry-jitter-per-mille", delays.spreads, as: String(delays.jitterPerMille))
        if let count = hosts.mostFrequent { add("host-count", hosts.bursts, as: String(count)) }
        let silent = firstBeats.isEmpty ? usual.flatMap { silentLosses.interval($0) } : nil
        add("heartbeat-interval-ms", silent?.observed ?? firstBeats, as: silent.map { String($0.interval) })
        let growth = Self.median(growths.filter { $0 > Self.atOnce })
        add("heartbeat-growth-ms", growths, as: String(growth ?? 0))
        if growth != nil { add("heartbeat-interval-max-ms", beats, as: String(beats.max() ?? 0)) }
        add("heartbeat-answer-limit-ms", answerLimits)
    }

    private mutating func add(_ key: String, _ observed: [Int64], as value: String? = nil) {
        guard let least = observed.min(), let most = observed.max(), let median = Self.median(observed) else { return }
        numbers.append(
            Number(key: key, value: value ?? String(median), count: observed.count, least: least, most: most))
    }

    /// The most observations that agree within 2 %, the longest of equally many: other ones ended for other reasons.
    static func agreeing(_ values: [Int64]) -> [Int64] {
        var best: [Int64] = []
        for value in values {
            let near = values.filter { $0 <= value && value - $0 <= max(80, value / 50) }
            if (near.count, near.max() ?? 0) > (best.count, best.max() ?? 0) { best = near }
        }
        return best
    }

    static func median(_ values: [Int64]) -> Int64? {
        values.isEmpty ? nil : values.sorted()[values.count / 2]
    }
}
