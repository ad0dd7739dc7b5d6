import IMProtocol
import OrderedCollections
import SansIO

// The expiry of the tokens that logins were made with (ZIM-6, CHAT-10).

extension ServerMachine {
    /// Sets the timer for the token's expiry, if that ends the login.
    mutating func watchToken(expiresAtMilliseconds: Int64, user: String, device: String, at now: Instant) {
        accounts[user]?.devices[device]?.login?.expiresAtMilliseconds = expiresAtMilliseconds
        timers.cancel(.token(user: user, device: device))
        guard policy.tokenExpiryEndsLogin, expiresAtMilliseconds > 0 else { return }
        let (rest, overflow) = expiresAtMilliseconds.subtractingReportingOverflow(wallClock(at: now))
        guard !overflow else { return }
        timers.set(.token(user: user, device: device), at: now + .milliseconds(max(0, rest)))
    }

    mutating func tokenExpired(
        user: String, device: String, at now: Instant, into effects: inout [ServerEffect]
    ) {
        // A device that is away presents its token when it comes back, and may have a new one by then (RTM-5).
        guard let login = accounts[user]?.devices[device]?.login, let id = login.connection, connections[id] != nil
        else { return }
        endPresence(of: device, user: user, as: .offline, into: &effects)
        // Its connection may be dead without the server having detected it: then the device is away, and may also have
        // a new token.
        accounts[user]?.devices[device]?.expiredEpoch = login.epoch
        accounts[user]?.devices[device]?.login = nil
        unbindPush(of: device, user: user)
        endStage(of: id, user: user, device: device, at: now)
        effects.append(.send(id, Frame(.tokenNotice(expired: true, remainingMilliseconds: 0))))
    }

    mutating func renew(
        _ credential: Credential, user: String, device: String, at now: Instant
    ) -> (Status, CredentialVerdict?) {
        // A missing credential is no new token, even if logins without one are admitted.
        guard case .verdict(let verdict) = credential, verdict.finding != .missing else {
            return (.wrongCredential, nil)
        }
        let status = proof(credential, of: user).status
        guard status == .ok else { return (status, nil) }
        watchToken(expiresAtMilliseconds: verdict.expiresAtMilliseconds, user: user, device: device, at: now)
        return (.ok, verdict)
    }
}
