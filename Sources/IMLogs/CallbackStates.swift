import IMClient
import IMSession

/// Determines the state that a client's callback reports. The numbers in the tables are those of the vendors' headers.
struct CallbackStates {
    private struct Row {
        var name: String
        var fields: [(name: String, value: String)]
        var state: ClientState

        init(_ name: String, _ fields: [(String, String)], _ state: ClientState) {
            (self.name, self.state) = (name, state)
            self.fields = fields.map { (name: $0.0, value: $0.1) }
        }
    }

    /// The rows of the profile. The first row that matches an event gives the state.
    private let rows: [Row]

    init(profile: String) {
        rows = Self.tables.first { $0.profile == profile }?.rows ?? []
    }

    /// The state after the event; nil if the event does not show it.
    func state(after event: LoggedEvent) -> ClientState? {
        switch event.kind {
        case .return: return event.name == "logout" ? .loggedOut : nil
        case .callback: break
        case .call, .frame, .life, .line: return nil
        }
        return rows.first { event.has(name: $0.name, fields: $0.fields) }?.state
    }

    /// `StatusCode` of NIM's Android SDK, by name and by number.
    private static let onlineStatus: [Row] = [
        ("UNLOGIN", "1", ClientState.loggedOut), ("NET_BROKEN", "2", .reconnecting), ("CONNECTING", "3", .connecting),
        ("LOGINING", "4", .connecting), ("SYNCING", "5", .syncing), ("LOGINED", "6", .online),
        ("KICKOUT", "7", .kicked), ("KICK_BY_OTHER_CLIENT", "8", .kicked), ("FORBIDDEN", "9", .loggedOut),
        ("VER_ERROR", "10", .loggedOut), ("PWD_ERROR", "11", .loggedOut),
    ].flatMap { name, number, state in
        [name, number].map { Row("observeOnlineStatus", [("status", $0)], state) }
    }

    /// The callbacks of Agora Chat on Android, which React Native and Flutter have, too. A code is the reason for the
    /// end of a login.
    private static let chatOfAndroid: [Row] =
        ["206", "207", "214", "216", "217", "220", "305"].flatMap { code in
            ["onDisconnected", "onLogout"].map { Row($0, [("error", code)], .kicked) }
        }
        + [
            "onUserDidLoginFromOtherDevice", "onUserDidRemoveFromServer", "onUserDidForbidByServer",
            "onUserKickedByOtherDevice", "onUserDidChangePassword",
        ].map { Row($0, [], .kicked) }
        + [
            Row("onConnected", [], .online), Row("onDisconnected", [], .reconnecting),
            Row("onTokenExpired", [], .tokenExpired),
        ]

    private static let tables: [(profile: String, rows: [Row])] = [
        (
            "nim",
            [
                Row("onLogin", [("step", "1")], .connecting), Row("onLogin", [("step", "5")], .syncing),
                Row("onLogin", [("step", "7")], .syncing), Row("onLogin", [("step", "8")], .online),
                Row("onLogin", [("step", "9")], .reconnecting), Row("onLogin", [("step", "11")], .loggedOut),
                Row("onKick", [], .kicked), Row("onKickout", [], .kicked), Row("onKickedOffline", [], .kicked),
            ] + onlineStatus
        ),
        (
            "zim",
            [
                Row("connectionStateChanged", [("state", "0"), ("event", "4")], .kicked),
                Row("connectionStateChanged", [("state", "0"), ("event", "5")], .tokenExpired),
                // Newer SDKs report the removal of the account with this event. It ends the login like a kick.
                Row("connectionStateChanged", [("state", "0"), ("event", "6")], .kicked),
                Row("connectionStateChanged", [("state", "0")], .loggedOut),
                Row("connectionStateChanged", [("state", "1")], .connecting),
                Row("connectionStateChanged", [("state", "2")], .online),
                Row("connectionStateChanged", [("state", "3")], .reconnecting),
            ]
        ),
        (
            "agora-rtm",
            [
                Row("connectionStateChanged", [("state", "1"), ("reason", "9")], .tokenExpired),
                Row("connectionStateChanged", [("state", "1")], .loggedOut),
                Row("connectionStateChanged", [("state", "2")], .connecting),
                Row("connectionStateChanged", [("state", "3")], .online),
                Row("connectionStateChanged", [("state", "4")], .reconnecting),
                Row("connectionStateChanged", [("state", "5")], .kicked),
            ]
        ),
        (
            "agora-chat",
            [
                Row("connectionStateDidChange", [("state", "0")], .online),
                Row("connectionStateDidChange", [("state", "1")], .reconnecting),
                Row("userAccountDidLoginFromOtherDevice", [], .kicked),
                Row("userAccountDidLoginFromOtherDeviceWithInfo", [], .kicked),
                Row("userAccountDidForcedToLogout", [], .kicked), Row("userAccountDidRemoveFromServer", [], .kicked),
                Row("userDidForbidByServer", [], .kicked), Row("tokenDidExpire", [], .tokenExpired),
            ] + chatOfAndroid
        ),
        (
            "wilddog",
            [
                Row("valueChanged", [("path", ".info/connected"), ("value", "true")], .online),
                Row("valueChanged", [("path", ".info/connected"), ("value", "false")], .reconnecting),
                Row("connected", [("value", "1")], .online), Row("connected", [("value", "0")], .reconnecting),
            ]
        ),
    ]
}

/// Determines the profile from the callbacks of a log.
struct ProfileVotes {
    let winner: String?

    init(_ events: [LoggedEvent], formats: [String: Int]) {
        var votes: [String: Int] = [:]
        if formats["imrepl_easemob"] != nil { votes["agora-chat", default: 0] += 1000 }
        for event in events where event.kind == .callback {
            let names = event.fields.map(\.name)
            switch event.name {
            case "observeOnlineStatus", "onLogin", "onKick", "onKickout", "onAutoLoginFailed",
                "onMultiLoginClientsChanged", "onMultiLoginClientsChangedWithType":
                votes["nim", default: 0] += 1
            case "connectionStateChanged":
                votes[names.contains("event") ? "zim" : "agora-rtm", default: 0] += 1
            case "rtmKitTokenDidExpire": votes["agora-rtm", default: 0] += 1
            case "connectionStateDidChange", "messagesDidReceive", "userAccountDidForcedToLogout",
                "onUserDidLoginFromOtherDevice", "onUserDidForbidByServer", "onUserKickedByOtherDevice":
                votes["agora-chat", default: 0] += 1
            case "valueChanged", "connected", "serverTimeOffset": votes["wilddog", default: 0] += 1
            default: break
            }
        }
        winner = votes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
}
