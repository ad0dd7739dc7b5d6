// Behaviour that the vendors' documents describe and that this project does not model, for each version. `rehearse` and
// `help` print these lines.

extension ProfileVersion {
    // Sources: V2NIMLoginService of iOS, web and Harmony; the change log of NIM 10.
    static let nimV2 = [
        "a tokenProvider in a comparison with V1: 'client policy token-provider=fresh' or '=fails' sets one (NIM-15)",
        "loginExtensionProvider: as tokenProvider; its failure ends an attempt with authType 2 only",
        "offlineMode (10.9.20, off by default): no document says what it changes beside the code 191008",
        "delays between reconnects: on Harmony 1.6 to 16 s with 1 % jitter; here they are those of V1. A delay of the "
            + "provider below 1000 ms gets 200 to 500 ms of random delay",
        "UNLOGIN (3) of onLoginStatus, which the web and Harmony have while they wait; here it is LOGINING, as on iOS",
        "syncLevel, and onDataSync of team members; here it has the main data only, and no error",
        "getKickedOfflineDetail, and the code 191009 (LAST_KICKED)",
        "routeConfig (10.9.30), setAppVisibility, and the client type HARMONY (65)",
    ]

    // Source: the release notes of Agora Chat 4.x.
    static let chat4 = ["versions before 4.15: tokenWillExpire, which comes at 80 % of the token's life since then"]

    // Sources: the migration guide of EasyIM 5.0.0 (Agora Chat 5); the notes on connection events of the native SDK.
    static let chat5 = [
        "304 (no address of a server): it ends the login. The model has no DNS; a server that is not reached is 300",
        "306 (a frame that cannot be decrypted): the SDK reconnects, and on iOS it looks like a lost network",
        "8 (active users), 110, 204 and 213 as the end of a login; here 104 is the only silent one of them",
        "202 as the end of a login, after a token that the SDK could not refresh; here a refused token is 104",
        "syncDataFinished after a sync that fails, times out or is interrupted; here it comes after a whole sync only",
        "dataSyncType: contacts and groups are never synced at login",
        "the disconnect that iOS reports when the app goes to the background",
        "multi-device events 65 and 66 (unread messages cleared)",
        "other platforms: onDisconnected(code) and onLogout(code, info) of Android, one onDisconnected(code, info) of "
            + "Flutter and React Native, isLoggedIn, isConnected and isDatabaseOpened; the callbacks here are those of iOS",
        "Harmony: the first logout after the upgrade removes the credentials of the automatic login",
    ]

    // Sources: "Connection basics", "Connection state transitions and recovery", the release notes of Signaling 2.x.
    static let rtm2 = [
        "reconnectTimeout (2.2.6): after this time a login or a reconnect reports a timeout (LoginTimeout, "
            + "ReconnectTimeout); no document describes what the SDK does after that",
        "heartbeats: every 5 s (heartbeatInterval, 5 to 1800 s), lost without an answer within 10 s; the server waits "
            + "for the interval and 10 s more. Here they are those of 1.x: 1 s, 4 s and 30 s",
        "presenceTimeout: others see REMOTE_TIMEOUT after 300 s (5 to 300 s); here they see "
            + "AgoraRtmPresenceEventTypeRemoteLeaveChannel after the 30 s of 1.x",
        "isResumed is false after more than 2 minutes; here it is true after each reconnect",
        "login again without a logout (2.2.1), also while Suspended and after SameUidLogin; here it is refused with "
            + "-10017",
        "messages to a client that is away: 1.x delivers them when it is back, and so does the version here; no document "
            + "says so of 2.x",
        "unrestoredChannels, serviceType, the text of reason and timestamp of didReceiveLinkStateEvent, and its "
            + "operations Join, Leave, ServerTimeout and NetworkChange",
        "publish without a subscription, which 2.x allows; here a channel is joined for both",
        "stream channels: their own link states, heartbeats of 0.5 s, and 20 minutes of reconnecting",
        "the time limit of a login: no document has it; here it is that of 1.x (6 s)",
    ]

    // Source: the release notes of ZIM 2.x. The profile `zim@2` models the last 2.x version, not the earlier ones.
    static let zim2 = [
        "versions before 2.7: a login removes the user's name",
        "versions before 2.9: the SDK gives up a reconnect after 5 minutes (LoginTimeout)",
        "versions before 2.11: one device per user, without a setting",
        "versions before 2.12: devices of a user may kick each other on a weak network",
        "versions before 2.13: no offline login, and no kick rules per pair of platforms",
        "versions before 2.20: a message that fails without a network is not sent again within 30 s",
        "versions before 2.21: no conversationSyncStateChanged; two devices of a user in one room kick each other",
        "versions before 2.28: the device that deletes conversations gets no conversationChanged",
    ]

    // Source: the upgrade guide of ZIM 3.
    static let zim3 = [
        "rooms: messageReceivedWithResult has the type Room for them, but the model has no rooms",
        "the older receipt lists, which 3.1.0 deprecates",
    ]
}
