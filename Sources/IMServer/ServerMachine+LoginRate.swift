import IMProtocol
import OrderedCollections
import SansIO

// How often a device may ask to log in (NIM-8, RTM-9). A request counts whether its credential is right or not: a
// server that counted only right ones would let anybody guess as fast as they like.

extension ServerMachine {
    /// Accounts and devices whose requests are counted at the same time; the ones that began first are let go.
    static let loginPacesMax = 10_000

    /// Whether a login by hand or by the app comes too often for its device. Going on with a login that broke is not
    /// counted: its pace is the client's backoff.
    ///
    /// - Parameter isHeldUp: whether the host refuses to check the credential, after too many wrong ones. The refusal is
    ///   reported like any other, so the penalty begins with it too.
    mutating func isTooOften(_ login: LoginRequest, isHeldUp: Bool, at now: Instant) -> Bool {
        guard login.mode != .resume else { return isHeldUp }
        return isTooOften(LoginPaceKey(user: login.user, device: login.device.id), isHeldUp: isHeldUp, at: now)
    }

    /// The same for a call with a credential from outside a login, which counts when the credential is wrong (CHAT-6).
    mutating func isTooOften(_ call: AccountCall, showing status: Status, at now: Instant) -> Bool {
        let key = LoginPaceKey(user: call.user, device: "")
        let (isWrong, isHeldUp) = (status == .wrongCredential, status == .rateLimited)
        guard isWrong || isHeldUp || loginPaces[key] != nil else { return false }
        return isTooOften(key, counts: isWrong, isHeldUp: isHeldUp, at: now)
    }

    private mutating func isTooOften(
        _ key: LoginPaceKey, counts: Bool = true, isHeldUp: Bool, at now: Instant
    ) -> Bool {
        guard policy.loginRateMax > 0 else { return isHeldUp }
        var pace = loginPaces[key] ?? LoginPace()
        defer { keep(pace, of: key) }
        if let until = pace.refusedUntil {
            if now < until { return true }
            pace = LoginPace()
        }
        pace.times.removeAll { now - $0 >= policy.loginRateWindow }
        guard pace.times.count < policy.loginRateMax, !isHeldUp else {
            if policy.loginRatePenalty > .zero { pace.refusedUntil = now + policy.loginRatePenalty }
            return true
        }
        if counts { pace.times.append(now) }
        return false
    }

    private mutating func keep(_ pace: LoginPace, of key: LoginPaceKey) {
        if loginPaces[key] == nil, loginPaces.count >= ServerMachine.loginPacesMax {
            // Many at once: taking the first one out moves all the others.
            loginPaces.removeFirst(ServerMachine.loginPacesMax / 4)
        }
        loginPaces[key] = pace
    }
}
