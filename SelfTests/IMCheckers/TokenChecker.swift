import IMClient
import IMProtocol
import IMSession
import SansIO

/// A token expires by the server's clock, independent of the device's clock (C-10, ZIM-6, RTM-5). A renewed token
/// expires later. The app is warned of each expiry.
struct TokenChecker: Checker {
    private let policy: ClientPolicy
    /// The expiry of the newest token as the server sent it, in milliseconds since 1970; 0 if there is none.
    private var expiresAt: Int64 = 0
    /// True if the server reported that the newest token does not expire.
    private var isEndless = false
    /// True if the app has been notified of the expiry.
    private var isExpiryNotified = false
    /// True if the server has sent the time to this process.
    private var isTimeKnown = false
    /// The renewals without an answer.
    private var renewals: Set<CommandID> = []
    /// The number of the newest renewal that the server has answered. Answers to earlier renewals are ignored.
    private var answered: UInt32?
    /// True if the server's time ever arrived without delay. Otherwise the client's time is late by the delay.
    private var isTimeRight = false
    /// True if the server may have accepted a renewed token whose new expiry the client did not receive.
    private var isRenewalLost = false
    /// The time at which the app must be warned of the expiry, in milliseconds since 1970; nil if it was warned, if
    /// there was no time for a warning, or if the time cannot be observed.
    private var warningAt: Int64?
    /// The latest time at which the app must be notified of the expiry, in milliseconds since 1970; nil under the same
    /// conditions as `warningAt`.
    private var expiryNoticeAt: Int64?
    /// A logout in progress, which may fail. The app gets no notifications before its completion (CHAT-11).
    private var logoutID: CommandID?
    /// True if the app was warned of the newest token's expiry, by the server's time or by the device's own clock.
    private var isWarned = false
    /// The maximum error of a client's time plus the delay of a timer, in milliseconds.
    private static let lateMax: Int64 = 1001
    /// The longest delay of an answer, in milliseconds. If the delay seems longer, the server's clock was set back.
    private static let delayMax: Int64 = 60_000
    /// The expiry that the app was last warned of; nil if another warning is allowed.
    private var warnedOf: Int64?

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        let epochMilliseconds = trace.epochMilliseconds
        let now = epochMilliseconds + event.time.nanoseconds / 1_000_000
        if case .input = event.content { checkWarning(epochMilliseconds, event.time, trace, into: &violations) }
        switch event.content {
        case .start, .stop: self = TokenChecker(policy)
        case .input(.frame(_, let frame)) where !trace.isInputStale:
            switch frame.body {
            case .loginAck(let reply) where reply.status == .ok:
                isTimeKnown = true
                let delay = now - reply.serverTimeMilliseconds
                // After a longer delay, the server's clock was set back.
                isTimeRight = delay <= Self.delayMax && (isTimeRight || delay < 1000)
                if !isTimeRight { (warningAt, expiryNoticeAt) = (nil, nil) }
                (isRenewalLost, isExpiryNotified) = (false, false)
                if expiresAt != reply.expiresAtMilliseconds {
                    warnedOf = nil
                    expiresAt = reply.expiresAtMilliseconds
                    isEndless = expiresAt == 0
                    expectWarning(after: reply.issuedAtMilliseconds, now)
                }
            case .renewTokenAck(.ok, let expiry, let issue):
                guard !renewals.isEmpty else { break }
                if let answered, Frame.isRequest(frame.request, before: answered) { break }
                answered = frame.request
                (expiresAt, warnedOf, isExpiryNotified) = (expiry, nil, false)
                isEndless = expiry == 0
                expectWarning(after: issue, now)
            default: break
            }
        // Until the server has received a new token, the client uses the expiry from the app's call.
        case .input(.clientCommand(let id, .renewToken)):
            renewals.insert(id)
            (isWarned, warnedOf, isExpiryNotified) = (false, nil, false)
        case .input(.clientCommand(let id, .logout)): logoutID = logoutID ?? id
        case .effect(.complete(let id, _)) where id == logoutID: logoutID = nil
        case .input(.clientCommand(_, .login)):
            (expiresAt, isWarned, warnedOf) = (0, false, nil)
            (isEndless, warningAt, expiryNoticeAt, isExpiryNotified) = (false, nil, nil, false)
        case .effect(.notify(.tokenWillExpire)):
            if expiresAt > 0, warnedOf == expiresAt {
                violations.add(.tokens, "CHAT-10", "the app is warned of the expiry of a token twice")
            }
            if let due = warningAt, isExpiryKnown, due - now > 1 {
                let detail = "\(due - now) ms"
                violations.add(.tokens, "ZIM-6", "the app is warned of the expiry of a token too early", detail)
            }
            (warningAt, isWarned, warnedOf) = (nil, true, expiresAt)
        case .effect(.complete(let id, let completion)) where renewals.contains(id):
            renewals.remove(id)
            // A failed renewal leaves the expiry unknown if the server may have accepted it.
            if Self.isInconclusive(completion.status), !isRenewalTaken(trace.input) { isRenewalLost = true }
            // Without a connection, the renewal completes before the server has received the token.
            if completion.status == .ok, trace.acceptedLink == nil {
                (expiresAt, warningAt, expiryNoticeAt, isEndless) = (0, nil, nil, false)
            }
        case .effect(.transition(let change)) where change.to == .tokenExpired:
            if !policy.tokenExpiryEndsLogin {
                violations.add(.tokens, "RTM-5", "an expired token ends a login that does not need it")
            }
            ended(event.time, epochMilliseconds, trace, into: &violations)
            (warningAt, expiryNoticeAt) = (nil, nil)
        case .effect(.notify(.tokenExpired)):
            if isExpiryNotified { violations.add(.tokens, "RTM-5", "the app is notified of an expired token twice") }
            isExpiryNotified = true
            ended(event.time, epochMilliseconds, trace, into: &violations)
            (warningAt, expiryNoticeAt) = (nil, nil)
        case .effect(.transition(let change)) where change.to.isOver: (warningAt, expiryNoticeAt) = (nil, nil)
        default: break
        }
    }

    /// True if the expiry of the login's token is known.
    private var isExpiryKnown: Bool { expiresAt > 0 && renewals.isEmpty && !isRenewalLost }

    /// Checks that the app is warned in time, even if the connection broke after the token was issued.
    private mutating func checkWarning(
        _ epochMilliseconds: Int64, _ now: Instant, _ trace: ClientTrace, into violations: inout [Violation]
    ) {
        guard isExpiryKnown, logoutID == nil, now - trace.awakeSince > .milliseconds(Self.lateMax) else { return }
        let time = epochMilliseconds + now.nanoseconds / 1_000_000
        if let due = warningAt, time - due > Self.lateMax {
            warningAt = nil
            violations.add(
                .tokens, "ZIM-6", "the app is not warned of the expiry of a token in time", "\(time - due) ms late")
        }
        if let due = expiryNoticeAt, time - due > Self.lateMax {
            expiryNoticeAt = nil
            violations.add(
                .tokens, "ZIM-6", "the app is not notified of an expired token in time", "\(time - due) ms late")
        }
    }

    private func isRenewalTaken(_ input: NodeInput?) -> Bool {
        guard case .frame(_, let frame)? = input, case .renewTokenAck(.ok, _, _) = frame.body else { return false }
        return true
    }

    /// True if the server may have accepted the renewal although it failed for the client.
    private static func isInconclusive(_ status: Status) -> Bool {
        [.timeout, .networkUnavailable, .connectionFailed, .cancelled].contains(status)
    }

    private mutating func expectWarning(after issue: Int64, _ now: Int64) {
        switch policy.tokenWarning {
        case .never: warningAt = nil
        case .before(let interval): warningAt = expiresAt - interval.inMilliseconds
        case .afterPerMille(let share): warningAt = issue > 0 ? issue + (expiresAt - issue) / 1000 * share : nil
        }
        if !isTimeRight || isWarned || warningAt.map({ $0 <= now }) == true { warningAt = nil }
        expiryNoticeAt = isTimeRight && expiresAt > now ? expiresAt : nil
    }

    /// True if the server refused the token without ending the login. The token then counts as expired (RTM-5).
    private func isRefused(_ input: NodeInput?) -> Bool {
        guard !policy.refusalEndsLogin, case .frame(_, let frame)? = input, case .loginAck(let reply) = frame.body
        else { return false }
        return reply.status == .wrongCredential
    }

    private func ended(
        _ now: Instant, _ epochMilliseconds: Int64, _ trace: ClientTrace, into violations: inout [Violation]
    ) {
        guard isTimeKnown, renewals.isEmpty, !isRenewalLost, !isRefused(trace.input) else { return }
        if isEndless { violations.add(.tokens, "ZIM-6", "a token without an expiry expires") }
        guard expiresAt > 0 else { return }
        let left = expiresAt - (epochMilliseconds + now.nanoseconds / 1_000_000)
        // A device that slept at the time of the warning gets only the notification of the expiry.
        if let due = warningAt, left <= 1, due > epochMilliseconds + trace.awakeSince.nanoseconds / 1_000_000 {
            violations.add(.tokens, "ZIM-6", "a token expires without a warning")
        }
        // Timers are exact to one millisecond.
        guard left > 1 else { return }
        violations.add(.tokens, "C-10", "a token expires too early", "\(left) ms before")
    }
}
