import IMProtocol
import IMServer
import IMSession

/// The server accepts no login and no renewal with an invalid credential. A credential is invalid if it belongs to
/// another user, has expired, or was issued before a password change or the deletion of the account (C-11, CHAT-10).
struct CredentialUseChecker: Checker {
    private let policy: ServerPolicy
    /// For each user, the time before which all issued credentials are invalid, in milliseconds since 1970.
    private var revokedBefore: [String: Int64] = [:]

    init(_ policy: ServerPolicy) { self.policy = policy }

    mutating func begin(with policy: ServerPolicy) { self = CredentialUseChecker(policy) }

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .effect(.complete(_, let completion)):
            guard completion.status == .ok, case .serverCommand(_, let command)? = trace.input else { return }
            switch command {
            case .passwordChanged(let user), .revokeTokens(let user), .deleteAccount(let user):
                revokedBefore[user] = trace.epochMilliseconds + event.time.nanoseconds / 1_000_000
            default: break
            }
        case .effect(.send(let connection, let frame)):
            guard case .frame(connection, let request)? = trace.input else { return }
            switch (request.body, frame.body) {
            case (.login(let login), .loginAck(let reply)) where reply.status == .ok && login.mode != .guest:
                guard let reason = reason(login.credential, of: login.user) else { return }
                violations.add(.logins, "C-11", "a login with an invalid credential is accepted", reason)
            case (.renewToken(let credential), .renewTokenAck(.ok, _, _)):
                guard let user = trace.acceptedLogins[connection]?.slot.user, let reason = reason(credential, of: user)
                else { return }
                violations.add(.tokens, "P11", "a renewal with an invalid credential is accepted", reason)
            default: break
            }
        default: break
        }
    }

    private func reason(_ credential: Credential, of user: String) -> String? {
        guard case .verdict(let verdict) = credential else { return "not checked" }
        switch verdict.finding {
        case .missing: return policy.admitsWithoutCredential ? nil : "nothing"
        case .valid:
            guard verdict.user == user else { return "of \(verdict.user) for \(user)" }
            guard verdict.issuedAtMilliseconds > 0, let before = revokedBefore[user],
                verdict.issuedAtMilliseconds < before
            else { return nil }
            return "revoked, of \(user)"
        case .expired: return "expired, of \(verdict.user)"
        case .revoked: return "revoked, for \(user)"
        case .wrong, .tooOften: return "wrong, for \(user)"
        }
    }
}
