#if canImport(NIMSDK)
    import Foundation
    import NIMSDK

    /// Writes the calls and callbacks of NIM (V1 interface). It is a delegate besides the app's own delegates: the SDK
    /// notifies all of them.
    public final class NIMTap: NSObject, NIMLoginManagerDelegate, NIMChatManagerDelegate, @unchecked Sendable {
        private let tap: Tap
        private var clientCount = 0
        private var sends: [ObjectIdentifier: Int] = [:]
        private var loginManager: any NIMLoginManager { NIMSDK.shared().loginManager }

        /// Adds itself to the SDK's delegates. The app keeps it: the SDK holds its delegates weakly.
        public init(_ tap: Tap) {
            self.tap = tap
            super.init()
            NIMSDK.shared().loginManager.add(self)
            NIMSDK.shared().chatManager.add(self)
        }

        // MARK: Calls

        public func login(_ account: String, token: String, completion: @escaping NIMLoginHandler) {
            let id = tap.call("login", ["user": tap.id(account)])
            loginManager.login(account, token: token) { [tap] error in
                tap.result("login", of: id, code: Self.code(error))
                completion(error)
            }
        }

        /// The SDK reports the end of an automatic login by `onLogin` and `onAutoLoginFailed` only.
        public func autoLogin(_ data: NIMAutoLoginData) {
            let user = tap.id(data.account)
            _ =
                data.forcedMode
                ? tap.call("autologin", ["user": user, "forced": "true"]) : tap.call("autologin", ["user": user])
            loginManager.autoLogin(data)
        }

        public func logout(_ completion: NIMLoginHandler?) {
            let id = tap.call("logout")
            loginManager.logout { [tap] error in
                tap.result("logout", of: id, code: Self.code(error))
                completion?(error)
            }
        }

        public func send(_ message: NIMMessage, to session: NIMSession) throws {
            let id = tap.call("send", ["to": tap.id(session.sessionId), "text": "message"])
            sends[ObjectIdentifier(message)] = id
            do { try NIMSDK.shared().chatManager.send(message, to: session) } catch {
                sends[ObjectIdentifier(message)] = nil
                tap.result("send", of: id, code: Self.code(error))
                throw error
            }
        }

        private static func code(_ error: (any Error)?) -> Int { error.map { ($0 as NSError).code } ?? 200 }

        // MARK: Callbacks

        public func onLogin(_ step: NIMLoginStep) {
            // The SDK calls this for a logout too; the reader recognizes it by the call.
            guard step.rawValue != 11 else { return tap.life("loggedOut") }
            tap.callback("onLogin", ["step": String(step.rawValue)])
        }

        public func onKick(_ code: NIMKickReason, clientType: NIMLoginClientType) {
            clientCount = 0
            tap.callback("onKick", ["reason": String(code.rawValue), "clientType": String(clientType.rawValue)])
        }

        public func onAutoLoginFailed(_ error: any Error) {
            tap.callback("onAutoLoginFailed", ["error": String(Self.code(error))])
        }

        public func onMultiLoginClientsChanged(with type: NIMMultiLoginType) {
            // The callback is about the clients that came or went; the SDK returns the current ones.
            let count = loginManager.currentLoginClients()?.count ?? 0
            let changed = max(1, type.rawValue == 1 ? count : abs(count - clientCount))
            clientCount = count
            let names = (1...changed).map { "client\($0)" }.joined(separator: ",")
            tap.callback("onMultiLoginClientsChanged", ["type": String(type.rawValue), "clients": names])
        }

        public func send(_ message: NIMMessage, didCompleteWithError error: (any Error)?) {
            guard let id = sends.removeValue(forKey: ObjectIdentifier(message)) else { return }
            tap.result("send", of: id, code: Self.code(error))
        }

        public func onRecvMessages(_ messages: [NIMMessage]) {
            for message in messages {
                tap.callback("onRecvMessages", ["from": tap.id(message.from ?? ""), "text": "message"])
            }
        }
    }
#endif
