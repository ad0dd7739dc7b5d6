import IMProtocol
import SansIO

// The settings that `server policy` can change. A new value applies to all later decisions, not to earlier ones.

extension ServerPolicy: SettablePolicy {
    /// All settings, in the order of help.
    public static let settings: [PolicySetting<ServerPolicy>] = [
        .choice("exclusion", \.exclusion, "which devices of an account cannot be online together", exclusions),
        .number("device-count-max", \.deviceCountMax, "devices of an account that may be online at once"),
        .number("devices-kept-max", \.devicesKeptMax, "devices of an account that the server stores"),
        .choice("taken-place", \.takenPlace, "the result of a reconnect if its device slot is taken", takenPlaces),
        .flag(
            "tells-device-changed", \.tellsDeviceChanged,
            "a refused device whose single slot is taken gets device-changed instead of too-many-devices"),
        .flag(
            "tells-ends-as-refusals", \.tellsEndsAsRefusals,
            "a device that returns after a ban, a removal or a new password gets a refused login"),
        .flag("password-change-ends-logins", \.passwordChangeEndsLogins, "a new password ends the account's logins"),
        .flag("offline-frees-place", \.offlineFreesPlace, "an offline device occupies no slot"),
        .flag(
            "checks-last-device", \.checksLastDevice,
            "an automatic login is refused after another device of its group was used"),
        .number("login-rate-max", \.loginRateMax, from: 0, "logins of a device within the window; 0: any number"),
        time("login-rate-window-ms", \.loginRateWindow, from: 1, "the time window of login-rate-max"),
        time(
            "login-rate-penalty-ms", \.loginRatePenalty, from: 0, "how long a device is refused after too many logins"),
        .flag("token-expiry-ends-login", \.tokenExpiryEndsLogin, "the expiry of a token ends the login"),
        time("silence-limit-ms", \.silenceLimit, from: 1, "a connection is dead after this time without a frame"),
        time(
            "push-after-ms", \.pushAfter, from: 0,
            "a message is pushed if a device does not confirm it in this time; 0: only when its connection ends"),
        .flag(
            "break-waits-for-silence", \.breakWaitsForSilence,
            "a connection that breaks without a goodbye frame ends only after silence-limit-ms"),
        time(
            "presence-hold-ms", \.presenceHold, from: 0, "how long a user counts as online after the connection broke"),
        time(
            "heartbeat-interval-ms", \.heartbeatInterval, from: 1,
            "presence-hold-ms begins this long after the last frame of a silent connection; the clients' "
                + "own interval is 'client policy heartbeat-interval-ms'"),
        time("login-overdue-ms", \.loginOverdueAfter, from: 1, "a connection without a login ends after this"),
        .flag("makes-accounts", \.makesAccounts, "an account is created when its name is first used"),
        .flag("admits-without-credential", \.admitsWithoutCredential, "a login needs no token and no password"),
        .flag("delivers-at-sync", \.deliversAtSync, "offline messages come with the sync, not with the login"),
        .flag("copies-to-own-devices", \.copiesToOwnDevices, "the user's other devices also get what one device sends"),
        .flag("has-account-calls", \.hasAccountCalls, "logins can be listed and ended without a login"),
        .number("messages-stored-max", \.messagesStoredMax, "stored messages of an offline user"),
        .number("inbox-bytes-max", \.inboxBytesMax, to: 1 << 30, "bytes of stored messages of a device"),
        .number("sender-processes-max", \.senderProcessesMax, "processes of a device whose messages are distinguished"),
        .number("sender-gaps-max", \.senderGapsMax, from: 0, "messages of a process that may arrive out of order"),
        .number(
            "channel-replay-max", \.channelReplayMax, from: 0,
            "number of missed channel messages replayed on return; 0: none"),
        time("channel-replay-age-ms", \.channelReplayAge, from: 0, "the maximum age of replayed channel messages"),
        .number(
            "tree-writes-max", \.treeWritesMax, from: 0,
            "changes of the tree by a connection within the window; 0: any number"),
        time("tree-writes-window-ms", \.treeWritesWindow, from: 1, "the time window of tree-writes-max"),
        .number(
            "channel-replay-bytes-max", \.channelReplayBytesMax, from: 0, to: 1 << 30,
            "bytes of text stored for the replay, of all channels"),
        .number("channel-members-max", \.channelMembersMax, "members of a channel"),
        .number("channels-per-login-max", \.channelsPerLoginMax, "channels that a login may be in"),
        .number("channel-count-max", \.channelCountMax, "channels of the server"),
        .number("watched-count-max", \.watchedCountMax, "users whose presence a connection may watch"),
        .number("attribute-count-max", \.attributeCountMax, from: 0, "attributes of a user or a channel"),
        .number(
            "attribute-name-bytes-max", \.attributeNameBytesMax, to: ProtocolLimit.nameBytesMax,
            "bytes of an attribute's name"),
        .number(
            "attribute-value-bytes-max", \.attributeValueBytesMax, from: 0, to: attributeBytesLimit,
            "bytes of an attribute's value"),
        .number(
            "attribute-bytes-max", \.attributeBytesMax, from: 0, to: attributeBytesLimit,
            "bytes of the attributes of a user"),
        .number(
            "channel-attribute-bytes-max", \.channelAttributeBytesMax, from: 0, to: attributeBytesLimit,
            "bytes of the attributes of a channel"),
        .number("sync-items-max", \.syncItemCountMax, "items of one kind that an account has for a sync"),
        time(
            "given-up-after-ms", \.givenUpAfter, from: 0,
            "a device that was away this long loses its oldest messages when its inbox is full"),
        .flag("ends-other-instances", \.endsOtherInstances, "another instance on the device is another login"),
        .flag(
            "has-user-data", \.hasUserData,
            "the server stores friends, groups, conversations and messages for devices"),
        .flag(
            "tells-operations", \.tellsOperations,
            "the other devices get a change of that data on one device as an operation"),
        .flag(
            "sends-receipts", \.sendsReceipts,
            "a sender's devices are notified when a message arrives, or the other user reads the conversation"),
        .flag("sync-brings-data", \.syncBringsData, "a sync transfers that data in its phases"),
        .number(
            "changes-kept-max", \.changesKeptMax,
            "stored changes of a user's data; beyond that the oldest message is removed"),
        .number("account-count-max", \.accountCountMax, "accounts"),
        .number("connection-count-max", \.connectionCountMax, "connections at once"),
    ]

    /// All attributes of a user or channel must fit into one frame.
    private static let attributeBytesLimit = 48 << 10

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

    private static func time(
        _ key: String, _ property: any WritableKeyPath<ServerPolicy, Interval> & Sendable, from least: Int64,
        _ meaning: String
    ) -> PolicySetting<ServerPolicy> {
        .duration(key, property, from: least, meaning, takes: "milliseconds")
    }
}

extension ServerMachine {
    mutating func setPolicy(_ key: String, _ value: String) -> Status {
        guard let setting = ServerPolicy.setting(named: key) else { return .notFound }
        guard let changed = setting.set(value, in: policy) else { return .invalidArgument }
        policy = changed
        return .ok
    }
}
