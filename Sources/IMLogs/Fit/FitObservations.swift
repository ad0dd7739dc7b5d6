import IMClient
import IMSession

/// The times in a log that show a client's settings, in milliseconds.
struct FitObservations {
    /// A duration that consists of several one-way delays of the network.
    struct Exchange {
        var length: Int64
        var delays: Int64
    }

    private(set) var exchanges: [Exchange] = []
    /// The duration of the longest successful login.
    private(set) var longestLogin: Int64 = 0
    /// The durations of failed attempts that may have reached their time limit, with the times at which they ended.
    private(set) var limits: [(length: Int64, ended: Int64)] = []
    /// The times from the loss of a connection to the first retry.
    private(set) var firstWaits: [Int64] = []
    /// The delays before attempts that failed, by the number of the retry since the connection was lost.
    private(set) var waits: [[Int64]] = []
    /// The delays before first retries that succeeded. The return of the network may have shortened them.
    private(set) var lastWaits: [Int64] = []
    private(set) var heartbeats = HeartbeatGaps()
    private(set) var hosts = HostCount()
    private(set) var silentLosses = SilentLosses()
    /// True if the log shows an attempt only by a frame over the new connection. Then a failed attempt has no line.
    private(set) var hasFramesOfAttempts = false
    /// The resolution of the log's clock. If the times of the lines have different resolutions, this is the coarsest
    /// one.
    private(set) var clockStep: Int64 = 0

    // The state of the client at the current line of the log. Times are in milliseconds.
    private let successCodes: [String]
    /// The delays of the profile's policy, in milliseconds; empty if the policy has a jitter.
    private let profileDelays: [Int64]
    private var process = 0
    private var loginAt: Int64?
    private var attemptAt: Int64?
    private var endedAt: Int64?
    /// The time at which an attempt's frame was sent; nil after its answer.
    private var requestSentAt: Int64?
    private var isFirstAfterLoss = false
    private var retry = 0
    /// True if all delays since the connection was lost were those of the profile.
    private var followsProfile = true
    /// The delay before the current attempt, and the number of its retry.
    private var pending: (wait: Int64, retry: Int)?
    private var isOnline = false
    /// The time since which the client sends heartbeats.
    private var aliveSince: Int64?

    /// A shorter delay counts as none. Two events within this time have the same cause.
    static let immediateMax: Int64 = 250
    /// An attempt that failed after less than this time did not reach its time limit.
    private static let limitMin: Int64 = 2000
    private static let delayError: Int64 = 80
    private static let heartbeatNames = ["UNREAD", "heartbeat", "ping", "PING"]
    /// The codes of logins that the server did not answer.
    private static let timeoutCodes = ["408", "415", "6000104", "9", "300", "301"]
    private static let attemptNames = ["PROVISION"]

    init(_ log: ObservedLog, usual: ClientPolicy?) {
        profileDelays = usual?.retryJitterPerMille == 0 ? usual?.retryDelays.map(\.inMilliseconds) ?? [] : []
        // In NIM, 200 is a success. In other systems it is an error.
        successCodes = log.profile == "nim" ? ["0", "200"] : ["0"]
        for entry in log.entries {
            clockStep = max(clockStep, entry.event.uncertainty / 1_000_000)
            take(entry.event, at: entry.offset / 1_000_000)
        }
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
        // The return of the network, or of the app to the foreground, starts a retry early. So the delay before that
        // retry is not used.
        case .life:
            endedAt = nil
            if event.name == "foreground", isOnline { aliveSince = now }
        case .call, .return, .line: break
        }
    }

    private mutating func forget() {
        (loginAt, attemptAt, endedAt, requestSentAt) = (nil, nil, nil, nil)
        (retry, isOnline, isFirstAfterLoss, pending, aliveSince) = (0, false, false, nil, nil)
        followsProfile = true
        heartbeats.forget()
        hosts.forget()
    }

    private mutating func loginEnded(_ event: LoggedEvent, at now: Int64) {
        guard let start = loginAt else { return }
        loginAt = nil
        let code = event.resultCode
        if successCodes.contains(code) {
            exchanges.append(Exchange(length: now - start, delays: 4))
            longestLogin = max(longestLogin, now - start)
        } else if !Self.timeoutCodes.contains(code) {
            // The server's answer ended the attempt. So a failure just before it was not caused by the time limit.
            if let limit = limits.last, now - limit.ended < Self.immediateMax { limits.removeLast() }
        } else if now - start >= Self.limitMin, limits.last.map({ now - $0.ended >= Self.immediateMax }) ?? true {
            limits.append((now - (attemptAt ?? start), now))
        }
    }

    private mutating func frame(_ event: LoggedEvent, at now: Int64) {
        guard event.direction == "out" else {
            if let sent = requestSentAt { exchanges.append(Exchange(length: now - sent, delays: 2)) }
            requestSentAt = nil
            heartbeats.receive(at: now)
            return
        }
        // The client sends a frame of `attemptNames` after its connection is open. An attempt to open a connection that
        // fails therefore has no line in the log.
        if Self.attemptNames.contains(event.name) {
            hasFramesOfAttempts = true
            requestSentAt = now
            attemptAt = nil
            attemptBegan(at: now)
        }
        if Self.heartbeatNames.contains(event.name) { heartbeats.send(at: now) }
    }

    private mutating func callback(_ event: LoggedEvent, at now: Int64) {
        let step = event.name == "onLogin" ? event.fields.first { $0.name == "step" }?.value : nil
        switch step {
        case "1"?: attemptBegan(at: now)
        case "3"?, "6"?:
            // The log has no line for the start of this attempt.
            if attemptAt == nil { skipWait() }
            attemptFailed(at: now)
        // For a login that the app called, the duration is taken from its result.
        case "5"?:
            if let attemptAt, loginAt == nil { exchanges.append(Exchange(length: now - attemptAt, delays: 4)) }
        default: break
        }
        switch event.state {
        case .online?, .syncing?: succeed(at: now)
        case .reconnecting? where isOnline: lose(at: now)
        case .reconnecting?: if step == nil { attemptFailed(at: now) }
        case .loggedOut?:
            // The state is logged before the result of the failed login. The time of the call is kept for that result.
            let login = loginAt
            forget()
            loginAt = login
        case .kicked?, .tokenExpired?: forget()
        case .connecting?, .offline?, nil: break
        }
    }

    private mutating func succeed(at now: Int64) {
        if let pending, pending.retry == 0 { lastWaits.append(pending.wait) }
        pending = nil
        if !isOnline {
            aliveSince = now
            heartbeats.begin(at: now)
        }
        hosts.forget()
        (isOnline, retry, attemptAt, endedAt, isFirstAfterLoss) = (true, 0, nil, nil, false)
    }

    private mutating func lose(at now: Int64) {
        (isOnline, loginAt) = (false, nil)
        if let since = aliveSince { silentLosses.take(now - since) }
        heartbeats.lose(at: now)
        (endedAt, isFirstAfterLoss, followsProfile) = (now, true, true)
    }

    /// Counts a retry without its delay, because the log has no line for the start or for the end of the delay.
    private mutating func skipWait() {
        (pending, isFirstAfterLoss) = (nil, false)
        retry = min(retry + 1, 63)
    }

    private mutating func attemptBegan(at now: Int64) {
        // The log has no line for the loss of the previous connection.
        if isOnline {
            (isOnline, retry, attemptAt, endedAt, pending, loginAt) = (false, 0, nil, nil, nil, nil)
            followsProfile = true
        }
        // The log has no line for the failure of the previous attempt.
        if attemptAt != nil, endedAt == nil, !isOnline, loginAt == nil {
            recordWait()
            skipWait()
        }
        attemptAt = now
        hosts.begin(at: now)
        guard let ended = endedAt else { return }
        endedAt = nil
        let wait = now - ended
        // The return of the network ended the previous attempt and started this one, so there was no delay.
        if !isFirstAfterLoss, wait < Self.immediateMax {
            if let limit = limits.last, limit.ended == ended { limits.removeLast() }
            return
        }
        if isFirstAfterLoss { firstWaits.append(wait) }
        let isImmediate = isFirstAfterLoss && wait < Self.immediateMax
        isFirstAfterLoss = false
        guard !isImmediate else { return }
        findRetry(wait)
        pending = (wait, retry)
        retry = min(retry + 1, 63)
    }

    /// Determines the number of the retry. If the log has no lines for one or two attempts, the delay is a later one of
    /// the profile's list.
    private mutating func findRetry(_ wait: Int64) {
        func isProfileDelay(_ index: Int) -> Bool {
            profileDelays.indices.contains(index) && abs(wait - profileDelays[index]) <= Self.delayError
        }
        if followsProfile, retry > 0, !isProfileDelay(retry),
            let later = (retry + 1...retry + 2).first(where: isProfileDelay)
        {
            retry = later
        }
        followsProfile = followsProfile && isProfileDelay(min(retry, max(0, profileDelays.count - 1)))
    }

    /// Stores the delay before an attempt that failed.
    private mutating func recordWait() {
        guard let pending else { return }
        while waits.count <= pending.retry { waits.append([]) }
        waits[pending.retry].append(pending.wait)
        self.pending = nil
    }

    private mutating func attemptFailed(at now: Int64) {
        recordWait()
        hosts.fail(at: now)
        if let start = attemptAt, now - start >= Self.limitMin { limits.append((now - start, now)) }
        attemptAt = nil
        endedAt = now
    }
}
