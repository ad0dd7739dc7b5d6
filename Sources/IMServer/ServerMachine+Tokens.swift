import IMProtocol
import OrderedCollections
import SansIO

// The expiry and renewal of tokens (ZIM-6, CHAT-10).

extension ServerMachine {
    /// Stores the expiry of a login's token. If the policy ends a login at the expiry, this also sets the timer for it.
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
        // A disconnected device keeps its login: it presents a token, which may be new, when it reconnects (RTM-5).
        guard let login = accounts[user]?.devices[device]?.login, let id = login.connection, connections[id] != nil
        else { return }
        endPresence(of: device, user: user, as: .offline, into: &effects)
        // The expired login is stored for a device whose connection broke without the server detecting it: the device
        // may have a new token, with which it continues the login.
        accounts[user]?.devices[device]?.expiredEpoch = login.epoch
        accounts[user]?.devices[device]?.login = nil
        unbindPush(of: device, user: user)
        endStage(of: id, user: user, device: device, at: now)
        effects.append(.send(id, Frame(.tokenNotice(expired: true, remainingMilliseconds: 0))))
    }

    mutating func renew(
        _ credential: Credential, user: String, device: String, at now: Instant
    ) -> (Status, CredentialVerdict?) {
        // A renewal without a token is refused, even if the policy admits logins without one.
        guard case .verdict(let verdict) = credential, verdict.finding != .missing else {
            return (.wrongCredential, nil)
        }
        let status = proof(credential, of: user).status
        guard status == .ok else { return (status, nil) }
        watchToken(expiresAtMilliseconds: verdict.expiresAtMilliseconds, user: user, device: device, at: now)
        return (.ok, verdict)
    }
}
