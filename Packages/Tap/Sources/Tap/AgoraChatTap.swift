#if canImport(AgoraChat)
    import AgoraChat
    import Foundation

    /// Writes the calls and callbacks of Agora Chat. It is a delegate besides the app's own delegates: the SDK notifies
    /// all of them.
    public final class AgoraChatTap: NSObject, AgoraChatClientDelegate, AgoraChatManagerDelegate, @unchecked Sendable {
        private let tap: Tap

        /// Adds itself to the SDK's delegates. The app keeps it: the SDK holds its delegates weakly.
        public init(_ tap: Tap) {
            self.tap = tap
            super.init()
            AgoraChatClient.shared().add(self, delegateQueue: nil)
            AgoraChatClient.shared().chatManager?.add(self, delegateQueue: nil)
        }

        // MARK: Calls

        public func login(
            _ user: String, token: String, completion: ((String, AgoraChatError?) -> Void)? = nil
        ) {
            let id = tap.call("login", ["user": tap.id(user)])
            AgoraChatClient.shared().login(withUsername: user, token: token) { [tap] name, error in
                tap.result("login", of: id, code: error?.code.rawValue ?? 0)
                completion?(name, error)
            }
        }

        public func logout(_ unbindsDeviceToken: Bool, completion: ((AgoraChatError?) -> Void)? = nil) {
            let id = tap.call("logout")
            AgoraChatClient.shared().logout(unbindsDeviceToken) { [tap] error in
                tap.result("logout", of: id, code: error?.code.rawValue ?? 0)
                completion?(error)
            }
        }

        public func renewToken(_ token: String, completion: ((AgoraChatError?) -> Void)? = nil) {
            let id = tap.call("renew-token")
            AgoraChatClient.shared().renewToken(token) { [tap] error in
                tap.result("renew-token", of: id, code: error?.code.rawValue ?? 0)
                completion?(error)
            }
        }

        // MARK: Callbacks

        public func connectionStateDidChange(_ aConnectionState: AgoraChatConnectionState) {
            tap.callback("connectionStateDidChange", ["state": String(aConnectionState.rawValue)])
        }

        public func autoLoginDidCompleteWithError(_ aError: AgoraChatError?) {
            tap.callback("autoLoginDidCompleteWithError", ["error": String(aError?.code.rawValue ?? 0)])
        }

        public func userAccountDidLoginFromOtherDevice(with info: AgoraChatLoginExtensionInfo?) {
            // The SDK gives no code: 206 is the one of its log.
            tap.callback("userAccountDidLoginFromOtherDeviceWithInfo", ["code": "206"])
        }

        public func userAccountDidRemoveFromServer() {
            tap.callback("userAccountDidRemoveFromServer", ["code": "207"])
        }

        public func userDidForbidByServer() { tap.callback("userDidForbidByServer", ["code": "305"]) }

        public func userAccountDidForced(toLogout aError: AgoraChatError?) {
            tap.callback("userAccountDidForcedToLogout", ["code": String(aError?.code.rawValue ?? 0)])
        }

        public func tokenWillExpire(_ aErrorCode: AgoraChatErrorCode) {
            tap.callback("tokenWillExpire", ["code": String(aErrorCode.rawValue)])
        }

        public func tokenDidExpire(_ aErrorCode: AgoraChatErrorCode) {
            tap.callback("tokenDidExpire", ["code": String(aErrorCode.rawValue)])
        }

        public func onOfflineMessageSyncStart() { tap.callback("onOfflineMessageSyncStart") }
        public func onOfflineMessageSyncFinish() { tap.callback("onOfflineMessageSyncFinish") }

        public func messagesDidReceive(_ aMessages: [AgoraChatMessage]) {
            for message in aMessages {
                tap.callback(
                    "messagesDidReceive",
                    ["from": tap.id(message.from), "to": tap.id(message.to), "text": "message"])
            }
        }
    }
#endif
