import IMProtocol
import SansIO

// The lifetime of a token: the warning, the expiry and the renewal. Validity is checked by the server's clock once it
// is known, by the device's before (C-10).

/// The wall clock at instant zero, as estimated by a client.
struct WallClock: Hashable, Sendable, Codable {
    /// Milliseconds since 1970; nil until a clock has been read.
    private(set) var zeroMilliseconds: Int64?
    /// True if it came from the server; the device's clock is then ignored.
    private(set) var isServerTime = false

    /// The maximum delay of a time stamp from the server; a delayed one is too early by its delay.
    private static let delayMaxMilliseconds: Int64 = 60_000

    /// Reads the server's clock. The time stamp with the shortest delay wins; one that is earlier by more than a delay
    /// can explain comes from a clock that was set.
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

    mutating func read(device milliseconds: Int64, at now: Instant) {
        guard milliseconds > 0, !isServerTime else { return }
        zeroMilliseconds = WallClock.zero(milliseconds, now)
    }

    /// Reads a change of the device's clock.
    ///
    /// - Returns: true if that changes the estimate.
    mutating func jump(by interval: Interval) -> Bool {
        guard !isServerTime, let zero = zeroMilliseconds else { return false }
        let (sum, overflow) = zero.addingReportingOverflow(interval.inMilliseconds)
        zeroMilliseconds = overflow ? zero : sum
        return true
    }

    /// The wall clock; nil if unknown.
    func milliseconds(at now: Instant) -> Int64? {
        guard let zeroMilliseconds else { return nil }
        let (sum, overflow) = zeroMilliseconds.addingReportingOverflow(now.nanoseconds / 1_000_000)
        return overflow ? nil : sum
    }

    /// The instant at which the wall clock shows `milliseconds` since 1970; nil if unknown.
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

/// When a token was made and when it expires, in milliseconds since 1970 by the server's clock; 0 if unknown.
struct TokenLife {
    var issuedAt: Int64 = 0
    var expiresAt: Int64
}

extension ClientMachine {
    /// The reason why an offline login is refused, from the device's data alone (ZIM-1), by the server's time if this
    /// process has received it (C-10). Nil if it is accepted.
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

    /// Sets the timers of the login's token. Before the server has accepted a login, only the server refuses its token:
    /// the device's clock may be wrong. Only a login without a network is checked by it (C-10, ZIM-1).
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
            // A share of its whole lifetime, which may have started before now.
            guard let issue = wall.instant(of: login.issuedAtMilliseconds) else { return }
            warning = issue + Interval(nanoseconds: ((expiry - issue).nanoseconds / 1000)) * share
        }
        guard !login.isWarned else { return }
        if warning < expiry { timers.set(.tokenWarning, at: max(warning, now)) }
    }

    /// Stores the lifetime of a login's token. A token without a time of issue counts as issued when it was first seen.
    mutating func setTokenLife(_ life: TokenLife, of login: inout Login, at now: Instant) {
        let isAnother = life.expiresAt != login.expiresAtMilliseconds
        if isAnother {
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

    mutating func warnOfExpiry(at now: Instant, into effects: inout [ClientEffect]) {
        guard let login, let expiry = wall.instant(of: login.expiresAtMilliseconds) else { return }
        changeLogin { $0.isWarned = true }
        effects.append(.notify(.tokenWillExpire(inMilliseconds: max(0, (expiry - now).inMilliseconds))))
    }

    /// Handles the token's expiry: by this clock, by the server's notice, or by the server's refusal.
    mutating func tokenExpired(at now: Instant, into effects: inout [ClientEffect]) {
        guard let login, !login.isTokenExpired else { return }
        timers.cancel(.tokenWarning)
        timers.cancel(.tokenExpiry)
        if policy.tokenExpiryEndsLogin {
            endLink(.byUs, into: &effects)
            endExpired(login, into: &effects)
        } else {
            // The login stays, but no attempt uses the token (RTM-5).
            changeLogin { $0.isTokenExpired = true }
            if case .waiting = phase { timers.cancel(.retry) }
            effects.append(.notify(.tokenExpired))
        }
    }

    /// Ends a login whose connection has been ended (ZIM-6).
    mutating func endExpired(_ login: Login, into effects: inout [ClientEffect]) {
        let leaving = phase.leaveCommand
        clearLogin()
        local.lastResult = .credentialExpired
        local.autologinAllowed = false
        effects.append(.persist(local))
        if let leaving {
            enter(.loggedOut(nil), because: .logout, into: &effects)
            failCalls(.cancelled, into: &effects)
            return complete(leaving, .ok, into: &effects)
        }
        end(in: .tokenExpired(nil), because: .tokenExpired, .tokenExpired, into: &effects)
        failCalls(.credentialExpired, into: &effects)
        complete(login.command, .credentialExpired, into: &effects)
    }

    mutating func renewToken(
        _ credential: String, clock: TokenClock, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.tokenRenewal) else {
            return complete(command, .unsupported, into: &effects)
        }
        guard !credential.isEmpty else { return complete(command, .invalidArgument, into: &effects) }
        wall.read(device: clock.deviceMilliseconds, at: now)
        switch phase {
        case .online, .attempting(_, _, .syncing):
            guard !calls.isTooOften(.renewals, common, at: now) else {
                return complete(command, .rateLimited, into: &effects)
            }
            let request = PendingRequest(command: command, credential: credential)
            ask(.renewToken(.reference(credential)), for: request, at: now, into: &effects)
        case .attempting, .waiting, .paused:
            // There is no connection: the next attempt sends the new token.
            adopt(credential, TokenLife(expiresAt: clock.expiresAtMilliseconds), at: now, into: &effects)
            complete(command, .ok, into: &effects)
            continueRenewed(at: now, into: &effects)
        case .leaving: complete(command, .cancelled, into: &effects)
        case .loggedOut, .kicked, .tokenExpired: complete(command, .notLoggedIn, into: &effects)
        }
    }

    /// Continues the login with a new token. An attempt that has sent the old one is started again: the server's answer
    /// about the old token, good or bad, does not apply to the new one (P11).
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
        // Only the renewal requested by this login counts: an answer to an older one has no request (P11).
        guard let request = calls.requests.first(where: { $0.number == number && !$0.credential.isEmpty }) else {
            return
        }
        if status == .ok {
            adopt(request.credential, life, at: now, into: &effects)
            calls.cancelRequests(before: number, &common, into: &effects) { !$0.credential.isEmpty }
        }
        completeRequest(number, Completion(status), into: &effects)
    }

    private mutating func adopt(
        _ credential: String, _ life: TokenLife, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard var renewed = login else { return }
        renewed.credential = credential
        // It is a different token even if it expires at the same time as the old one.
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
