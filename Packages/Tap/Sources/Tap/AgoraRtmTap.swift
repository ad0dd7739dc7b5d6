#if canImport(AgoraRtmKit)
    import AgoraRtmKit
    import Foundation

    /// Writes the calls and callbacks of RTM 1.x. It is the SDK's delegate and forwards to the app's own delegate, which
    /// must not be set a second time on the kit.
    public final class AgoraRtmTap: NSObject, AgoraRtmDelegate, @unchecked Sendable {
        private let tap: Tap
        private weak var app: (any AgoraRtmDelegate)?

        /// Give it to the kit as the delegate, and keep it: the kit holds its delegate weakly.
        public init(_ tap: Tap, forwardingTo app: (any AgoraRtmDelegate)?) {
            self.tap = tap
            self.app = app
        }

        // MARK: Calls

        public func login(
            _ kit: AgoraRtmKit, token: String?, user: String, completion: AgoraRtmLoginBlock? = nil
        ) {
            let id = tap.call("login", ["user": tap.id(user)])
            kit.login(byToken: token, user: user) { [tap] code in
                tap.result("login", of: id, code: Int(code.rawValue))
                completion?(code)
            }
        }

        public func logout(_ kit: AgoraRtmKit, completion: AgoraRtmLogoutBlock? = nil) {
            let id = tap.call("logout")
            kit.logout { [tap] code in
                tap.result("logout", of: id, code: Int(code.rawValue))
                completion?(code)
            }
        }

        public func renewToken(_ kit: AgoraRtmKit, token: String, completion: AgoraRtmRenewTokenBlock? = nil) {
            let id = tap.call("renew-token")
            kit.renewToken(token) { [tap] token, code in
                tap.result("renew-token", of: id, code: Int(code.rawValue))
                completion?(token, code)
            }
        }

        public func send(
            _ kit: AgoraRtmKit, _ message: AgoraRtmMessage, toPeer peer: String,
            completion: AgoraRtmSendPeerMessageBlock? = nil
        ) {
            let id = tap.call("send", ["to": tap.id(peer), "text": "message"])
            kit.send(message, toPeer: peer) { [tap] code in
                tap.result("send", of: id, code: Int(code.rawValue))
                completion?(code)
            }
        }

        // MARK: Callbacks

        public func rtmKit(
            _ kit: AgoraRtmKit, connectionStateChanged state: AgoraRtmConnectionState,
            reason: AgoraRtmConnectionChangeReason
        ) {
            tap.callback(
                "connectionStateChanged", ["state": String(state.rawValue), "reason": String(reason.rawValue)])
            #if canImport(ObjectiveC)
                app?.rtmKit?(kit, connectionStateChanged: state, reason: reason)
            #else
                app?.rtmKit(kit, connectionStateChanged: state, reason: reason)
            #endif
        }

        public func rtmKit(_ kit: AgoraRtmKit, messageReceived message: AgoraRtmMessage, fromPeer peerId: String) {
            tap.callback("messageReceived", ["text": "message", "fromPeer": tap.id(peerId)])
            #if canImport(ObjectiveC)
                app?.rtmKit?(kit, messageReceived: message, fromPeer: peerId)
            #else
                app?.rtmKit(kit, messageReceived: message, fromPeer: peerId)
            #endif
        }

        public func rtmKit(_ kit: AgoraRtmKit, peersOnlineStatusChanged onlineStatus: [AgoraRtmPeerOnlineStatus]) {
            for status in onlineStatus {
                tap.callback(
                    "peersOnlineStatusChanged",
                    ["peer": tap.id(status.peerId), "state": String(status.state.rawValue)])
            }
            #if canImport(ObjectiveC)
                app?.rtmKit?(kit, peersOnlineStatusChanged: onlineStatus)
            #else
                app?.rtmKit(kit, peersOnlineStatusChanged: onlineStatus)
            #endif
        }

        public func rtmKitTokenDidExpire(_ kit: AgoraRtmKit) {
            tap.callback("rtmKitTokenDidExpire")
            #if canImport(ObjectiveC)
                app?.rtmKitTokenDidExpire?(kit)
            #else
                app?.rtmKitTokenDidExpire(kit)
            #endif
        }

        public func rtmKitTokenPrivilegeWillExpire(_ kit: AgoraRtmKit) {
            tap.life("rtmKitTokenPrivilegeWillExpire")
            #if canImport(ObjectiveC)
                app?.rtmKitTokenPrivilegeWillExpire?(kit)
            #else
                app?.rtmKitTokenPrivilegeWillExpire(kit)
            #endif
        }
    }
#endif
