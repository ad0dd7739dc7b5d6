/// A line of a vendor's migration guide, which explains a difference between two versions of the SDK.
public struct MigrationNote: Sendable {
    /// The line explains a callback or a result whose text contains one of these parts. The text of a changed order
    /// begins with `order: `.
    public var parts: [String]
    /// The line applies only if another callback or result at the same instant contains this text; nil if it always
    /// applies.
    public var companion: String?
    /// The text of the line.
    public var text: String

    /// The guide's line for a callback or a result that differs between two versions; nil if no line explains it.
    ///
    /// - Parameters:
    ///   - difference: the text of the callback or result.
    ///   - others: the callbacks and results of the same client at the same instant.
    ///   - profile: one of the two versions.
    public static func text(for difference: String, beside others: [String], of profile: String) -> String? {
        notes(of: ProfileVersion.base(of: profile)).first { note in
            guard note.parts.contains(where: { difference.contains($0) }) else { return false }
            return note.companion.map { companion in others.contains { $0.contains(companion) } } ?? true
        }?.text
    }

    /// All lines of the guide to the later version of a system.
    public static func texts(of profile: String) -> [String] {
        notes(of: ProfileVersion.base(of: profile)).map(\.text)
    }

    /// The lines of the guide to a version that contain a word. They include the lines about behaviour that this
    /// project does not model.
    public static func lines(mentioning word: String, of version: ProfileVersion) -> [String] {
        let lines =
            texts(of: version.name) + version.removed + version.notModelled.map { "not modelled: \($0)" }
        return lines.filter { line in
            line.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.contains { $0.lowercased() == word.lowercased() }
        }
    }

    private static func notes(of system: String) -> [MigrationNote] {
        switch system {
        case "nim": nim
        case "zim": zim
        case "agora-rtm": rtm
        default: chat
        }
    }

    private static let nim = [
        MigrationNote(
            parts: ["order: "],
            text: "V2: onKickedOffline and onLoginFailed come first, then the statuses LOGOUT and DISCONNECTED"),
        MigrationNote(
            parts: ["CLIENT_QUIETLY"],
            text: "V2: reason 4 is a login on the same device, such as another tab of the browser; onKick has 1 for it"
        ),
        MigrationNote(
            parts: ["WAITING"],
            text: "V2: onConnectStatus is WAITING while the SDK is offline or waits for its next attempt"),
        MigrationNote(
            parts: ["V2NIM_ERROR_CODE_TIMEOUT"],
            text: "V2: timeout is 60 s for the whole login call, with its retries"),
        MigrationNote(
            parts: ["V2NIM_ERROR_CODE_INVALID_TOKEN"],
            text: "V2: 102302 for 302; the SDK calls a tokenProvider in each attempt, after the link is up, so that a "
                + "reconnect has a new token; if it fails, the attempt ends with 191003"),
        MigrationNote(
            parts: ["login V2NIM_ERROR_CODE_MULTI_LOGIN_FORBIDDEN"],
            text: "V2: without forceMode, which is false by default, a login at the limit of devices is refused with "
                + "417 and kicks no device"),
        MigrationNote(
            parts: ["417", "onLoginFailed", "onAutoLoginFailed"],
            text: "V2: forceMode counts as false in a reconnect, so a device that finds its slot taken is refused "
                + "with 417 and not kicked"),
        MigrationNote(parts: ["onKick"], text: "V2: onKickedOffline replaces onKick"),
        MigrationNote(
            parts: ["autologin"],
            text: "V2: there is one login call and no autoLogin; its option forceMode replaces force"),
        MigrationNote(
            parts: ["onLogin ", "onLoginStatus", "onConnectStatus", "onConnectFailed", "onDisconnected", "onDataSync"],
            text: "V2: onLoginStatus, onConnectStatus and onDataSync replace the steps of onLogin; an explicit login "
                + "is retried three times (retryCount)"),
        MigrationNote(
            parts: ["onMultiLoginClientsChanged", "onLoginClientChanged"],
            text: "V2: onLoginClientChanged replaces onMultiLoginClientsChanged"),
        MigrationNote(
            parts: ["onRecvMessages", "onReceiveMessages"], text: "V2: onReceiveMessages replaces onRecvMessages"),
        MigrationNote(
            parts: [
                "RecentSession", "messagesDeletedInSession", "onRecv", "onUserInfoChanged", "onFriend",
                "onBlackListChanged", "onReceiveSystemNotification", "onTeam", "onConversation",
                "onClearHistoryNotifications", "onMessageRevokeNotifications", "onMessageDeletedNotifications",
                "onReceiveP2PMessageReadReceipts", "onUserProfileChanged", "onReceiveTeamJoinActionInfo",
            ],
            text: "V2 has its own listeners for messages, conversations, users, friends and teams, such as "
                + "onConversationChanged for didUpdateRecentSession"),
        MigrationNote(
            parts: ["result login "],
            text: "V2: retryCount is 3 for the explicit login call, and timeout 60 s for all of it; codes are "
                + "V2NIMErrorCode"),
        MigrationNote(parts: ["result "], text: "V2: codes are V2NIMErrorCode: 102302 for 302, 192001 for 415"),
    ]

    private static let chat = [
        MigrationNote(
            parts: ["order: "],
            text: "5.0: the event of a logout comes before the logout is complete: in it the login may still stand"),
        MigrationNote(
            parts: ["userAccountDidLoginFromOtherDeviceWithInfo"],
            text: "5.0: one callback for 206 and 220, without a code; its info is nil for 220"),
        MigrationNote(
            parts: ["onMessageReadReceipts", "messagesDidRead", "onConversationRead"],
            text: "5.0: onMessageReadReceipts replaces messagesDidRead; a conversation has no receipt of its own"),
        MigrationNote(
            parts: ["autoLogin", "autologin"],
            text: "5.0: automatic login is removed; the app logs in with a token at each start"),
        MigrationNote(
            parts: [
                "userAccountDidForcedToLogout code=AgoraChatErrorUserAuthenticationFailed",
                "userAccountDidForcedToLogout code=AgoraChatErrorInvalidToken",
            ],
            text: "5.0: 104, 110, 204 and 213 end the login without a callback, so it looks like a lost network"),
        MigrationNote(
            parts: ["onDatabaseOpened"],
            text: "5.0: onDatabaseOpened means that local data is ready. It comes before the login's result: the "
                + "user is not online yet"),
        MigrationNote(
            parts: ["onOfflineMessageSync", "syncData"],
            text: "5.0: syncDataStartWithType and syncDataFinished replace onOfflineMessageSyncStart and Finish; by "
                + "default only conversations are synced (dataSyncType)"),
        MigrationNote(
            parts: ["connectionStateDidChange"], companion: "tokenDidExpire",
            text: "5.0: an expired token (108) has only tokenDidExpire, and no change of the connection's state"),
        MigrationNote(
            parts: ["(300)", "(303)", "(2)"],
            text: "5.0: a server that is not reached is 300, a connection that breaks 303; neither is 2"),
        MigrationNote(parts: ["(104)", "(202)"], text: "5.0: passwords are removed; a refused token is 104"),
        MigrationNote(
            parts: ["result login "],
            text: "5.0: passwords are removed; loginWithUsername:token:completion: is the only login"),
    ]

    private static let rtm = [
        MigrationNote(
            parts: ["rtmKitTokenDidExpire", "tokenPrivilegeWillExpire", "TokenExpired"],
            text: "2.x: tokenPrivilegeWillExpire comes 30 s before; an expired token ends in Failed (ServerReject, "
                + "TokenExpired): renew it and log in again"),
        MigrationNote(
            parts: ["currentState=AgoraRtmLinkStateSuspended"],
            text: "2.2: two minutes after a break the link is Suspended, and the SDK tries every 30 s; 1.x stays in "
                + "Reconnecting"),
        MigrationNote(
            parts: ["isResumed=true"],
            text:
                "2.x: isResumed tells a reconnect from a login: the SDK has joined affectedChannels again, and the app "
                + "need not"),
        MigrationNote(
            parts: ["currentState=AgoraRtmLinkStateDisconnected", "previousState=AgoraRtmLinkStateDisconnected"],
            text: "2.2: a break shows as Disconnected at once, not after 4 s, and each try as Connecting, after 2, 4, "
                + "8 s"),
        MigrationNote(
            parts: ["connectionStateChanged", "connectionChangedToState", "didReceiveLinkStateEvent"],
            text: "2.x: didReceiveLinkStateEvent has the link's state and the one before, operation and reason; "
                + "connectionChangedToState, the older one, has Failed(5) for Aborted(5) and other reasons"),
        MigrationNote(
            parts: ["messageReceived", "channelMessageReceived", "didReceiveMessageEvent"],
            text: "2.x: didReceiveMessageEvent replaces messageReceived and channelMessageReceived"),
        MigrationNote(
            parts: ["memberJoined", "memberLeft", "didReceivePresenceEvent"],
            text: "2.x: didReceivePresenceEvent replaces memberJoined and memberLeft"),
        MigrationNote(
            parts: ["peersOnlineStatusChanged", "subscribe"],
            text: "2.x: AgoraRtmClientKit has no subscription to a user's presence; presence belongs to channels"),
        MigrationNote(
            parts: ["AgoraRtmErrorNotConnected"],
            text:
                "2.2: while the link is Disconnected or Suspended no message can be sent (-10025); 1.x keeps it for 10 s"
        ),
        MigrationNote(
            parts: ["result "],
            text: "2.x: one enum of codes for all calls: -10005 for a wrong token, -10009 for an expired one, -10011 "
                + "for a login without an answer"),
    ]

    private static let zim = [
        MigrationNote(
            parts: ["MessageReceived", "messageReceivedWithResult"],
            text: "3.0.0: messageReceivedWithResult replaces peerMessageReceived, groupMessageReceived and "
                + "roomMessageReceived"),
        MigrationNote(
            parts: ["progress", "result call"],
            text: "3.0.0: import and export of local messages are removed, without a successor"),
    ]
}
