import IMProtocol
import OrderedCollections
import SansIO

// The rate limit for login requests (NIM-8, RTM-9). A request counts whether its credential is right or not: a server
// that counted only right ones would allow unlimited guessing.

extension ServerMachine {
    /// Maximum number of keys whose requests are counted at the same time; the oldest ones are dropped.
    static let loginPacesMax = 10_000

    /// True if a device sends login requests too often. A resumed login counts only if its credential was never the
    /// user's. The client's backoff limits the rate of the others.
    ///
    /// - Parameter proof: the proof of the credential; ``Status/rateLimited`` if the host refuses to check it, after
    ///   too many wrong ones. The refusal is reported like any other, so the penalty starts with it too.
    mutating func isTooOften(_ login: LoginRequest, showing proof: Proof, at now: Instant) -> Bool {
        guard login.mode != .resume || proof == .nothing(.wrongCredential) else { return proof.status == .rateLimited }
        let key = LoginPaceKey(user: login.user, device: login.device.id)
        return isTooOften(key, from: login.credential, showing: proof.status, at: now)
    }

    /// True if an admin call with a credential comes too often. It counts if the credential is wrong (CHAT-6).
    mutating func isTooOften(_ call: AccountCall, showing status: Status, at now: Instant) -> Bool {
        let key = LoginPaceKey(user: call.user, device: "")
        return isTooOften(key, from: call.credential, showing: status, countsRight: false, at: now)
    }

    /// Wrong credentials count for the address that they came from. A device with a right credential at another address
    /// is not limited by them.
    private mutating func isTooOften(
        _ key: LoginPaceKey, from credential: Credential, showing status: Status, countsRight: Bool = true,
        at now: Instant
    ) -> Bool {
        let isHostLimited = status == .rateLimited
        guard policy.loginRateMax > 0 else { return isHostLimited }
        var wrongKey = key
        if case .verdict(let verdict) = credential, verdict.origin != 0 { wrongKey.origin = verdict.origin }
        let isWrong = isHostLimited || status == .wrongCredential
        let keys = isWrong || wrongKey == key ? [wrongKey] : [wrongKey, key]
        var paces = keys.map { loginPaces[$0] }
        let counts = isWrong ? !isHostLimited : countsRight
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
            let held = paces.firstIndex { $0?.times.isEmpty == false } ?? last
            var pace = paces[held] ?? LoginPace()
            if policy.loginRatePenalty > .zero { pace.refusedUntil = now + policy.loginRatePenalty }
            paces[held] = pace
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
            // Removes many at once: removing the first one moves all the others.
            loginPaces.removeFirst(ServerMachine.loginPacesMax / 4)
        }
        loginPaces[key] = pace
    }
}
