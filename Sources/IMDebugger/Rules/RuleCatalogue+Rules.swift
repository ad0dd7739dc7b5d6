import IMProtocol
import SansIO

// The rules of each system. The texts are the project's own words. Scripts and tests use the ids.

extension RuleCatalogue {
    static let common: [Rule] = [
        Rule("C-1", "Each command completes exactly once, even if it is superseded or the client is closed."),
        Rule(
            "C-2",
            "A client has at most one live connection and one login attempt. A second login is refused and "
                + "changes nothing.",
            details: "With NIM on Android, a login during an outage replaces the login that retries. 'client "
                + "policy login-replaces-retries' sets the platforms."),
        Rule(
            "C-3",
            "Events of a replaced connection, attempt or login are ignored: every answer carries its "
                + "generation."),
        Rule("C-4", "After a logout, nothing connects, retries or fires until the next login command."),
        Rule(
            "C-5",
            "A kick ends the login in every state, however the link ends. The SDK does not reconnect by "
                + "itself."),
        Rule(
            "C-6",
            "A reconnect continues a login and never outranks a later explicit login of another device.",
            details: "A second process of the same installation is another login of the user: it kicks the first "
                + "process, which does not come back."),
        Rule(
            "C-7",
            "The server delivers a kick that it could not deliver at the next contact of that device, before "
                + "anything else."),
        Rule("C-8", "Kicks and closes name a connection, never 'the user'."),
        Rule(
            "C-9",
            "Backoff follows the policy. Only a completed login resets it. When the network returns, the SDK "
                + "tries at once.",
            details: "No wait is longer than the longest of its list, jitter included. Agora Chat's first retry "
                + "comes 5 to 9 s after the connection broke, and a refused connection moves to the next host "
                + "at once: measured in field logs."),
        Rule(
            "C-10",
            "Deadlines are monotonic. The server's time decides whether a token is valid, once it is "
                + "known. A clock jump or a sleep probes the link."),
        Rule(
            "C-11",
            "A network error deletes no credential and does not count as a wrong password. A rejected "
                + "credential is never retried."),
        Rule(
            "C-12",
            "Heartbeats belong to a connection. Both sides detect a silent link within the time limit.",
            details: "Agora Chat sends a heartbeat after 120 s, and each answer adds 45 s, up to 270 s: measured "
                + "in field logs. Its server ends a connection after 300 s of silence, which is assumed."),
        Rule(
            "C-13",
            "Local data is readable exactly while the system allows it, only for its user, and never after a "
                + "logout."),
        Rule(
            "C-14",
            "Queued messages belong to their sender. A resend after a lost acknowledgement is stored once.",
            details: "Two users may choose the same message id: a message is identified by its sender and its id."),
        Rule(
            "C-15",
            "After any loss, client and server agree once the system is idle. The app gets a callback for "
                + "state that cannot be restored.",
            details: "They agree on channels, presence watches and attributes, each once. Messages, operations "
                + "and presence after a lost frame wait for it."),
        Rule(
            "C-16",
            "The session file contains all transitions, callbacks, frames, timers and commands in the order in "
                + "which they happened."),
    ]

    static let nim: [Rule] = [
        Rule(
            "NIM-1",
            "A login reports its steps 1, 2, 4, 5, 7, 8 through onLogin(step), and completes once with nil or "
                + "a code."),
        Rule("NIM-2", "A successful manual login opens the local data. Autologin opens it at once, without a network."),
        Rule(
            "NIM-3",
            "Autologin is for the last account, after a successful manual login. It is not allowed after a "
                + "failed login, a kick or a ban."),
        Rule(
            "NIM-4",
            "Autologin is refused with 417 if the group's last login came from another device. A forced "
                + "autologin kicks that device."),
        Rule(
            "NIM-5",
            "Autologin, and a manual login that succeeded, are retried after 2, 4, 6, 8, 16, 32, 64 s or the "
                + "app's own delays.",
            details: "The app's own delays apply to every retry, including the first one after a lost connection."),
        Rule("NIM-6", "After maxAutoLoginRetryTimes failed retries, onAutoLoginFailed comes with the local code 15."),
        Rule("NIM-7", "302, 417, 403, 422 and a kick stop the retries. After 408 and 415 the SDK retries silently."),
        Rule(
            "NIM-8",
            "More than ten logins a minute, right or wrong, are refused with 416. Each such refusal starts a "
                + "minute in which all logins are refused."),
        Rule(
            "NIM-9",
            "onLogin reports LoseConnection 9, NetChanged 10, LinkFailed 3 and LoginFailed 6 when they happen."),
        Rule(
            "NIM-10",
            "Logout unbinds push within 3 s. Here it always succeeds; if the server is not reached, push stays "
                + "bound. A kick unbinds push."),
        Rule(
            "NIM-11",
            "Phones exclude phones; computers and browsers exclude each other. Other settings: one device, ten "
                + "devices, no exclusion."),
        Rule("NIM-12", "onKick(reason, clientType): 1 another client, 2 the server, 3 another client's kick."),
        Rule(
            "NIM-13",
            "onMultiLoginClientsChanged notifies the other devices. 'query devices' lists the user's other "
                + "devices."),
        Rule(
            "NIM-14",
            "After LoginOK, groups, offline messages, roaming messages and notifications are synced. A drop "
                + "delivers nothing twice."),
        Rule(
            "NIM-15",
            "V2: the SDK calls the app's tokenProvider for a token in each attempt, after the link is up; if it "
                + "fails, the attempt ends with 191003."),
    ]

    static let zim: [Rule] = [
        Rule(
            "ZIM-1",
            "Offline login works only for the user of the last online login (else 6000124), with a token that "
                + "is valid for another 30 s."),
        Rule(
            "ZIM-2",
            "An offline login completes first; then comes Connecting(1). Local data is open, and the SDK "
                + "connects by itself."),
        Rule("ZIM-3", "Until Connected(2), calls that need the network fail with 6000104 at once."),
        Rule(
            "ZIM-4",
            "connectionStateChanged(state, event) reports login, time-out, interruption, recovery, kick and an "
                + "expired token.",
            details: "If the server refuses a token, Disconnected(0) and TokenExpired(5) follow. The completion's "
                + "code is 6000103 for a wrong token and 6000106 for an expired one."),
        Rule(
            "ZIM-5",
            "Heartbeats come every 10 s, and a user is offline after 35 s. Others see Offline for a dead link "
                + "and Logout for a logout."),
        Rule("ZIM-6", "tokenWillExpire comes 30 s before the expiry. An expired token ends the login."),
        Rule(
            "ZIM-7",
            "Devices: single, dual (a browser and one other), multi (Android or iOS, Windows or Mac, at most "
                + "ten). The earliest login ends."),
        Rule(
            "ZIM-8",
            "A login as another user without a logout fails with 6000111; a call while logged out fails with "
                + "6000121."),
        Rule(
            "ZIM-9",
            "46 local calls work offline.",
            details: "While Connected, isQueryFromServer and mode=prefer-server query the server. Without a "
                + "connection the first fails with 6000104, and the second uses local data. Two devices of a "
                + "user show the same conversations, unread counts, members, friends and names, also after a "
                + "deletion on the server. A deleted message no longer counts as unread; a local delete affects "
                + "this device only. A conversation without its draft has its old orderKey again. Members are "
                + "listed in the order in which they joined, on every device. A conversation without its own "
                + "name has the name of its user or group."),
        Rule(
            "ZIM-10",
            "A message sent while reconnecting goes out within 30 s, or fails and can be resent. It is never "
                + "stored twice."),
    ]

    static let agoraChat: [Rule] = [
        Rule("CHAT-1", "There are only two states: Connected 0 and Disconnected 1."),
        Rule(
            "CHAT-2",
            "A user may have four devices of a platform. One more kicks the earliest of that platform. "
                + "Platforms never exclude each other."),
        Rule(
            "CHAT-3",
            "If all device slots are taken, a returning device kicks the earliest one. With keep-current it "
                + "fails with 214, or by policy with 220."),
        Rule("CHAT-4", "A login id is made once per installation and survives restarts."),
        Rule(
            "CHAT-5",
            "Device name, platform number 1 to 100 and extension reach the server with a login. 206 carries "
                + "those of the kicking device."),
        Rule(
            "CHAT-6",
            "An app can list and kick devices with a credential, without being logged in. The kicked devices "
                + "get 217."),
        Rule(
            "CHAT-7",
            "A message to a login id, user/device, reaches that device only. Neither name may contain a slash.",
            details: "On the sending device the message belongs to the conversation with that login id, on the "
                + "receiving device to the conversation with the sender's login id."),
        Rule(
            "CHAT-8",
            "An operation on one device reaches the user's other devices in order, at once or at the next "
                + "login, with its number.",
            details: "The server pushes a message that a device does not confirm within 60 s (assumed), or when the "
                + "connection ends. A sender's devices get messagesDidDeliver if receipts were requested, and "
                + "onConversationRead."),
        Rule("CHAT-9", "The other devices are notified when messages or a conversation are removed from the server."),
        Rule(
            "CHAT-10",
            "207, 216, 305, 202 and an expired token end the login and clear the stored one. 109 comes once, "
                + "at 80 % of the token's lifetime.",
            details: "After a kick, the SDK calls the callbacks and logs out at once: no login is left for "
                + "autologin, and a new login needs no logout. This was measured in field logs."),
        Rule(
            "CHAT-11",
            "Logout with push unbinding fails offline and leaves the user logged in; --keep-push always works."),
        Rule(
            "CHAT-12",
            "A sync calls onOfflineMessageSyncStart, then Finish. After a drop in between there is no Finish, "
                + "but a new Start."),
    ]

    static let agoraRTM: [Rule] = [
        Rule("RTM-1", "connectionStateChanged reports the states 1 to 5 and their reasons."),
        Rule("RTM-2", "A first login fails with its code, or with 9 after 6 s. It is not retried."),
        Rule(
            "RTM-3",
            "Reconnecting comes 4 s after the last received frame, which may be before a sleep, and never "
                + "sooner. Retries continue until logout."),
        Rule(
            "RTM-4",
            "A user stays online for 30 s after a break or a server restart. Then comes memberLeft, "
                + "and memberJoined on return, each once.",
            details: "A new login inherits nothing."),
        Rule(
            "RTM-5",
            "If a token expires or is refused while Reconnecting, rtmKitTokenDidExpire comes once and the "
                + "state does not change. renew-token recovers."),
        Rule(
            "RTM-6",
            "If the same user logs in elsewhere, the state becomes Aborted, RemoteLogin, also from "
                + "Reconnecting. Login fails with 8 until logout.",
            details: "Another instance on the same device counts too."),
        Rule(
            "RTM-7",
            "Logout from Connected, Reconnecting and Aborted leads to Disconnected, Logout, 0. Without a login "
                + "it fails with 102."),
        Rule(
            "RTM-8",
            "On recovery come all peer messages, and the channel messages of the last 30 s, at most 32. A sent "
                + "message times out after 10 s."),
        Rule(
            "RTM-9",
            "Limits: twenty channels, two logins a second (10), the rate of each family of calls, and the "
                + "errors of joining."),
        Rule(
            "RTM-10",
            "2.2 and later: a lost link is Disconnected at once and retried after 2, 4, 8 … s; after 2 minutes it is "
                + "Suspended, with a try every 30 s."),
    ]

    static let wilddog: [Rule] = [
        Rule("SYNC-1", "A client has one connection, which opens at the first reference."),
        Rule(
            "SYNC-2",
            "Persistence must be enabled before any other call. Then data and pending writes outlive the "
                + "process."),
        Rule("SYNC-3", "A path that is kept synced is up to date without a listener."),
        Rule("SYNC-4", "Offline, a query gives the same answer as over the cache and the pending writes."),
        Rule("SYNC-5", ".info/connected follows the connection; .info/serverTimeOffset is published at each connect."),
        Rule(
            "SYNC-6",
            "An onDisconnect operation runs once, when its connection ends and before the client's "
                + "next one. Cancel removes it for its path and below."),
        Rule("SYNC-7", "A server timestamp is an estimate at first, and later the server's value."),
        Rule(
            "SYNC-8",
            "go-offline and go-online are switches of a process, also before the first reference. Listeners "
                + "and pending writes survive."),
        Rule("SYNC-9", "Heartbeats come every 20 s; the server waits for 60 s of silence, also after a crash."),
        Rule(
            "SYNC-10",
            "After a reconnect, listeners are valid again by themselves, and pending writes are sent in order."),
    ]

    static let patterns: [Rule] = [
        Rule("P1", "Events of a replaced connection are not ignored."),
        Rule("P2", "A timer of an old attempt fires after a logout."),
        Rule("P3", "A login in flight survives a logout or a switch of accounts."),
        Rule("P4", "A flag stays set, and the client never reconnects."),
        Rule("P5", "A kick is treated as a network loss: two devices kick each other."),
        Rule("P6", "A device misses a kick while it is away, and returns."),
        Rule("P7", "A kick hits the wrong connection."),
        Rule("P8", "Ghost presence: a deferred action of the old connection affects the new one."),
        Rule("P9", "A heartbeat belongs to the wrong connection."),
        Rule("P10", "Sleep, wake-up or clock changes are handled wrongly."),
        Rule("P11", "A token expires during a reconnect."),
        Rule("P12", "Subscriptions are restored too early, wrongly or not at all."),
        Rule("P13", "Handlers or deliveries are doubled after a reconnect."),
        Rule("P14", "A completion comes twice or never, or events are out of order."),
        Rule("P15", "Messages of the outbound queue are lost, doubled or flushed at the wrong time."),
        Rule("P16", "Resume counters leave gaps in the replay."),
        Rule("P17", "Backoff is reset too early or not at all."),
        Rule("P18", "Two logins run at once."),
        Rule("P19", "Offline login, offline logout or a switch of accounts is handled wrongly."),
        Rule("P20", "The tree's cache answers with an old value."),
    ]
}
