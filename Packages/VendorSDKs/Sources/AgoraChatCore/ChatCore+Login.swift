import IMClient
import IMProtocol

// What logins have in common, whatever they are made with.

extension ChatCore {
    /// What a user shows.
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

    func logInStandingStill(_ name: String, _ secret: Secret, allowsAutologin: Bool) -> AgoraChatError? {
        let user = name.lowercased()
        switch command(toLogIn: user, secret, allowsAutologin: allowsAutologin) {
        case .failure(let refusal): return refusal.error
        case .success(let command): return error(wait(for: command).status, of: .login)
        }
    }

    /// The login that a process begins with (CHAT-3), with what is kept of the one before.
    func logInByItself() {
        guard logsInByItself, let user = autologinUser, self.user == nil else { return }
        // What comes of it is told by the delegates' method, once.
        perform(.login(user: user, credential: "", mode: .automatic)) { _ in }
    }

    /// For whom an automatic login would be tried; nil for nobody.
    var autologinUser: String? {
        let kept = kept
        return kept.autologinAllowed && !isOfOneProcess(kept.credentialReference) ? kept.lastUser : nil
    }

    private func isOfOneProcess(_ credential: String) -> Bool {
        storage?.credentialsOfOneProcess.contains(credential) ?? false
    }

    /// A refusal that the module finds itself.
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
        if let objection = objection(to: user) { return .failure(Refusal(objection.code)) }
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
        if !allowsAutologin || !logsInByItself { storage?.credentialsOfOneProcess.insert(credential) }
        judgeLogin(of: user)
        describeDevice()
        return .success(.login(user: user, credential: credential, mode: .manual))
    }

    /// What is wrong with a name before anybody is asked; nil for nothing.
    func objection(to user: String) -> AgoraChatError? {
        if user.isEmpty { return AgoraChatError(.invalidUsername) }
        return user.count > Self.usernameMax ? AgoraChatError(.usernameTooLong) : nil
    }

    /// Notes a login that the SDK neither needs nor takes. That of the one who is online already is only of no use.
    private func judgeLogin(of name: String) {
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

    /// Another token is for the same login, of which the SDK makes what it made of it before.
    func command(toRenew token: String) -> ClientCommand {
        let credential = keep(token: token)
        login.tokens[credential] = token
        if isOfOneProcess(kept.credentialReference) { storage?.credentialsOfOneProcess.insert(credential) }
        return .renewToken(credential: credential)
    }

    /// The token that the user is logged in with. Where the app has given none, the server makes one.
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
