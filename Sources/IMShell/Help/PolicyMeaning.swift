import IMDebugger
import IMProfiles
import IMProtocol
import IMServer
import IMText
import SansIO

/// The meanings of the server's policy values. Their names and ranges are those of the machine
/// (`ServerMachine.policyKeys`); a test checks that this table is complete.
package struct PolicyMeaning: Sendable {
    package var key: String
    /// The value in the form of `server policy`.
    package var value: @Sendable (ServerPolicy) -> String
    package var meaning: String
    /// The meaning of each choice, if there are choices.
    package var choices: [(name: String, meaning: String)] = []

    /// Durations in milliseconds, separated by commas; the user may write 10s. Other texts stay as they are.
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
            number("devices-kept-max", \.devicesKeptMax, "devices of an account that the server stores"),
            PolicyMeaning(
                key: "taken-place", value: { $0.takenPlace.rawValue },
                meaning: "the result of a reconnect if its device slot is taken", choices: takenPlaces),
            flag(
                "tells-device-changed", \.tellsDeviceChanged,
                "a refused device whose single slot is taken gets device-changed instead of too-many-devices"),
            flag(
                "tells-ends-as-refusals", \.tellsEndsAsRefusals,
                "a device that returns after a ban, a removal or a new password gets a refused login"),
            flag("password-change-ends-logins", \.passwordChangeEndsLogins, "a new password ends the account's logins"),
            flag("offline-frees-place", \.offlineFreesPlace, "an offline device occupies no slot"),
            flag(
                "checks-last-device", \.checksLastDevice,
                "an automatic login is refused after another device of its group was used"),
            number("login-rate-max", \.loginRateMax, "logins of a device within the window; 0: any number"),
            length("login-rate-window-ms", \.loginRateWindow, "the time window of login-rate-max"),
            length("login-rate-penalty-ms", \.loginRatePenalty, "how long a device is refused after too many logins"),
            flag("token-expiry-ends-login", \.tokenExpiryEndsLogin, "the expiry of a token ends the login"),
            length("silence-limit-ms", \.silenceLimit, "a connection is dead after this time without a frame"),
            length(
                "push-after-ms", \.pushAfter,
                "a message is pushed if a device does not confirm it in this time; 0: only when its connection ends"),
            flag(
                "break-waits-for-silence", \.breakWaitsForSilence,
                "a connection that breaks without a goodbye frame ends only after silence-limit-ms"),
            length("presence-hold-ms", \.presenceHold, "how long a user counts as online after the connection broke"),
            length(
                "heartbeat-interval-ms", \.heartbeatInterval,
                "presence-hold-ms begins this long after the last frame of a silent connection; the clients' own "
                    + "interval is "
                    + "'client policy heartbeat-interval-ms'"),
            length("login-overdue-ms", \.loginOverdueAfter, "a connection without a login ends after this"),
            flag("makes-accounts", \.makesAccounts, "an account is created when its name is first used"),
            flag("admits-without-credential", \.admitsWithoutCredential, "a login needs no token and no password"),
            flag("delivers-at-sync", \.deliversAtSync, "offline messages come with the sync, not with the login"),
            flag(
                "copies-to-own-devices", \.copiesToOwnDevices, "the user's other devices also get what one device sends"
            ),
            flag("has-account-calls", \.hasAccountCalls, "logins can be listed and ended without a login"),
            number("messages-stored-max", \.messagesStoredMax, "stored messages of an offline user"),
            number("inbox-bytes-max", \.inboxBytesMax, "bytes of stored messages of a device"),
            number(
                "sender-processes-max", \.senderProcessesMax, "processes of a device whose messages are distinguished"),
            number(
                "sender-gaps-max", \.senderGapsMax, "messages of a process that may arrive out of order"),
            number(
                "channel-replay-max", \.channelReplayMax,
                "number of missed channel messages replayed on return; 0: none"),
            length("channel-replay-age-ms", \.channelReplayAge, "the maximum age of replayed channel messages"),
            number(
                "tree-writes-max", \.treeWritesMax,
                "changes of the tree by a connection within the window; 0: any number"),
            length("tree-writes-window-ms", \.treeWritesWindow, "the time window of tree-writes-max"),
            number(
                "channel-replay-bytes-max", \.channelReplayBytesMax,
                "bytes of text stored for the replay, of all channels"),
            number("channel-members-max", \.channelMembersMax, "members of a channel"),
            number("channels-per-login-max", \.channelsPerLoginMax, "channels that a login may be in"),
            number("channel-count-max", \.channelCountMax, "channels of the server"),
            number("watched-count-max", \.watchedCountMax, "users whose presence a connection may watch"),
            number("attribute-count-max", \.attributeCountMax, "attributes of a user or a channel"),
            number("attribute-name-bytes-max", \.attributeNameBytesMax, "bytes of an attribute's name"),
            number("attribute-value-bytes-max", \.attributeValueBytesMax, "bytes of an attribute's value"),
            number("attribute-bytes-max", \.attributeBytesMax, "bytes of the attributes of a user"),
            number("channel-attribute-bytes-max", \.channelAttributeBytesMax, "bytes of the attributes of a channel"),
            number("sync-items-max", \.syncItemCountMax, "items of one kind that an account has for a sync"),
            length(
                "given-up-after-ms", \.givenUpAfter,
                "a device that was away this long loses its oldest messages when its inbox is full"),
            flag("ends-other-instances", \.endsOtherInstances, "another instance on the device is another login"),
            flag(
                "has-user-data", \.hasUserData,
                "the server stores friends, groups, conversations and messages for devices"),
            flag(
                "tells-operations", \.tellsOperations,
                "the other devices get a change of that data on one device as an operation"),
            flag(
                "sends-receipts", \.sendsReceipts,
                "a sender's devices are notified when a message arrives, or the other user reads the conversation"),
            flag("sync-brings-data", \.syncBringsData, "a sync transfers that data in its phases"),
            number(
                "changes-kept-max", \.changesKeptMax,
                "stored changes of a user's data; beyond that the oldest message is removed"),
            number("account-count-max", \.accountCountMax, "accounts"),
            number("connection-count-max", \.connectionCountMax, "connections at once"),
        ]

    private static let exclusions: [(name: String, meaning: String)] = [
        ("mobile-desktop", "phones exclude phones, computers exclude computers and browsers"),
        ("single", "one device only"), ("unlimited", "up to device-count-max; one more login ends the earliest"),
        ("none", "the server ends no login"), ("dual", "one browser and one other device"),
        ("multi", "Android and iOS exclude each other, Windows and Mac exclude each other"),
        ("per-platform", "device-count-max devices of each platform"),
    ]
    private static let takenPlaces: [(name: String, meaning: String)] = [
        ("kicked", "the device gets a kick"),
        ("kick-current", "it counts as a login and ends the earliest other login"),
        ("keep-current", "it fails and ends no login"),
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

    /// The meaning of each choice, one a line; nil without choices.
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
