import IMDebugger
import IMProfiles
import IMProtocol
import IMServer
import IMText
import SansIO

/// What the values of a server's policy mean, in the words of its users; the values' names and ranges are the
/// machine's (`ServerMachine.policyKeys`), and a test looks that none of them is missing here.
package struct PolicyMeaning: Sendable {
    package var key: String
    /// The value as `server policy` takes it.
    package var value: @Sendable (ServerPolicy) -> String
    package var meaning: String
    /// What each choice means, where there are some.
    package var choices: [(name: String, meaning: String)] = []

    /// Lengths of time in milliseconds, separated by commas; a person may write 10s. What is none stays as it is.
    package static func milliseconds(_ text: String) -> String {
        text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            DurationText.interval(String(part)).map { String($0.inMilliseconds) } ?? String(part)
        }.joined(separator: ",")
    }

    package static let all: [PolicyMeaning] =
        [
            PolicyMeaning(
                key: "exclusion", value: { $0.exclusion.rawValue },
                meaning: "which devices of an account cannot be online together", choices: exclusions),
            number("device-count-max", \.deviceCountMax, "devices of an account that may be online at once"),
            number("devices-kept-max", \.devicesKeptMax, "devices of an account that the server remembers"),
            PolicyMeaning(
                key: "taken-place", value: { $0.takenPlace.rawValue },
                meaning: "what becomes of a reconnect that finds its place taken", choices: takenPlaces),
            flag(
                "tells-device-changed", \.tellsDeviceChanged,
                "who keeps out of a single place is told that the device changed, not that there are too many"),
            flag(
                "tells-ends-as-refusals", \.tellsEndsAsRefusals,
                "a ban, a removal or a new password is told to who comes back as a refusal of the login"),
            flag("password-change-ends-logins", \.passwordChangeEndsLogins, "a new password ends the account's logins"),
            flag("offline-frees-place", \.offlineFreesPlace, "a device that is offline holds no place"),
            flag(
                "checks-last-device", \.checksLastDevice,
                "an automatic login is refused after another device of its group was used"),
            number("login-rate-max", \.loginRateMax, "logins of a device within the window; 0: any number"),
            length("login-rate-window-ms", \.loginRateWindow, "the window that logins are counted in"),
            length("login-rate-penalty-ms", \.loginRatePenalty, "how long a device is refused that asked too often"),
            flag("token-expiry-ends-login", \.tokenExpiryEndsLogin, "the end of a token's life ends the login"),
            length("silence-limit-ms", \.silenceLimit, "a connection on which nothing came for so long is dead"),
            length(
                "push-after-ms", \.pushAfter,
                "what a device does not confirm for so long is pushed; 0: only when its connection ends"),
            flag(
                "break-waits-for-silence", \.breakWaitsForSilence,
                "a connection that breaks without a goodbye ends only after silence-limit-ms"),
            length("presence-hold-ms", \.presenceHold, "how long a user whose connection broke counts as online"),
            length(
                "heartbeat-interval-ms", \.heartbeatInterval,
                "presence-hold-ms counts from this long after a silent connection's last frame; clients send heartbeats by "
                    + "'client policy heartbeat-interval-ms'"),
            length("login-overdue-ms", \.loginOverdueAfter, "a connection on which nobody logs in ends after this"),
            flag("makes-accounts", \.makesAccounts, "an account is made the first time its name is used"),
            flag("admits-without-credential", \.admitsWithoutCredential, "a login needs no token and no password"),
            flag("delivers-at-sync", \.deliversAtSync, "messages that waited come with the sync, not with the login"),
            flag("copies-to-own-devices", \.copiesToOwnDevices, "what one device sends, the user's others get too"),
            flag("has-account-calls", \.hasAccountCalls, "logins can be listed and ended from outside a login"),
            number("messages-stored-max", \.messagesStoredMax, "messages that wait for a user"),
            number("inbox-bytes-max", \.inboxBytesMax, "bytes of messages that wait for a device"),
            number("sender-processes-max", \.senderProcessesMax, "processes of a device whose messages are told apart"),
            number(
                "sender-gaps-max", \.senderGapsMax, "messages of a process that may come later than others after them"),
            number("channel-replay-max", \.channelReplayMax, "messages of a channel that who was away gets; 0: none"),
            length("channel-replay-age-ms", \.channelReplayAge, "how old these may be"),
            number(
                "tree-writes-max", \.treeWritesMax,
                "changes of the tree by a connection within the window; 0: any number"),
            length("tree-writes-window-ms", \.treeWritesWindow, "the window that changes of the tree are counted in"),
            number("channel-replay-bytes-max", \.channelReplayBytesMax, "bytes of text kept for that, of all channels"),
            number("channel-members-max", \.channelMembersMax, "members of a channel"),
            number("channels-per-login-max", \.channelsPerLoginMax, "channels that a login may be in"),
            number("channel-count-max", \.channelCountMax, "channels at all"),
            number("watched-count-max", \.watchedCountMax, "users whose presence a connection may watch"),
            number("attribute-count-max", \.attributeCountMax, "attributes of a user or a channel"),
            number("attribute-name-bytes-max", \.attributeNameBytesMax, "bytes of an attribute's name"),
            number("attribute-value-bytes-max", \.attributeValueBytesMax, "bytes of an attribute's value"),
            number("attribute-bytes-max", \.attributeBytesMax, "bytes of the attributes of a user"),
            number("channel-attribute-bytes-max", \.channelAttributeBytesMax, "bytes of the attributes of a channel"),
            number("sync-items-max", \.syncItemCountMax, "things of one kind that an account has for a sync"),
            length(
                "given-up-after-ms", \.givenUpAfter,
                "after so long away a device loses its oldest messages where it has no room for new ones"),
            flag("ends-other-instances", \.endsOtherInstances, "another instance on the device is another login"),
            flag("has-user-data", \.hasUserData, "friends, groups, conversations and messages are kept for devices"),
            flag(
                "tells-operations", \.tellsOperations,
                "what is done to that data on one device is told to the others as an operation"),
            flag(
                "sends-receipts", \.sendsReceipts,
                "a sender's devices are notified when a message arrives, or the other user reads the conversation"),
            flag("sync-brings-data", \.syncBringsData, "a sync brings that data in its phases"),
            number(
                "changes-kept-max", \.changesKeptMax,
                "changes of a user's data that are kept; of more the oldest message goes"),
            number("account-count-max", \.accountCountMax, "accounts"),
            number("connection-count-max", \.connectionCountMax, "connections at once"),
        ]

    private static let exclusions: [(name: String, meaning: String)] = [
        ("mobile-desktop", "phones exclude phones, computers exclude computers and browsers"),
        ("single", "one device only"), ("unlimited", "up to device-count-max; one more ends the earliest"),
        ("none", "nobody is ended by the server"), ("dual", "one browser and one other device"),
        ("multi", "Android and iOS exclude each other, Windows and Mac exclude each other"),
        ("per-platform", "device-count-max devices of each platform"),
    ]
    private static let takenPlaces: [(name: String, meaning: String)] = [
        ("kicked", "the device is told that it was kicked"),
        ("kick-current", "it counts as a login, and ends the earliest other one"),
        ("keep-current", "it fails, and ends nobody"),
    ]

    private static func number(
        _ key: String, _ place: any KeyPath<ServerPolicy, Int> & Sendable, _ meaning: String
    ) -> PolicyMeaning {
        PolicyMeaning(key: key, value: { String($0[keyPath: place]) }, meaning: meaning)
    }

    private static func flag(
        _ key: String, _ place: any KeyPath<ServerPolicy, Bool> & Sendable, _ meaning: String
    ) -> PolicyMeaning {
        PolicyMeaning(key: key, value: { String($0[keyPath: place]) }, meaning: meaning)
    }

    private static func length(
        _ key: String, _ place: any KeyPath<ServerPolicy, Interval> & Sendable, _ meaning: String
    ) -> PolicyMeaning {
        PolicyMeaning(key: key, value: { $0[keyPath: place].text }, meaning: meaning)
    }

    package static func of(_ key: String) -> PolicyMeaning? { all.first { $0.key == key } }

    /// What each choice means, below each other; nil where there is none to choose.
    package var choiceText: String? {
        guard !choices.isEmpty else { return nil }
        let width = choices.map(\.name.count).max() ?? 0
        return choices.map { choice in
            "  " + choice.name + String(repeating: " ", count: width - choice.name.count + 2) + choice.meaning
        }.joined(separator: "\n")
    }
}

extension AnswerObject {
    /// The keys of a server's policy, for `help --json`.
    package static var policies: [AnswerObject] {
        ServerMachine.policyKeys.map { known in
            let meaning = PolicyMeaning.of(known.key)
            var object = AnswerObject()
            object.add("policy", known.key)
            object.add("takes", known.takes)
            object.add("meaning", meaning?.meaning ?? "")
            object.add(
                "defaults", fields: Dialects.all.map { ($0.profile, meaning?.value($0.serverPolicy) ?? "") })
            return object
        }
    }
}
