import IMClient
import IMSession

/// The times in a log that show a client's settings, in milliseconds.
struct FitObservations {
    /// A duration that consists of several one-way delays.
    struct Exchange {
        var length: Int64
        var delays: Int64
    }

    private(set) var exchanges: [Exchange] = []
    /// The longest successful login.
    private(set) var longestLogin: Int64 = 0
    private(set) var limits: [(length: Int64, ended: Int64)] = []
    private(set) var firstWaits: [Int64] = []
    /// The delays, by the number of the retry since the connection was lost.
    private(set) var waits: [[Int64]] = []
    /// Delays before successful attempts: a returning network may have shortened them.
    private(set) var lastWaits: [Int64] = []
    private(set) var beats = HeartbeatGaps()
    private(set) var hosts = HostCount()
    private(set) var silentLosses = SilentLosses()
    /// True if an attempt shows only by a frame that is sent over its connection, so that failed attempts have no line.
    private(set) var hasFramesOfAttempts = false
    /// The smallest step of the log's clock.
    private(set) var clockStep: Int64 = 0

    // The position in the log.
    private let successCodes: [String]
    /// The profile's delays, in milliseconds; empty if they are random.
    private let usualDelays: [Int64]
    private var process = 0
    private var loginAt: Int64?
    private var attemptAt: Int64?
    private var endedAt: Int64?
    /// The time of an attempt's frame that has no answer yet.
    private var askedAt: Int64?
    private var isFirstAfterLoss = false
    private var retry = 0
    /// True if all delays since the loss were the profile's.
    private var followsUsual = true
    /// The delay before the running attempt, and the number of its retry.
    private var pending: (wait: Int64, retry: Int)?
    private var isOnline = false
    /// The time from which heartbeats are counted.
    private var aliveSince: Int64?

    /// A shorter delay is none, and an attempt that fails sooner did not time out.
    static let atOnce: Int64 = 250
    private static let limitLeast: Int64 = 2000
    private static let delayError: Int64 = 80
    private static let beatNames = ["UNREAD", "heartbeat", "ping", "PING"]
    /// Codes of logins without an answer.
    private static let timeoutCodes = ["408", "415", "6000104", "9", "300", "301"]
    private static let attemptNames = ["PROVISION"]

    init(_ log: ObservedLog, usual: ClientPolicy?) {
        usualDelays = usual?.retryJitterPerMille == 0 ? usual?.retryDelays.map(\.inMilliseconds) ?? [] : []
        // In other systems 200 is an error.
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
        // A returning network, or an app in the foreground, triggers an early retry.
        case .life:
            endedAt = nil
            if event.name == "foreground", isOnline { aliveSince = now }
        case .call, .return, .line: break
        }
    }

    private mutating func forget() {
        (loginAt, attemptAt, endedAt, askedAt) = (nil, nil, nil, nil)
        (retry, isOnline, isFirstAfterLoss, pending, aliveSince) = (0, false, false, nil, nil)
        followsUsual = true
        beats.forget()
        hosts.forget()
    }

    private mutating func loginEnded(_ event: LoggedEvent, at now: Int64) {
        guard let begun = loginAt else { return }
        loginAt = nil
        let code = event.fields.first { $0.name == "code" || $0.name == "error" }?.value ?? "0"
        if successCodes.contains(code) {
            exchanges.append(Exchange(length: now - begun, delays: 4))
            longestLogin = max(longestLogin, now - begun)
        } else if !Self.timeoutCodes.contains(code) {
            // The server's answer ended the attempt; its time limit did not expire.
            if let limit = limits.last, now - limit.ended < Self.atOnce { limits.removeLast() }
        } else if now - begun >= Self.limitLeast, limits.last.map({ now - $0.ended >= Self.atOnce }) ?? true {
            limits.append((now - (attemptAt ?? begun), now))
        }
    }

    private mutating func frame(_ event: LoggedEvent, at now: Int64) {
        guard event.direction == "out" else {
            if let asked = askedAt { exchanges.append(Exchange(length: now - asked, delays: 2)) }
            askedAt = nil
            beats.receive(at: now)
            return
        }
        // If the client sends this frame once for each connection, a failed attempt has no line.
        if Self.attemptNames.contains(event.name) {
            hasFramesOfAttempts = true
            askedAt = now
            attemptAt = nil
            attemptBegan(at: now)
        }
        if Self.beatNames.contains(event.name) { beats.send(at: now) }
    }

    private mutating func callback(_ event: LoggedEvent, at now: Int64) {
        let step = event.name == "onLogin" ? event.fields.first { $0.name == "step" }?.value : nil
        switch step {
        case "1"?: attemptBegan(at: now)
        case "3"?, "6"?:
            // The line of its start is not in the log.
            if attemptAt == nil { skipWait() }
            attemptFailed(at: now)
        // The duration of an explicit login comes from its result.
        case "5"?:
            if let attemptAt, loginAt == nil { exchanges.append(Exchange(length: now - attemptAt, delays: 4)) }
        default: break
        }
        switch event.state {
        case .online?, .syncing?: succeed(at: now)
        case .reconnecting? where isOnline: lose(at: now)
        case .reconnecting?: if step == nil { attemptFailed(at: now) }
        case .loggedOut?:
            // The state comes before the result of the failed login.
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
            beats.begin(at: now)
        }
        hosts.forget()
        (isOnline, retry, attemptAt, endedAt, isFirstAfterLoss) = (true, 0, nil, nil, false)
    }

    private mutating func lose(at now: Int64) {
        (isOnline, loginAt) = (false, nil)
        if let since = aliveSince { silentLosses.take(now - since) }
        beats.lose(at: now)
        (endedAt, isFirstAfterLoss, followsUsual) = (now, true, true)
    }

    /// Skips a delay that the log does not show.
    private mutating func skipWait() {
        (pending, isFirstAfterLoss) = (nil, false)
        retry = min(retry + 1, 63)
    }

    private mutating func attemptBegan(at now: Int64) {
        // The line of the lost connection is not in the log.
        if isOnline {
            (isOnline, retry, attemptAt, endedAt, pending, loginAt) = (false, 0, nil, nil, nil, nil)
            followsUsual = true
        }
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
        // A returning network ended the previous attempt and started this one.
        if !isFirstAfterLoss, wait < Self.atOnce {
            if let limit = limits.last, limit.ended == ended { limits.removeLast() }
            return
        }
        if isFirstAfterLoss { firstWaits.append(wait) }
        let isImmediate = isFirstAfterLoss && wait < Self.atOnce
        isFirstAfterLoss = false
        guard !isImmediate else { return }
        findRetry(wait)
        pending = (wait, retry)
        retry = min(retry + 1, 63)
    }

    /// The log may lack the lines of an attempt: then the delay is the profile's next but one.
    private mutating func findRetry(_ wait: Int64) {
        func isUsual(_ index: Int) -> Bool {
            usualDelays.indices.contains(index) && abs(wait - usualDelays[index]) <= Self.delayError
        }
        if followsUsual, retry > 0, !isUsual(retry), let later = (retry + 1...retry + 2).first(where: isUsual) {
            retry = later
        }
        followsUsual = followsUsual && isUsual(min(retry, max(0, usualDelays.count - 1)))
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
        if let begun = attemptAt, now - begun >= Self.limitLeast { limits.append((now - begun, now)) }
        attemptAt = nil
        endedAt = now
    }
}
