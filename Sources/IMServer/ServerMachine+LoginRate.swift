import IMProtocol
import OrderedCollections
import SansIO

// The rate limit for login requests (NIM-8, RTM-9). Requests count whether their credential is correct or not. If only
// those with a correct credential counted, guessing would not be limited.

extension ServerMachine {
    /// The maximum number of keys whose requests are counted at the same time. Above it, the oldest keys are dropped.
    static let loginPacesMax = 10_000

    /// True if a device sends login requests too often. A resumed login counts only if its credential was never valid
    /// for the user, because the backoff of the client already limits the rate of resumed logins.
    ///
    /// - Parameter proof: the proof that the credential gives. Its status is ``Status/rateLimited`` if the host refuses
    ///   to check the credential after too many wrong ones. Such a request also starts the penalty.
    mutating func isTooOften(_ login: LoginRequest, showing proof: Proof, at now: Instant) -> Bool {
        guard login.mode != .resume || proof == .nothing(.wrongCredential) else { return proof.status == .rateLimited }
        let key = LoginPaceKey(user: login.user, device: login.device.id)
        return isTooOften(key, from: login.credential, showing: proof.status, at: now)
    }

    /// True if admin calls come too often. A call counts only if its credential is wrong (CHAT-6).
    mutating func isTooOften(_ call: AccountCall, showing status: Status, at now: Instant) -> Bool {
        let key = LoginPaceKey(user: call.user, device: "")
        return isTooOften(key, from: call.credential, showing: status, countsCorrect: false, at: now)
    }

    /// True if requests with this key come too often. A wrong credential counts for the address that it came from, so
    /// that it does not limit a device with a correct credential at another address.
    private mutating func isTooOften(
        _ key: LoginPaceKey, from credential: Credential, showing status: Status, countsCorrect: Bool = true,
        at now: Instant
    ) -> Bool {
        let isHostLimited = status == .rateLimited
        guard policy.loginRateMax > 0 else { return isHostLimited }
        var wrongKey = key
        if case .verdict(let verdict) = credential, verdict.origin != 0 { wrongKey.origin = verdict.origin }
        let isWrong = isHostLimited || status == .wrongCredential
        let keys = isWrong || wrongKey == key ? [wrongKey] : [wrongKey, key]
        var paces = keys.map { loginPaces[$0] }
        let counts = isWrong ? !isHostLimited : countsCorrect
        guard counts || isHostLimited || paces.contains(where: { $0 != nil }) else { return false }
        defer {
            for (key, pace) in zip(keys, paces) { if let pace { keep(pace, of: key) } }
        }
        for index in paces.indices {
            if let until = paces[index]?.refusedUntil {
                if now < until { return true }
                paces[index] = LoginPace()
            }
            paces[index]?.times.removeAll { now - $0 >= policy.loginRateWindow }
        }
        let count = paces.reduce(0) { $0 + ($1?.times.count ?? 0) }
        let last = paces.count - 1
        guard count < policy.loginRateMax, !isHostLimited else {
            let limited = paces.firstIndex { $0?.times.isEmpty == false } ?? last
            var pace = paces[limited] ?? LoginPace()
            if policy.loginRatePenalty > .zero { pace.refusedUntil = now + policy.loginRatePenalty }
            paces[limited] = pace
            return true
        }
        if counts {
            var pace = paces[last] ?? LoginPace()
            pace.times.append(now)
            paces[last] = pace
        }
        return false
    }

    private mutating func keep(_ pace: LoginPace, of key: LoginPaceKey) {
        if loginPaces[key] == nil, loginPaces.count >= ServerMachine.loginPacesMax {
            // A quarter of the keys is removed at once, because each removal at the front moves all keys after it.
            loginPaces.removeFirst(ServerMachine.loginPacesMax / 4)
        }
        loginPaces[key] = pace
    }
}
