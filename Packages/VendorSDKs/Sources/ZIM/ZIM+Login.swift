import Foundation
import IMClient
import IMProtocol

// Login and logout. Each login has one callback; events report its later changes (ZIM-4).

extension ZIM {
    /// Logs in, with a token or, if the app has an AppSign, without one. An online login has one attempt, for 10 s. An
    /// offline one needs only local data (ZIM-1), and the SDK connects by itself (ZIM-2). While a user is logged in, a
    /// login of another one is refused with 6000111, and the test gets a violation (ZIM-8, ZIM-4).
    public func login(withUserID userID: String, config: ZIMLoginConfig, callback: @escaping ZIMLoggedInCallback) {
        let (token, isOffline, userName) = (config.token, config.isOfflineLogin, config.userName)
        let hasAppSign = !self.config.appSign.isEmpty
        withCore("login", refused: callback) { core in
            core.afterLogout {
                core.login(
                    userID, token: token, isOffline: isOffline, userName: userName, hasAppSign: hasAppSign, callback)
            }
        }
    }

    /// Like `login(withUserID:config:callback:)`, under the name of some versions of the header.
    public func login(with userID: String, config: ZIMLoginConfig, callback: @escaping ZIMLoggedInCallback) {
        login(withUserID: userID, config: config, callback: callback)
    }

    /// `login(with:config:callback:)` in the form of versions before 2.13: online, with a token.
    public func login(with userInfo: ZIMUserInfo, token: String, callback: @escaping ZIMLoggedInCallback) {
        let config = ZIMLoginConfig()
        config.userName = userInfo.userName
        config.token = token
        login(withUserID: userInfo.userID, config: config, callback: callback)
    }

    /// `login(with:token:callback:)` in the form of versions before 2.5.
    public func login(_ userInfo: ZIMUserInfo, token: String, callback: @escaping ZIMLoggedInCallback) {
        login(with: userInfo, token: token, callback: callback)
    }

    /// Like `login(with:token:callback:)`, for an app that has an AppSign.
    public func login(with userInfo: ZIMUserInfo, callback: @escaping ZIMLoggedInCallback) {
        login(with: userInfo, token: "", callback: callback)
    }

    /// Logs out. A login directly after it waits for the end of the logout, which ``ZIMConnectionState/disconnected``
    /// reports. Waiting calls end with an error code.
    public func logout() {
        withCore("logout", refused: { _ in }) { $0.logout() }
    }

    /// Gives the login a new token (ZIM-6).
    public func renewToken(_ token: String, callback: @escaping ZIMTokenRenewedCallback) {
        withCore("renewToken", refused: { callback(token, $0) }) { core in
            core.checkLoggedIn("renewToken")
            let credential = core.credential(token, of: core.user, hasAppSign: false)
            core.perform(.renewToken(credential: credential)) { outcome in
                callback(token, core.error(outcome.status, of: .renewToken))
            }
        }
    }
}

extension ZimClient {
    func login(
        _ user: String, token: String, isOffline: Bool, userName: String, hasAppSign: Bool,
        _ callback: @escaping ZIMLoggedInCallback
    ) {
        checkLogin(of: user)
        guard !user.isEmpty else {
            let error = error(.invalidArgument, of: .login)
            return later { callback(error) }
        }
        // An offline login without a token uses the last token.
        let isOld = isOffline && token.isEmpty
        let credential = isOld ? "" : credential(token, of: user, hasAppSign: hasAppSign)
        let mode: LoginMode = isOffline ? .offline : .manual
        perform(.login(user: user, credential: credential, mode: mode, userName: userName)) { [weak self] outcome in
            guard let self else { return }
            callback(error(outcome.status, of: isOffline ? .offlineLogin : .login))
        }
    }
}
