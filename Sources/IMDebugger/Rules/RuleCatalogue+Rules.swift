import IMProtocol
import SansIO

// The rules of each system, each in a line of our own. The project's scripts and tests use the same ids.

extension RuleCatalogue {
    static let common: [Rule] = [
        Rule("C-1", "Each command completes exactly once, also when it is superseded or the client is closed."),
        Rule(
            "C-2",
            "At most one live connection and one login attempt per client; a second login is refused and "
                + "changes nothing.",
            details: "With NIM on Android, a login during an outage replaces the login that retries. "
                + "'client policy login-replaces-retries' sets the platforms."),
        Rule(
            "C-3",
            "What comes of a replaced connection, attempt or login is ignored: every answer carries its "
                + "generation."),
        Rule("C-4", "After a logout nothing connects, retries or fires until the next login command."),
        Rule(
            "C-5",
            "A kick ends the login: no reconnect by itself, whatever state it finds and however the link "
                + "ends."),
        Rule(
            "C-6",
            "A reconnect continues a login and never outranks a later explicit login of another device.",
            details: "A second process of the same installation is another login of the user: the first process gets a "
                + "kick by another login, and it does not come back."),
        Rule(
            "C-7",
            "A kick that could not be delivered is told at the next contact of that device, before "
                + "anything else."),
        Rule("C-8", "Kicks and closes name a connection, never 'the user'."),
        Rule(
            "C-9",
            "Backoff follows the policy, is reset by a completed login only, and a network that returns "
                + "is tried at once.",
            details: "No wait is longer than the longest of its list, jitter included. Agora Chat's first retry comes "
                + "5 to 9 s after the connection broke, and a refused connection moves to the next host at once: "
                + "measured in field logs."),
        Rule(
            "C-10",
            "Deadlines are monotonic; a token's validity is judged by the server's time once it is known; "
                + "a clock jump or a sleep probes the link."),
        Rule(
            "C-11",
            "A network error deletes no credential and is no wrong password; a rejected credential is "
                + "never retried."),
        Rule(
            "C-12", "Heartbeats belong to a connection; a silent link is found out on both sides within the bound.",
            details:
                "Agora Chat sends one after 120 s, and each answer adds 45 s, up to 270 s: measured in field logs. "
                + "Its server ends a connection after 300 s of silence, which is assumed."),
        Rule(
            "C-13",
            "Local data is readable exactly while the system says so, only for its user, and never after "
                + "a logout."),
        Rule(
            "C-14",
            "Queued messages are their sender's; a resend after a lost acknowledgement is stored once.",
            details: "Two users may choose the same message id: a message is known by its sender and its id."),
        Rule(
            "C-15",
            "Client and server agree at the first quiet moment, whatever was lost: channels, watches, "
                + "attributes, each once; what cannot be is told.",
            details: "Messages, operations and presence after a lost frame wait for it."),
        Rule(
            "C-16",
            "Transitions, callbacks, frames, timers and commands are all in the session file, in the "
                + "order in which they happened."),
    ]

    static let nim: [Rule] = [
        Rule("NIM-1", "A login's steps 1, 2, 4, 5, 7, 8 through onLogin(step); one completion, nil or a code."),
        Rule(
            "NIM-2",
            "Local data opens with a successful manual login; autologin opens it at once, without a "
                + "network."),
        Rule(
            "NIM-3",
            "Autologin is for the account of last time, after a manual login that succeeded; not after a "
                + "failed one, a kick or a ban."),
        Rule(
            "NIM-4",
            "Autologin is refused with 417 when the group's last login came from another device; forced, "
                + "it kicks that device."),
        Rule(
            "NIM-5",
            "Retries after autologin or a manual login that succeeded, at 2, 4, 6, 8, 16, 32, 64 s or the "
                + "app's own delays.",
            details: "The app's own delays hold for every retry, the first one after a lost connection included."),
        Rule("NIM-6", "maxAutoLoginRetryTimes: after so many failed retries onAutoLoginFailed with local 15."),
        Rule("NIM-7", "302, 417, 403, 422 and a kick stop the retries; 408 and 415 are retried silently."),
        Rule(
            "NIM-8",
            "More than ten logins a minute, right or wrong, are refused with 416; each such refusal begins one "
                + "minute in which all are refused."),
        Rule("NIM-9", "LoseConnection 9, NetChanged 10, LinkFailed 3 and LoginFailed 6 as they happen."),
        Rule(
            "NIM-10",
            "Logout unbinds push within 3 s; here it always succeeds, and an unreached server leaves push "
                + "bound. A kick unbinds it."),
        Rule(
            "NIM-11",
            "Phones exclude phones, computers and browsers exclude each other; also: one device, ten "
                + "devices, none excluded."),
        Rule("NIM-12", "onKick(reason, clientType): 1 another client, 2 the server, 3 another client's kick."),
        Rule("NIM-13", "onMultiLoginClientsChanged tells the others; 'query devices' lists them without oneself."),
        Rule(
            "NIM-14",
            "After LoginOK groups, offline messages, roaming messages and notifications are synced; a "
                + "drop brings nothing twice."),
    ]

    static let zim: [Rule] = [
        Rule(
            "ZIM-1",
            "Offline login for the user of the last online login only (6000124), with a token that is "
                + "still good for 30 s."),
        Rule(
            "ZIM-2",
            "Its completion comes first, then Connecting(1); local data is open and the SDK connects by "
                + "itself."),
        Rule("ZIM-3", "Until Connected(2) calls that need the network fail with 6000104 at once."),
        Rule(
            "ZIM-4",
            "connectionStateChanged(state, event) for login, time-out, interruption, recovery, kick and "
                + "an expired token.",
            details: "A token that the server refuses ends with Disconnected(0) and TokenExpired(5); the "
                + "completion says whether it is wrong (6000103) or has expired (6000106)."),
        Rule(
            "ZIM-5",
            "Heartbeat 10 s, offline after 35 s; others see Offline for a dead link and Logout for a "
                + "logout."),
        Rule("ZIM-6", "tokenWillExpire 30 s before; an expired token ends the login."),
        Rule(
            "ZIM-7",
            "Devices: single, dual (a browser and one other), multi (Android or iOS, Windows or Mac, ten "
                + "at most); the earliest goes."),
        Rule("ZIM-8", "Login as another user without logout: 6000111; a call while logged out: 6000121."),
        Rule(
            "ZIM-9",
            "46 local calls work offline.",
            details: "While Connected, isQueryFromServer and mode=prefer-server ask the server; without it the "
                + "first fails with 6000104 and the second takes local data. Two devices of a user show the "
                + "same conversations, unread counts, members, friends and names, also after a deletion on the "
                + "server. A deleted message is not unread any more; a local delete counts on this device only. "
                + "Without its draft a conversation has its old orderKey. Members stand in the order in which "
                + "they joined, on every device. A conversation without a name of its own has its user's or "
                + "group's."),
        Rule(
            "ZIM-10",
            "A message sent while reconnecting goes out within 30 s or fails and can be resent; never "
                + "stored twice."),
    ]

    static let agoraChat: [Rule] = [
        Rule("CHAT-1", "Two states, Connected 0 and Disconnected 1, and nothing else."),
        Rule(
            "CHAT-2",
            "Four devices of a platform; one more kicks the earliest of that platform; platforms never "
                + "exclude each other."),
        Rule(
            "CHAT-3",
            "A returning device that finds the places taken kicks the earliest, or with keep-current "
                + "fails with 214, or by policy with 220."),
        Rule("CHAT-4", "A login id is made once per installation and survives restarts."),
        Rule(
            "CHAT-5",
            "Device name, platform number 1 to 100 and extension reach the server with a login; 206 "
                + "carries those of the kicking device."),
        Rule("CHAT-6", "Devices are listed and kicked with a credential, without being logged in; the kicked get 217."),
        Rule(
            "CHAT-7",
            "A message to a login id, user/device, reaches that device only; neither name has a slash.",
            details: "The sending device has it in the conversation with that login id, the receiving one in the "
                + "conversation with the sender's login id."),
        Rule(
            "CHAT-8",
            "An operation on one device reaches the user's others in order, at once or at the next login, "
                + "with its number.",
            details: "The server pushes what a device does not confirm within 60 s (assumed), or when its "
                + "connection ends. A sender's devices get "
                + "messagesDidDeliver if receipts were asked for, and onConversationRead."),
        Rule("CHAT-9", "Removing messages or a conversation from the server is told to the other devices."),
        Rule(
            "CHAT-10",
            "207, 216, 305, 202 and an expired token end the login and clear the stored one; 109 at 80 % "
                + "of the token's whole life, once.",
            details: "After a kick the SDK logs itself out at once, after the callbacks: no login is left for "
                + "autologin, and a new login needs no logout. This was measured in field logs."),
        Rule(
            "CHAT-11",
            "Logout with push unbinding fails offline and leaves the user logged in; --keep-push always "
                + "works."),
        Rule("CHAT-12", "onOfflineMessageSyncStart, then Finish; a drop between gives no Finish and a new Start."),
    ]

    static let agoraRTM: [Rule] = [
        Rule("RTM-1", "States 1 to 5 and their reasons through connectionStateChanged."),
        Rule("RTM-2", "A first login fails with its code, or after 6 s with 9; it is not retried."),
        Rule(
            "RTM-3",
            "Reconnecting shows 4 s after the last sign of life, which may be before a sleep, and never sooner; "
                + "retries until logout."),
        Rule(
            "RTM-4",
            "Online for 30 s after a break or server restart, then memberLeft, and memberJoined on return, each "
                + "once; a new login inherits nothing."),
        Rule(
            "RTM-5",
            "A token that expires or is refused while Reconnecting: rtmKitTokenDidExpire once, no state "
                + "change; renew-token recovers."),
        Rule(
            "RTM-6",
            "The same user elsewhere, or another instance on the device: Aborted, RemoteLogin, also from "
                + "Reconnecting; login is 8 until logout."),
        Rule(
            "RTM-7",
            "Logout from Connected, Reconnecting and Aborted: Disconnected, Logout, 0; when not logged in "
                + "102."),
        Rule(
            "RTM-8",
            "On recovery all peer messages, and channel messages of the last 30 s, at most 32; a sent "
                + "message times out after 10 s."),
        Rule(
            "RTM-9",
            "Twenty channels, two logins a second (10), how often each family of calls may be made, and the "
                + "errors of joining."),
    ]

    static let wilddog: [Rule] = [
        Rule("SYNC-1", "One connection per client, opened at the first reference."),
        Rule("SYNC-2", "Persistence, turned on before anything else: data and pending writes outlive the process."),
        Rule("SYNC-3", "What is kept synced is up to date without a listener."),
        Rule("SYNC-4", "Queries answer offline what they would answer over cache and pending writes."),
        Rule("SYNC-5", ".info/connected follows the connection; .info/serverTimeOffset is published at each connect."),
        Rule(
            "SYNC-6",
            "on-disconnect runs once, when its connection ends, before the client's next one; cancel spares "
                + "its path and all below."),
        Rule("SYNC-7", "Server timestamps: an estimate first, the server's value later."),
        Rule(
            "SYNC-8",
            "go-offline and go-online are switches of a process, also before the first reference; listeners "
                + "and pending writes survive."),
        Rule("SYNC-9", "Heartbeat 20 s; the server waits for 60 s of silence, also after a crash."),
        Rule("SYNC-10", "After reconnecting listeners are valid by themselves and pending writes go out in order."),
    ]

    static let patterns: [Rule] = [
        Rule("P1", "Events of a replaced connection are not fenced."),
        Rule("P2", "A timer of an old attempt fires after a logout."),
        Rule("P3", "A login in flight survives a logout or a switch of accounts."),
        Rule("P4", "A latched flag: stuck, and never reconnects."),
        Rule("P5", "A kick taken for a network loss: two devices kick each other."),
        Rule("P6", "A kick missed while away; the stale device returns."),
        Rule("P7", "A kick hits the wrong connection."),
        Rule("P8", "Ghost presence: a deferred action of the old connection lands on the new one."),
        Rule("P9", "A heartbeat of the wrong connection."),
        Rule("P10", "Sleep, wake and clocks."),
        Rule("P11", "A token's life against a reconnect."),
        Rule("P12", "Subscriptions not restored, too early or wrongly."),
        Rule("P13", "Handlers and deliveries twice after a reconnect."),
        Rule("P14", "A completion not exactly once, events out of order."),
        Rule("P15", "The outbound queue: lost, doubled, flushed at the wrong time."),
        Rule("P16", "Resume counters and replay gaps."),
        Rule("P17", "Backoff reset too early or not at all."),
        Rule("P18", "Two logins at once."),
        Rule("P19", "Offline login, offline logout, switch of accounts."),
        Rule("P20", "The tree's cache answers with something old."),
    ]
}
