import IMClient
import IMProtocol

// The common part of all logins.

extension ChatCore {
    /// The credential of a user.
    enum Secret {
        case password(String)
        case token(String)
    }

    private static let usernameMax = 64

    func logIn(_ name: String, _ secret: Secret, completion: @escaping (String, AgoraChatError?) -> Void) {
        let user = name.lowercased()
        switch command(toLogIn: user, secret, allowsAutologin: true) {
        case .failure(let refusal): later { completion(user, refusal.error) }
        case .success(let command):
            perform(command) { [self] outcome in completion(user, error(outcome.status, of: .login)) }
        }
    }

    func logInBlocking(_ name: String, _ secret: Secret, allowsAutologin: Bool) -> AgoraChatError? {
        let user = name.lowercased()
        switch command(toLogIn: user, secret, allowsAutologin: allowsAutologin) {
        case .failure(let refusal): return refusal.error
        case .success(let command): return error(wait(for: command).status, of: .login)
        }
    }

    /// The automatic login at the start of a process (CHAT-3), with the stored data of the last login.
    func startAutologin() {
        guard isAutologinEnabled, let user = autologinUser, self.user == nil else { return }
        // A method of the delegates reports its result, once.
        perform(.login(user: user, credential: "", mode: .automatic)) { _ in }
    }

    /// The user of an automatic login. Nil if none would be attempted.
    var autologinUser: String? {
        let kept = kept
        return kept.autologinAllowed && !isOfOneProcess(kept.credentialReference) ? kept.lastUser : nil
    }

    private func isOfOneProcess(_ credential: String) -> Bool {
        storage?.credentialsOfOneProcess.contains(credential) ?? false
    }

    /// A refusal by the module itself, before the machine.
    private struct Refusal: Error {
        let error: AgoraChatError
        init(_ code: AgoraChatErrorCode) { error = AgoraChatError(code) }
    }

    private func command(
        toLogIn user: String, _ secret: Secret, allowsAutologin: Bool
    ) -> Result<ClientCommand, Refusal> {
        guard options != nil else {
            violated("CHAT-5", "a login before initializeSDK(with:)")
            return .failure(Refusal(.general))
        }
        if let validationError = validationError(to: user) { return .failure(Refusal(validationError.code)) }
        let credential: String
        switch secret {
        case .password(let text):
            guard !text.isEmpty, let name = keep(password: text) else { return .failure(Refusal(.invalidPassword)) }
            credential = name
        case .token(let text):
            guard !text.isEmpty else { return .failure(Refusal(.invalidToken)) }
            credential = keep(token: text)
            login.tokens[credential] = text
        }
        if !allowsAutologin || !isAutologinEnabled { storage?.credentialsOfOneProcess.insert(credential) }
        checkLogin(of: user)
        describeDevice()
        return .success(.login(user: user, credential: credential, mode: .manual))
    }

    /// The error of an invalid name, before any request; nil for a valid one.
    func validationError(to user: String) -> AgoraChatError? {
        if user.isEmpty { return AgoraChatError(.invalidUsername) }
        return user.count > Self.usernameMax ? AgoraChatError(.usernameTooLong) : nil
    }

    /// Reports a login that the SDK does not need or refuses. A login of the user who is already online is only
    /// useless.
    private func checkLogin(of name: String) {
        guard let user else { return }
        if login.isLeaving {
            violated("C-2", "a login before the logout has ended")
        } else if user != name {
            violated("C-2", "a login of another user without a logout")
        } else if !isLoggedIn {
            violated("C-2", "a login while another one is under way")
        } else if state != .online, state != .syncing {
            violated("C-2", "a login while the SDK is \(state.name): it goes on by itself")
        }
    }

    /// The new token is for the same login, so the SDK stores it in the same way as the old one.
    func command(toRenew token: String) -> ClientCommand {
        let credential = keep(token: token)
        login.tokens[credential] = token
        if isOfOneProcess(kept.credentialReference) { storage?.credentialsOfOneProcess.insert(credential) }
        return .renewToken(credential: credential)
    }

    /// The token of the login. If the app set none, the server makes one.
    func accessToken(of user: String) -> String {
        let credential = kept.credentialReference
        if let known = login.tokens[credential] { return known }
        let made = makeToken(for: user)
        login.tokens[credential] = made
        return made
    }

    func left(_ status: Status) -> AgoraChatError? {
        login.isLeaving = false
        return error(status, of: .logout)
    }
}
