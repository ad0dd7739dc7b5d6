import IMProtocol
import SansIO

// The lifetime of a token: the warning before its expiry, the expiry, and the renewal. The server's clock decides
// whether a token is valid. Until the client has received the server's time, it uses the device's clock (C-10).

/// A client's estimate of the wall clock: the wall clock's time at the start of the session.
struct WallClock: Hashable, Sendable, Codable {
    /// The time at the start of the session, in milliseconds since 1970; nil until a clock has been read.
    private(set) var zeroMilliseconds: Int64?
    /// True if the estimate comes from the server's clock. The device's clock is then ignored.
    private(set) var isServerTime = false

    /// The maximum delay of a time stamp between the server and the client. A time stamp that is late by a delay gives
    /// an estimate that is too early by the same delay.
    private static let delayMaxMilliseconds: Int64 = 60_000

    /// Updates the estimate with a time stamp of the server. A delayed time stamp gives a lower estimate, so a lower
    /// one is ignored. If the difference is longer than any delay, the server's clock was set back, and the lower
    /// estimate counts.
    mutating func read(server milliseconds: Int64, at now: Instant) {
        guard milliseconds > 0 else { return }
        let zero = WallClock.zero(milliseconds, now)
        if isServerTime, let known = zeroMilliseconds, zero < known {
            let (delay, overflow) = known.subtractingReportingOverflow(zero)
            if !overflow, delay <= WallClock.delayMaxMilliseconds { return }
        }
        zeroMilliseconds = zero
        isServerTime = true
    }

    /// Updates the estimate with the device's clock, unless the server's time has been received.
    mutating func read(device milliseconds: Int64, at now: Instant) {
        guard milliseconds > 0, !isServerTime else { return }
        zeroMilliseconds = WallClock.zero(milliseconds, now)
    }

    /// Changes the estimate because the device's clock was set.
    ///
    /// - Returns: true if the estimate has changed: the device's clock is in use.
    mutating func jump(by interval: Interval) -> Bool {
        guard !isServerTime, let zero = zeroMilliseconds else { return false }
        let (sum, overflow) = zero.addingReportingOverflow(interval.inMilliseconds)
        zeroMilliseconds = overflow ? zero : sum
        return true
    }

    /// The estimated time of the wall clock at an instant, in milliseconds since 1970; nil if no clock has been read.
    func milliseconds(at now: Instant) -> Int64? {
        guard let zeroMilliseconds else { return nil }
        let (sum, overflow) = zeroMilliseconds.addingReportingOverflow(now.nanoseconds / 1_000_000)
        return overflow ? nil : sum
    }

    /// The instant at which the wall clock shows a time in milliseconds since 1970; nil if no clock has been read.
    func instant(of milliseconds: Int64) -> Instant? {
        guard let zeroMilliseconds else { return nil }
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(zeroMilliseconds)
        guard !overflow else { return nil }
        return .zero + .milliseconds(difference)
    }

    private static func zero(_ milliseconds: Int64, _ now: Instant) -> Int64 {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(now.nanoseconds / 1_000_000)
        return overflow ? 0 : difference
    }
}

/// The times at which a token was issued and at which it expires, in milliseconds since 1970 by the server's clock; 0
/// if unknown.
struct TokenLife {
    var issuedAt: Int64 = 0
    var expiresAt: Int64
}

extension ClientMachine {
    /// The status for an offline login that is refused; nil if the login is accepted. The check uses only data on the
    /// device (ZIM-1), and the server's time if this process has received it (C-10).
    func refusal(ofOfflineLogin user: String, clock: TokenClock, at now: Instant) -> Status? {
        guard policy.features.contains(.offlineLogin) else { return .unsupported }
        guard local.lastUser == user else { return .offlineLoginNotAllowed }
        var wall = wall
        wall.read(device: clock.deviceMilliseconds, at: now)
        guard clock.expiresAtMilliseconds > 0, let time = wall.milliseconds(at: now) else { return nil }
        let (remaining, overflow) = clock.expiresAtMilliseconds.subtractingReportingOverflow(time)
        if overflow || remaining <= 0 { return .credentialExpired }
        return remaining < policy.offlineTokenMin.inMilliseconds ? .credentialTooShort : nil
    }

    /// Sets the timers for the warning and the expiry of a login's token. Until the server has accepted the login, no
    /// timers are set: the device's clock may be wrong, so the server checks the token. An offline login has timers,
    /// because no server checks its token (C-10, ZIM-1).
    mutating func watchToken(of login: Login, at now: Instant) {
        timers.cancel(.tokenWarning)
        timers.cancel(.tokenExpiry)
        guard login.isEstablished || login.mode == .offline else { return }
        guard policy.features.contains(.tokenRenewal), login.expiresAtMilliseconds > 0, !login.isTokenExpired,
            let expiry = wall.instant(of: login.expiresAtMilliseconds)
        else { return }
        timers.set(.tokenExpiry, at: max(expiry, now))
        let warning: Instant
        switch policy.tokenWarning {
        case .never: return
        case .before(let interval): warning = expiry - interval
        case .afterPerMille(let share):
            // The share counts from the token's issue, which may be earlier than this login.
            guard let issue = wall.instant(of: login.issuedAtMilliseconds) else { return }
            warning = issue + Interval(nanoseconds: ((expiry - issue).nanoseconds / 1000)) * share
        }
        guard !login.isWarned else { return }
        if warning < expiry { timers.set(.tokenWarning, at: max(warning, now)) }
    }

    /// Stores the lifetime of a login's token. If the server does not send the time of issue, the token counts as
    /// issued when the client first used it.
    mutating func setTokenLife(_ life: TokenLife, of login: inout Login, at now: Instant) {
        let isNewToken = life.expiresAt != login.expiresAtMilliseconds
        if isNewToken {
            login.isWarned = false
            login.issuedAtMilliseconds = 0
        }
        login.expiresAtMilliseconds = life.expiresAt
        if life.issuedAt != 0 {
            login.issuedAtMilliseconds = life.issuedAt
        } else if login.issuedAtMilliseconds == 0 {
            login.issuedAtMilliseconds = wall.milliseconds(at: now) ?? 0
        }
    }

    /// Notifies the app that the token will expire.
    mutating func warnOfExpiry(at now: Instant, into effects: inout [ClientEffect]) {
        guard let login, let expiry = wall.instant(of: login.expiresAtMilliseconds) else { return }
        changeLogin { $0.isWarned = true }
        effects.append(.notify(.tokenWillExpire(inMilliseconds: max(0, (expiry - now).inMilliseconds))))
    }

    /// Handles the token's expiry, which the client detects by its timer, by a notice of the server, or by a refusal.
    mutating func tokenExpired(at now: Instant, into effects: inout [ClientEffect]) {
        guard let login, !login.isTokenExpired else { return }
        timers.cancel(.tokenWarning)
        timers.cancel(.tokenExpiry)
        if policy.tokenExpiryEndsLogin {
            endLink(.byUs, into: &effects)
            endExpiredLogin(login, into: &effects)
        } else {
            // The login continues, but the client starts no attempt with the expired token (RTM-5).
            changeLogin { $0.isTokenExpired = true }
            if case .waiting = phase { timers.cancel(.retry) }
            effects.append(.notify(.tokenExpired))
        }
    }

    /// Ends a login because its token has expired (ZIM-6). The caller has already ended the connection.
    mutating func endExpiredLogin(_ login: Login, into effects: inout [ClientEffect]) {
        let leaving = phase.leaveCommand
        clearLogin()
        local.lastResult = .credentialExpired
        local.autologinAllowed = false
        effects.append(.persist(local))
        if let leaving {
            enter(.loggedOut(nil), because: .logout, into: &effects)
            failCalls(.cancelled, into: &effects)
            return effects.complete(leaving, .ok)
        }
        end(in: .tokenExpired(nil), because: .tokenExpired, .tokenExpired, into: &effects)
        failCalls(.credentialExpired, into: &effects)
        effects.complete(login.command, .credentialExpired)
    }

    mutating func renewToken(
        _ credential: String, clock: TokenClock, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.tokenRenewal) else { return effects.complete(command, .unsupported) }
        guard !credential.isEmpty else { return effects.complete(command, .invalidArgument) }
        wall.read(device: clock.deviceMilliseconds, at: now)
        switch phase {
        case .online, .attempting(_, _, .syncing):
            guard !calls.isTooOften(.renewals, common, at: now) else { return effects.complete(command, .rateLimited) }
            let request = PendingRequest(command: command, credential: credential)
            sendRequest(.renewToken(.reference(credential)), for: request, at: now, into: &effects)
        case .attempting, .waiting, .paused:
            // No request can be sent now, so the renewal completes at once. The next attempt sends the new token.
            replaceToken(credential, TokenLife(expiresAt: clock.expiresAtMilliseconds), at: now, into: &effects)
            effects.complete(command, .ok)
            continueRenewed(at: now, into: &effects)
        case .leaving: effects.complete(command, .cancelled)
        case .loggedOut, .kicked, .tokenExpired: effects.complete(command, .notLoggedIn)
        }
    }

    /// Continues the login with a new token. An attempt that has already sent the old token is started again, because
    /// the server's answer about the old token does not apply to the new one (P11).
    private mutating func continueRenewed(at now: Instant, into effects: inout [ClientEffect]) {
        switch phase {
        case .waiting:
            if timers.instant(of: .retry) == nil { retryDue(at: now, into: &effects) }
        case .attempting(let login, _, let stage):
            guard stage != .linking else { return }
            endLink(.byUs, into: &effects)
            startAttempt(login, because: .retrying, at: now, into: &effects)
        case .loggedOut, .online, .leaving, .kicked, .tokenExpired, .paused: break
        }
    }

    mutating func renewalAnswered(
        _ number: UInt32, _ status: Status, _ life: TokenLife, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        // An answer without a pending renewal belongs to a renewal that was cancelled or timed out, so its token is not
        // used (P11).
        guard let request = calls.requests.first(where: { $0.number == number && !$0.credential.isEmpty }) else {
            return
        }
        if status == .ok {
            replaceToken(request.credential, life, at: now, into: &effects)
            calls.cancelRequests(before: number, &common, into: &effects) { !$0.credential.isEmpty }
        }
        calls.end(number, Completion(status), &common, into: &effects)
    }

    /// Replaces the login's token.
    private mutating func replaceToken(
        _ credential: String, _ life: TokenLife, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard var renewed = login else { return }
        renewed.credential = credential
        // `setTokenLife` compares only the expiries, but this token is new even if the old one expires at the same
        // time.
        renewed.isWarned = false
        renewed.issuedAtMilliseconds = 0
        setTokenLife(life, of: &renewed, at: now)
        renewed.isTokenExpired = false
        changeLogin { $0 = renewed }
        guard let login else { return }
        watchToken(of: login, at: now)
        if login.isEstablished { storeOutcome(login, .ok, allowsAutologin: local.autologinAllowed, into: &effects) }
    }
}
