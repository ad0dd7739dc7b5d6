#if canImport(ZIM)
    import Foundation
    import ZIM

    /// Writes the calls and callbacks of ZIM's connection. It is the SDK's event handler. It forwards the events that it
    /// writes; on Apple's systems all other events go to the app's own handler too.
    public final class ZIMTap: NSObject, ZIMEventHandler, @unchecked Sendable {
        private let tap: Tap
        private weak var app: (any ZIMEventHandler)?

        /// Give it to `setEventHandler(_:)`, and keep it: the SDK holds its handler weakly.
        public init(_ tap: Tap, forwardingTo app: (any ZIMEventHandler)?) {
            self.tap = tap
            self.app = app
        }

        #if canImport(ObjectiveC)
            public override func responds(to selector: Selector!) -> Bool {
                super.responds(to: selector) || app?.responds(to: selector) == true
            }

            public override func forwardingTarget(for selector: Selector!) -> Any? { app }
        #endif

        // MARK: Calls

        public func login(
            _ zim: ZIM, userID: String, config: ZIMLoginConfig, callback: @escaping ZIMLoggedInCallback
        ) {
            let user = tap.id(userID)
            let id =
                config.isOfflineLogin
                ? tap.call("login", ["user": user, "offline": "true"]) : tap.call("login", ["user": user])
            zim.login(withUserID: userID, config: config) { [tap] error in
                tap.result("login", of: id, code: Int(error.code.rawValue))
                callback(error)
            }
        }

        /// The SDK has no completion for a logout.
        public func logout(_ zim: ZIM) {
            _ = tap.call("logout")
            zim.logout()
        }

        public func renewToken(_ zim: ZIM, token: String, callback: @escaping ZIMTokenRenewedCallback) {
            let id = tap.call("renew-token")
            zim.renewToken(token) { [tap] token, error in
                tap.result("renew-token", of: id, code: Int(error.code.rawValue))
                callback(token, error)
            }
        }

        // MARK: Callbacks

        public func zim(
            _ zim: ZIM, connectionStateChanged state: ZIMConnectionState, event: ZIMConnectionEvent,
            extendedData: [AnyHashable: Any]
        ) {
            tap.callback(
                "connectionStateChanged", ["state": String(state.rawValue), "event": String(event.rawValue)])
            #if canImport(ObjectiveC)
                app?.zim?(zim, connectionStateChanged: state, event: event, extendedData: extendedData)
            #else
                app?.zim(zim, connectionStateChanged: state, event: event, extendedData: extendedData)
            #endif
        }

        public func zim(_ zim: ZIM, tokenWillExpire second: UInt32) {
            tap.callback("tokenWillExpire", ["second": String(second)])
            #if canImport(ObjectiveC)
                app?.zim?(zim, tokenWillExpire: second)
            #else
                app?.zim(zim, tokenWillExpire: second)
            #endif
        }

        public func zim(_ zim: ZIM, userStatusUpdated userStatusList: [ZIMUserStatus]) {
            for status in userStatusList {
                tap.callback(
                    "userStatusUpdated",
                    ["user": tap.id(status.userID), "status": String(status.onlineStatus.rawValue)])
            }
            #if canImport(ObjectiveC)
                app?.zim?(zim, userStatusUpdated: userStatusList)
            #else
                app?.zim(zim, userStatusUpdated: userStatusList)
            #endif
        }

        public func zim(_ zim: ZIM, conversationChanged conversationChangeInfoList: [ZIMConversationChangeInfo]) {
            for change in conversationChangeInfoList {
                tap.callback("conversationChanged", ["conversationID": tap.id(change.conversation.conversationID)])
            }
            #if canImport(ObjectiveC)
                app?.zim?(zim, conversationChanged: conversationChangeInfoList)
            #else
                app?.zim(zim, conversationChanged: conversationChangeInfoList)
            #endif
        }

        public func zim(_ zim: ZIM, conversationSyncStateChanged state: ZIMConversationSyncState) {
            tap.callback("conversationSyncStateChanged", ["state": String(state.rawValue)])
            #if canImport(ObjectiveC)
                app?.zim?(zim, conversationSyncStateChanged: state)
            #else
                app?.zim(zim, conversationSyncStateChanged: state)
            #endif
        }

        public func zim(
            _ zim: ZIM, peerMessageReceived messageList: [ZIMMessage], info: ZIMMessageReceivedInfo, fromUserID: String
        ) {
            for _ in messageList {
                tap.callback("peerMessageReceived", ["fromUserID": tap.id(fromUserID), "text": "message"])
            }
            #if canImport(ObjectiveC)
                app?.zim?(zim, peerMessageReceived: messageList, info: info, fromUserID: fromUserID)
            #else
                app?.zim(zim, peerMessageReceived: messageList, info: info, fromUserID: fromUserID)
            #endif
        }
    }
#endif
