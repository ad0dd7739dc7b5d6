import IMProtocol

// Accounts, and logins by password and token. The forms without a block wait until the login has ended.

extension AgoraChatClient {
    // MARK: Accounts

    /// Makes an account at the server, at once, without a frame.
    public func register(
        withUsername aUsername: String, password aPassword: String,
        completion aCompletionBlock: ((String, AgoraChatError?) -> Void)? = nil
    ) {
        let error = register(withUsername: aUsername, password: aPassword)
        core.later { aCompletionBlock?(aUsername.lowercased(), error) }
    }

    @discardableResult
    public func register(withUsername aUsername: String, password aPassword: String) -> AgoraChatError? {
        let user = aUsername.lowercased()
        if let validationError = core.validationError(to: user) { return validationError }
        do {
            switch try core.makeAccount(user, password: aPassword) {
            case true: return nil
            case false: return AgoraChatError(.userAlreadyExist)
            case nil: return core.error(.networkUnavailable, of: .login)
            }
        } catch {
            return AgoraChatError(.invalidPassword)
        }
    }

    /// Fetches a token with the password. The server checks the password as it does for a list of devices (CHAT-6).
    public func fetchToken(
        withUsername aUsername: String, password aPassword: String,
        completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)? = nil
    ) {
        guard let command = core.accountCall(aUsername, .password(aPassword), .listDevices) else {
            return core.later { aCompletionBlock?(nil, AgoraChatError(.invalidPassword)) }
        }
        core.performAdminCall(command) { [core] outcome in
            let isRight = outcome.status == .ok
            aCompletionBlock?(
                isRight ? core.makeToken(for: aUsername.lowercased()) : nil,
                core.error(outcome.status, of: .accountCall))
        }
    }

    // MARK: Login

    /// Logs in with a password. One attempt, for 10 s. After a success the SDK reconnects by itself (C-9).
    ///
    /// - Parameters:
    ///   - aUsername: at most 64 characters; upper and lower case are the same.
    ///   - aCompletionBlock: gets the user, and nil for success.
    public func login(
        withUsername aUsername: String, password aPassword: String,
        completion aCompletionBlock: ((String, AgoraChatError?) -> Void)? = nil
    ) {
        core.logIn(aUsername, .password(aPassword)) { aCompletionBlock?($0, $1) }
    }

    /// Like `login(withUsername:password:completion:)`, with a token.
    public func login(
        withUsername aUsername: String, token aToken: String,
        completion aCompletionBlock: ((String, AgoraChatError?) -> Void)? = nil
    ) {
        core.logIn(aUsername, .token(aToken)) { aCompletionBlock?($0, $1) }
    }

    /// `login(withUsername:token:completion:)` in the form of versions before 4.2.
    public func login(
        withUsername aUsername: String, agoraToken aAgoraToken: String,
        completion aCompletionBlock: ((String, AgoraChatError?) -> Void)? = nil
    ) {
        core.logIn(aUsername, .token(aAgoraToken)) { aCompletionBlock?($0, $1) }
    }

    @discardableResult
    public func login(withUsername aUsername: String, password aPassword: String) -> AgoraChatError? {
        core.logInBlocking(aUsername, .password(aPassword), allowsAutologin: true)
    }

    /// According to the header, the only login that no automatic login follows.
    @discardableResult
    public func login(withUsername aUsername: String, token aToken: String) -> AgoraChatError? {
        core.logInBlocking(aUsername, .token(aToken), allowsAutologin: false)
    }

    @discardableResult
    public func login(withUsername aUsername: String, agoraToken aAgoraToken: String) -> AgoraChatError? {
        core.logInBlocking(aUsername, .token(aAgoraToken), allowsAutologin: true)
    }

    // MARK: Token

    /// Gives the login another token, which has its own lifetime (CHAT-10).
    public func renewToken(_ newToken: String, completion aCompletionBlock: ((AgoraChatError?) -> Void)? = nil) {
        guard !newToken.isEmpty else { return core.later { aCompletionBlock?(AgoraChatError(.invalidToken)) } }
        core.perform(core.command(toRenew: newToken)) { [core] outcome in
            aCompletionBlock?(core.error(outcome.status, of: .renewToken))
        }
    }

    @discardableResult
    public func renewToken(_ newToken: String) -> AgoraChatError? {
        guard !newToken.isEmpty else { return AgoraChatError(.invalidToken) }
        return core.error(core.wait(for: core.command(toRenew: newToken)).status, of: .renewToken)
    }

    // MARK: Logout

    /// Ends the login.
    ///
    /// - Parameter aIsUnbindDeviceToken: true to end push too, which needs the server: without a network the user stays
    ///   logged in, and the app has to try with false (CHAT-11).
    public func logout(
        _ aIsUnbindDeviceToken: Bool, completion aCompletionBlock: ((AgoraChatError?) -> Void)? = nil
    ) {
        core.login.isLeaving = true
        core.perform(.logout(keepsPush: !aIsUnbindDeviceToken)) { [core] outcome in
            aCompletionBlock?(core.left(outcome.status))
        }
    }

    @discardableResult
    public func logout(_ aIsUnbindDeviceToken: Bool) -> AgoraChatError? {
        core.login.isLeaving = true
        return core.left(core.wait(for: .logout(keepsPush: !aIsUnbindDeviceToken)).status)
    }
}
