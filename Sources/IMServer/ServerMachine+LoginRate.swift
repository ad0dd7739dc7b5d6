import IMProtocol
import OrderedCollections
import SansIO

// How often a device may ask to log in (NIM-8, RTM-9).

extension ServerMachine {
    /// Whether a login by hand or by the app comes too often for its device. Going on with a login that broke is not
    /// counted: its pace is the client's backoff.
    mutating func isTooOften(_ login: LoginRequest, at now: Instant) -> Bool {
        guard policy.loginRateMax > 0, login.mode != .resume, accounts[login.user] != nil else { return false }
        var record = accounts[login.user]?.devices[login.device.id] ?? DeviceRecord(device: login.device)
        defer { accounts[login.user]?.devices[login.device.id] = record }
        if let until = record.refusedUntil {
            if now < until { return true }
            record.refusedUntil = nil
            record.loginTimes.removeAll()
        }
        record.loginTimes.removeAll { now - $0 >= policy.loginRateWindow }
        guard record.loginTimes.count < policy.loginRateMax else {
            if policy.loginRatePenalty > .zero { record.refusedUntil = now + policy.loginRatePenalty }
            return true
        }
        record.loginTimes.append(now)
        return false
    }
}
