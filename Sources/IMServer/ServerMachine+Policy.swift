import IMProtocol
import SansIO

// The changes that `server policy` makes. A change applies from the next decision on.

extension ServerMachine {
    /// A property of the policy under the name that a user types.
    struct PolicyKey {
        var key: String
        var takes: String
        /// The minimum and the maximum of a duration, in milliseconds.
        var milliseconds: ClosedRange<Int64>?
        /// True if the policy's value is in the allowed range: policies from files are checked by the same table.
        var allows: (ServerPolicy) -> Bool
        /// Nil for an invalid value.
        var change: (ServerPolicy, String) -> ServerPolicy?
    }

    /// A set of attributes is sent in one frame.
    static let attributeBytesLimit = 48 << 10

    /// The `takes` text of a duration.
    public static let takesMilliseconds = "milliseconds"

    /// The names that `server policy` accepts, with their value types.
    public static var policyKeys: [(key: String, takes: String)] { keys.map { ($0.key, $0.takes) } }

    /// The minimum and the maximum of a duration, in milliseconds; nil for a key that is not a duration.
    public static func millisecondsRange(of key: String) -> ClosedRange<Int64>? {
        keys.first { $0.key == key }?.milliseconds
    }

    static var keys: [PolicyKey] {
        [
            choice("exclusion", \.exclusion), count("device-count-max", \.deviceCountMax, from: 1),
            count("devices-kept-max", \.devicesKeptMax, from: 1),
            choice("taken-place", \.takenPlace), flag("tells-device-changed", \.tellsDeviceChanged),
            flag("tells-ends-as-refusals", \.tellsEndsAsRefusals),
            flag("password-change-ends-logins", \.passwordChangeEndsLogins),
            flag("offline-frees-place", \.offlineFreesPlace),
            flag("checks-last-device", \.checksLastDevice), count("login-rate-max", \.loginRateMax, from: 0),
            duration("login-rate-window-ms", \.loginRateWindow, from: 1),
            duration("login-rate-penalty-ms", \.loginRatePenalty, from: 0),
            flag("token-expiry-ends-login", \.tokenExpiryEndsLogin),
            duration("silence-limit-ms", \.silenceLimit, from: 1),
            duration("push-after-ms", \.pushAfter, from: 0),
            flag("break-waits-for-silence", \.breakWaitsForSilence),
            duration("presence-hold-ms", \.presenceHold, from: 0),
            duration("heartbeat-interval-ms", \.heartbeatInterval, from: 1),
            duration("login-overdue-ms", \.loginOverdueAfter, from: 1), flag("makes-accounts", \.makesAccounts),
            flag("admits-without-credential", \.admitsWithoutCredential),
            flag("delivers-at-sync", \.deliversAtSync), flag("copies-to-own-devices", \.copiesToOwnDevices),
            flag("has-account-calls", \.hasAccountCalls),
            count("messages-stored-max", \.messagesStoredMax, from: 1),
            count("inbox-bytes-max", \.inboxBytesMax, from: 1, to: 1 << 30),
            count("sender-processes-max", \.senderProcessesMax, from: 1),
            count("sender-gaps-max", \.senderGapsMax, from: 0),
            count("channel-replay-max", \.channelReplayMax, from: 0),
            duration("channel-replay-age-ms", \.channelReplayAge, from: 0),
            count("tree-writes-max", \.treeWritesMax, from: 0),
            duration("tree-writes-window-ms", \.treeWritesWindow, from: 1),
            count("channel-replay-bytes-max", \.channelReplayBytesMax, from: 0, to: 1 << 30),
            count("channel-members-max", \.channelMembersMax, from: 1),
            count("channels-per-login-max", \.channelsPerLoginMax, from: 1),
            count("channel-count-max", \.channelCountMax, from: 1),
            count("watched-count-max", \.watchedCountMax, from: 1),
            count("attribute-count-max", \.attributeCountMax, from: 0),
            count("attribute-name-bytes-max", \.attributeNameBytesMax, from: 1, to: ProtocolLimit.nameBytesMax),
            count(
                "attribute-value-bytes-max", \.attributeValueBytesMax, from: 0, to: ServerMachine.attributeBytesLimit),
            count("attribute-bytes-max", \.attributeBytesMax, from: 0, to: ServerMachine.attributeBytesLimit),
            count(
                "channel-attribute-bytes-max", \.channelAttributeBytesMax, from: 0,
                to: ServerMachine.attributeBytesLimit),
            count("sync-items-max", \.syncItemCountMax, from: 1),
            duration("given-up-after-ms", \.givenUpAfter, from: 0),
            flag("ends-other-instances", \.endsOtherInstances),
            flag("has-user-data", \.hasUserData), flag("tells-operations", \.tellsOperations),
            flag("sends-receipts", \.sendsReceipts),
            flag("sync-brings-data", \.syncBringsData),
            count("changes-kept-max", \.changesKeptMax, from: 1),
            count("account-count-max", \.accountCountMax, from: 1),
            count("connection-count-max", \.connectionCountMax, from: 1),
        ]
    }

    mutating func setPolicy(_ key: String, _ value: String) -> Status {
        guard let known = ServerMachine.keys.first(where: { $0.key == key }) else { return .notFound }
        guard let changed = known.change(policy, value) else { return .invalidArgument }
        policy = changed
        return .ok
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, _ property: WritableKeyPath<ServerPolicy, Choice>
    ) -> PolicyKey where Choice.RawValue == String {
        PolicyKey(
            key: key, takes: Choice.allCases.map(\.rawValue).joined(separator: "|"), allows: { _ in true },
            change: { policy, value in Choice(rawValue: value).map { set(policy, property, $0) } })
    }

    private static func flag(_ key: String, _ property: WritableKeyPath<ServerPolicy, Bool>) -> PolicyKey {
        PolicyKey(
            key: key, takes: "true|false", allows: { _ in true },
            change: { policy, value in Bool(value).map { set(policy, property, $0) } })
    }

    private static func count(
        _ key: String, _ property: WritableKeyPath<ServerPolicy, Int>, from least: Int,
        to most: Int = PolicyLimit.countMax
    ) -> PolicyKey {
        let range = least...most
        return PolicyKey(
            key: key, takes: "a number from \(least) to \(most)", allows: { range.contains($0[keyPath: property]) },
            change: { policy, value in Int(value).flatMap { range.contains($0) ? set(policy, property, $0) : nil } })
    }

    private static func duration(
        _ key: String, _ property: WritableKeyPath<ServerPolicy, Interval>, from least: Int64
    ) -> PolicyKey {
        let range = Interval.milliseconds(least)...PolicyLimit.durationMax
        return PolicyKey(
            key: key, takes: takesMilliseconds,
            milliseconds: least...(PolicyLimit.durationMax.nanoseconds / 1_000_000),
            allows: { range.contains($0[keyPath: property]) },
            change: { policy, value in
                Int64(value).map(Interval.milliseconds).flatMap { range.contains($0) ? set(policy, property, $0) : nil }
            })
    }

    private static func set<Value>(
        _ policy: ServerPolicy, _ property: WritableKeyPath<ServerPolicy, Value>, _ value: Value
    ) -> ServerPolicy {
        var changed = policy
        changed[keyPath: property] = value
        return changed
    }
}
