import IMClient
import IMProtocol
import IMSession
import SansIO

/// A token ends when it ends, by the server's clock and whatever the device's shows (C-10, ZIM-6, RTM-5); a renewed one
/// ends later, and the app is warned of each.
struct TokenOracle {
    private let policy: ClientPolicy
    /// When the newest token ends by the server's word, in milliseconds since 1970; 0 where it does not or nobody said.
    private var expiresAt: Int64 = 0
    /// By its word the newest token has no end.
    private var isEndless = false
    /// Whether the app has been told that it has ended.
    private var isEndTold = false
    /// Whether the server has told the time in this process.
    private var isTimeKnown = false
    /// The renewals that have no answer yet: one that comes later does not count.
    private var renewals: Set<CommandID> = []
    /// The newest renewal that the server has answered: the word to one of before it counts no more.
    private var answered: UInt32?
    /// Whether it ever came without delay: else the client's idea of the time is late by as much.
    private var isTimeRight = false
    /// The server may have taken a renewed token without the client's learning when that ends.
    private var isRenewalLost = false
    /// When the app is to be warned of the end of that token, in milliseconds since 1970; nil where it was, where there
    /// was no time for it, or where that cannot be told from outside.
    private var warningAt: Int64?
    /// When the app is to learn of its end at the latest, on the same conditions.
    private var endAt: Int64?
    /// A logout that may fail: as long as it is under way, nothing is told (CHAT-11).
    private var leaving: CommandID?
    /// Whether the app was warned of the newest token, if only by its own clock before the server told the time.
    private var isWarned = false
    /// A client's idea of the time may be late by so many milliseconds, and what falls due then a little more.
    private static let lateMax: Int64 = 1001
    /// How many milliseconds a word of the server may be on its way and still count for what is known better.
    private static let delayMax: Int64 = 60_000
    /// The end that the app was warned of; nil where that may be told anew.
    private var warnedOf: Int64?

    init(_ policy: ClientPolicy) { self.policy = policy }

    mutating func see(
        _ event: SessionEvent, _ trace: ClientTrace, epochMilliseconds: Int64, into faults: inout [Violation]
    ) {
        if case .input = event.content { lookAtWarning(epochMilliseconds, event.time, trace, into: &faults) }
        switch event.content {
        case .start, .stop: self = TokenOracle(policy)
        case .input(.frame(_, let frame)) where !trace.isInputStale:
            switch frame.body {
            case .loginAck(let reply) where reply.status == .ok:
                isTimeKnown = true
                let delay = epochMilliseconds + event.time.nanoseconds / 1_000_000 - reply.serverTimeMilliseconds
                // One that was longer on its way counts as that of a clock that was set back.
                isTimeRight = delay <= Self.delayMax && (isTimeRight || delay < 1000)
                if !isTimeRight { (warningAt, endAt) = (nil, nil) }
                (isRenewalLost, isEndTold) = (false, false)
                if expiresAt != reply.expiresAtMilliseconds {
                    warnedOf = nil
                    expiresAt = reply.expiresAtMilliseconds
                    isEndless = expiresAt == 0
                    expectWarning(
                        after: reply.issuedAtMilliseconds, epochMilliseconds + event.time.nanoseconds / 1_000_000)
                }
            case .renewTokenAck(.ok, let expiry, let issue):
                guard !renewals.isEmpty else { break }
                if let answered, Frame.isRequest(frame.request, before: answered) { break }
                answered = frame.request
                (expiresAt, warnedOf, isEndTold) = (expiry, nil, false)
                isEndless = expiry == 0
                expectWarning(after: issue, epochMilliseconds + event.time.nanoseconds / 1_000_000)
            default: break
            }
        // A new token that the server has not seen yet says itself when it ends.
        case .input(.clientCommand(let id, .renewToken)):
            renewals.insert(id)
            (isWarned, warnedOf, isEndTold) = (false, nil, false)
        case .input(.clientCommand(let id, .logout)): leaving = leaving ?? id
        case .effect(.complete(let id, _)) where id == leaving: leaving = nil
        case .input(.clientCommand(_, .login)):
            (expiresAt, isWarned, warnedOf) = (0, false, nil)
            (isEndless, warningAt, endAt, isEndTold) = (false, nil, nil, false)
        case .effect(.notify(.tokenWillExpire)):
            if expiresAt > 0, warnedOf == expiresAt {
                faults.append(Violation(.tokens, "CHAT-10", "the end of a token is announced twice"))
            }
            if let due = warningAt, isKnown {
                let early = due - (epochMilliseconds + event.time.nanoseconds / 1_000_000)
                if early > 1 {
                    faults.append(
                        Violation(.tokens, "ZIM-6", "the end of a token is announced too soon", "\(early) ms"))
                }
            }
            (warningAt, isWarned, warnedOf) = (nil, true, expiresAt)
        case .effect(.complete(let id, let completion)) where renewals.contains(id):
            renewals.remove(id)
            // One that a later one has overtaken is void.
            if Self.saysNothing(completion.status), !isRenewalTaken(trace.input) { isRenewalLost = true }
            // Without a link it is taken on before the server has seen it.
            if completion.status == .ok, trace.acceptedLink == nil {
                (expiresAt, warningAt, endAt, isEndless) = (0, nil, nil, false)
            }
        case .effect(.transition(let change)) where change.to == .tokenExpired:
            if !policy.tokenExpiryEndsLogin {
                faults.append(Violation(.tokens, "RTM-5", "the end of a token ends a login that goes on without"))
            }
            ended(event.time, epochMilliseconds, trace, into: &faults)
            (warningAt, endAt) = (nil, nil)
        case .effect(.notify(.tokenExpired)):
            if isEndTold { faults.append(Violation(.tokens, "RTM-5", "the end of a token is told twice")) }
            isEndTold = true
            ended(event.time, epochMilliseconds, trace, into: &faults)
            (warningAt, endAt) = (nil, nil)
        case .effect(.transition(let change)) where change.to.isOver: (warningAt, endAt) = (nil, nil)
        default: break
        }
    }

    /// Whether the end of the token that the login has is known.
    private var isKnown: Bool { expiresAt > 0 && renewals.isEmpty && !isRenewalLost }

    /// The app is warned when it is time, whatever the link has done since the token was made.
    private mutating func lookAtWarning(
        _ epochMilliseconds: Int64, _ now: Instant, _ trace: ClientTrace, into faults: inout [Violation]
    ) {
        guard isKnown, leaving == nil, now - trace.awakeSince > .milliseconds(Self.lateMax) else { return }
        let time = epochMilliseconds + now.nanoseconds / 1_000_000
        if let due = warningAt, time - due > Self.lateMax {
            warningAt = nil
            let words = "\(time - due) ms late"
            faults.append(Violation(.tokens, "ZIM-6", "the end of a token is not announced in time", words))
        }
        if let due = endAt, time - due > Self.lateMax {
            endAt = nil
            faults.append(Violation(.tokens, "ZIM-6", "a token has ended and nobody says so", "\(time - due) ms late"))
        }
    }

    private func isRenewalTaken(_ input: NodeInput?) -> Bool {
        guard case .frame(_, let frame)? = input, case .renewTokenAck(.ok, _, _) = frame.body else { return false }
        return true
    }

    /// Whether the server may have done what a call asked for all the same.
    private static func saysNothing(_ status: Status) -> Bool {
        [.timeout, .networkUnavailable, .connectionFailed, .cancelled].contains(status)
    }

    private mutating func expectWarning(after issue: Int64, _ now: Int64) {
        switch policy.tokenWarning {
        case .never: warningAt = nil
        case .before(let interval): warningAt = expiresAt - interval.inMilliseconds
        case .afterPerMille(let share): warningAt = issue > 0 ? issue + (expiresAt - issue) / 1000 * share : nil
        }
        if !isTimeRight || isWarned || warningAt.map({ $0 <= now }) == true { warningAt = nil }
        endAt = isTimeRight && expiresAt > now ? expiresAt : nil
    }

    /// Whether the server has refused the token: where that ends no login, it counts as expired (RTM-5).
    private func isRefused(_ input: NodeInput?) -> Bool {
        guard !policy.refusalEndsLogin, case .frame(_, let frame)? = input, case .loginAck(let reply) = frame.body
        else { return false }
        return reply.status == .wrongCredential
    }

    private func ended(
        _ now: Instant, _ epochMilliseconds: Int64, _ trace: ClientTrace, into faults: inout [Violation]
    ) {
        guard isTimeKnown, renewals.isEmpty, !isRenewalLost, !isRefused(trace.input) else { return }
        if isEndless {
            faults.append(Violation(.tokens, "ZIM-6", "a token that has no end ends"))
        }
        guard expiresAt > 0 else { return }
        let left = expiresAt - (epochMilliseconds + now.nanoseconds / 1_000_000)
        // Who slept through it hears of the end.
        if let due = warningAt, left <= 1, due > epochMilliseconds + trace.awakeSince.nanoseconds / 1_000_000 {
            faults.append(Violation(.tokens, "ZIM-6", "a token ends without a warning"))
        }
        // A timer falls due to the millisecond.
        guard left > 1 else { return }
        faults.append(Violation(.tokens, "C-10", "a token ends before its time", "\(left) ms before"))
    }
}
