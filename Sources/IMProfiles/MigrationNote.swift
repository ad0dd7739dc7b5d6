/// A line of a vendor's guide from one version to the next, for what an app sees differently.
public struct MigrationNote: Sendable {
    /// Parts of the text of a callback or result that it explains.
    public var words: [String]
    /// The line.
    public var text: String

    /// The line for a callback or a result; nil if the guide has none.
    public static func text(for seen: String, of profile: String) -> String? {
        notes(of: ProfileVersion.base(of: profile)).first { note in note.words.contains { seen.contains($0) } }?.text
    }

    /// The lines of the guide to a version that have a word.
    public static func lines(mentioning word: String, of version: ProfileVersion) -> [String] {
        let lines = notes(of: ProfileVersion.base(of: version.name)).map(\.text) + version.removed
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
            words: ["login V2NIM_ERROR_CODE_MULTI_LOGIN_FORBIDDEN"],
            text: "V2: without forceMode, which is false by default, a login at the limit of devices is refused with "
                + "417 and kicks no device"),
        MigrationNote(
            words: ["417", "onLoginFailed", "onAutoLoginFailed"],
            text: "V2: forceMode counts as false in a reconnect, so a device that finds its slot taken is refused "
                + "with 417 and not kicked"),
        MigrationNote(words: ["onKick"], text: "V2: onKickedOffline replaces onKick"),
        MigrationNote(
            words: ["autologin"],
            text: "V2: there is one login call and no autoLogin; its option forceMode replaces force"),
        MigrationNote(
            words: ["onLogin ", "onLoginStatus", "onConnectStatus", "onConnectFailed", "onDisconnected", "onDataSync"],
            text: "V2: onLoginStatus, onConnectStatus and onDataSync replace the steps of onLogin; an explicit login "
                + "is retried three times (retryCount)"),
        MigrationNote(
            words: ["onMultiLoginClientsChanged", "onLoginClientChanged"],
            text: "V2: onLoginClientChanged replaces onMultiLoginClientsChanged"),
        MigrationNote(
            words: ["onRecvMessages", "onReceiveMessages"], text: "V2: onReceiveMessages replaces onRecvMessages"),
        MigrationNote(
            words: [
                "RecentSession", "messagesDeletedInSession", "onRecv", "onUserInfoChanged", "onFriendChanged",
                "onBlackListChanged", "onReceiveSystemNotification", "onTeam",
            ],
            text: "V2 has its own callbacks for conversations, teams, friends and notifications; not simulated here"),
        MigrationNote(
            words: ["result login "],
            text: "V2: retryCount is 3 for the explicit login call, and timeout 60 s for all of it; codes are "
                + "V2NIMErrorCode"),
        MigrationNote(words: ["result "], text: "V2: codes are V2NIMErrorCode: 102302 for 302, 192001 for 415"),
    ]

    private static let chat = [
        MigrationNote(
            words: ["autoLogin", "autologin"],
            text: "5.0: automatic login is removed; the app logs in with a token at each start"),
        MigrationNote(
            words: ["userAccountDidForcedToLogout"],
            text: "5.0: 104, 110, 204 and 213 end the login without a callback, so it looks like a lost network"),
        MigrationNote(
            words: ["onDatabaseOpened"],
            text: "5.0: onDatabaseOpened means that local data is ready, not that the user is online"),
        MigrationNote(
            words: ["onOfflineMessageSync", "syncData"],
            text: "5.0: syncDataStartWithType and syncDataFinished replace onOfflineMessageSyncStart and Finish"),
        MigrationNote(
            words: ["connectionStateDidChange"],
            text: "5.0: an expired token (108) has only tokenDidExpire, and no change of the connection's state"),
        MigrationNote(words: ["(300)", "(2)"], text: "5.0: a weak network is 300 or 303, no longer 2"),
        MigrationNote(words: ["(104)", "(202)"], text: "5.0: passwords are removed; a refused token is 104"),
    ]

    private static let rtm = [
        MigrationNote(
            words: ["rtmKitTokenDidExpire", "tokenPrivilegeWillExpire", "TokenExpired"],
            text: "2.x: tokenPrivilegeWillExpire comes 30 s before; an expired token ends in Failed (ServerReject, "
                + "TokenExpired): renew it and log in again"),
        MigrationNote(
            words: ["connectionStateChanged", "didReceiveLinkStateEvent"],
            text: "2.x: didReceiveLinkStateEvent has the link's state, operation and reason; connectionChangedToState "
                + "has Failed(5) for Aborted(5) and other reasons"),
        MigrationNote(
            words: ["messageReceived", "channelMessageReceived", "didReceiveMessageEvent"],
            text: "2.x: didReceiveMessageEvent replaces messageReceived and channelMessageReceived"),
        MigrationNote(
            words: ["memberJoined", "memberLeft", "didReceivePresenceEvent"],
            text: "2.x: didReceivePresenceEvent replaces memberJoined and memberLeft"),
        MigrationNote(
            words: ["peersOnlineStatusChanged", "subscribe"],
            text: "2.x: AgoraRtmClientKit has no subscription to a user's presence; presence belongs to channels"),
        MigrationNote(
            words: ["result "],
            text: "2.x: one enum of codes for all calls: -10005 for a wrong token, -10009 for an expired one, -10011 "
                + "for a login without an answer"),
    ]

    private static let zim = [
        MigrationNote(
            words: ["MessageReceived", "messageReceivedWithResult"],
            text: "3.0.0: messageReceivedWithResult replaces peerMessageReceived, groupMessageReceived and "
                + "roomMessageReceived"),
        MigrationNote(
            words: ["progress", "result call"],
            text: "3.0.0: import and export of local messages are removed, without a successor"),
    ]
}
