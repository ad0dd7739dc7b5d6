import IMProtocol
import SansIO

/// A property of a client's policy that a user can set: `client policy KEY=VALUE`. It applies to clients that are made
/// afterwards.
public struct ClientSetting: Sendable {
    /// The name that a user types.
    public var key: String
    /// A description of its values.
    public var takes: String
    /// A description of its effect.
    public var meaning: String
    /// True if its values are durations in milliseconds.
    public var isTime: Bool
    /// The value as text for `client policy`.
    public var text: @Sendable (ClientPolicy) -> String
    /// Nil for an invalid value.
    var change: @Sendable (ClientPolicy, String) -> ClientPolicy?

    /// The policy with another value of this setting; nil for an invalid value.
    public func set(_ value: String, in policy: ClientPolicy) -> ClientPolicy? {
        change(policy, value).flatMap { $0.validationError == nil ? $0 : nil }
    }

    /// The settings in which a policy differs from another one, as `key=value`.
    public static func differences(of policy: ClientPolicy, from usual: ClientPolicy) -> [String] {
        all.compactMap { setting in
            let value = setting.text(policy)
            return value == setting.text(usual) ? nil : "\(setting.key)=\(value)"
        }
    }

    /// The setting of a key; nil if there is none.
    public static func named(_ key: String) -> ClientSetting? { all.first { $0.key == key } }

    /// All settings.
    public static let all: [ClientSetting] = [
        time("attempt-time-limit-ms", \.attemptTimeLimit, "a login attempt fails after this"),
        ClientSetting(
            key: "retry-delays-ms", takes: "durations, separated by commas",
            meaning: "the delays before the retries; the last one repeats", isTime: true,
            text: { $0.retryDelays.map { String($0.inMilliseconds) }.joined(separator: ",") },
            change: { policy, value in
                let parts = value.split(separator: ",", omittingEmptySubsequences: false)
                let delays = parts.compactMap { milliseconds($0) }
                guard delays.count == parts.count, delays.count <= PolicyLimit.listCountMax else { return nil }
                return changed(policy, \.retryDelays, delays)
            }),
        ClientSetting(
            key: "retry-jitter-per-mille", takes: "a number from 0 to 1000",
            meaning: "the random part of a delay, in thousandths", isTime: false,
            text: { String($0.retryJitterPerMille) },
            change: { policy, value in
                Int64(value).flatMap {
                    (0...1000).contains($0) ? changed(policy, \.retryJitterPerMille, $0) : nil
                }
            }),
        ClientSetting(
            key: "retry-count-max", takes: "a number from 0 to \(PolicyLimit.countMax)",
            meaning: "failed retries after which the SDK gives up; 0: no limit", isTime: false,
            text: { String($0.retryCountMax) },
            change: { policy, value in Int(value).map { changed(policy, \.retryCountMax, $0) } }),
        ClientSetting(
            key: "first-retry-waits", takes: "true|false",
            meaning: "the first retry after a lost link also waits; false: it follows at once after stable-after-ms",
            isTime: false, text: { String($0.firstRetryWaits) },
            change: { policy, value in Bool(value).map { changed(policy, \.firstRetryWaits, $0) } }),
        ClientSetting(
            key: "kick-logs-out", takes: "true|false", meaning: "a kick also logs the SDK out", isTime: false,
            text: { String($0.kickLogsOut) },
            change: { policy, value in Bool(value).map { changed(policy, \.kickLogsOut, $0) } }),
        ClientSetting(
            key: "host-count", takes: "a number from 1 to 100",
            meaning: "the hosts to try, one after the other, while they refuse the connection", isTime: false,
            text: { String($0.hostCount) },
            change: { policy, value in
                Int(value).flatMap { (1...100).contains($0) ? changed(policy, \.hostCount, $0) : nil }
            }),
        ClientSetting(
            key: "login-replaces-retries", takes: "platforms, separated by commas, or none",
            meaning: "the platforms on which a login during an outage replaces the login that retries", isTime: false,
            text: { policy in
                let names = policy.loginReplacesRetries.map(\.name)
                return names.isEmpty ? "none" : names.joined(separator: ",")
            },
            change: { policy, value in
                let names = value == "none" ? [] : value.split(separator: ",", omittingEmptySubsequences: false)
                let platforms = names.compactMap { name in Platform.allCases.first { $0.name == name } }
                return platforms.count == names.count ? changed(policy, \.loginReplacesRetries, platforms) : nil
            }),
        time("stable-after-ms", \.stableAfter, "after a link breaks later than this, the first retry does not wait"),
        time("interruption-grace-ms", \.interruptionGrace, "a broken link is reported to the app after this"),
        time("heartbeat-interval-ms", \.heartbeatInterval, "the time between two heartbeats, the first one of a link"),
        time("heartbeat-growth-ms", \.heartbeatGrowth, "each answered heartbeat adds this to the interval"),
        time(
            "heartbeat-interval-max-ms", \.heartbeatIntervalMax,
            "the longest interval that heartbeat-growth-ms can reach"),
        time(
            "heartbeat-answer-limit-ms", \.heartbeatAnswerLimit,
            "a link is dead if a heartbeat gets no answer within this"),
        time("silence-limit-ms", \.silenceLimit, "a link is dead after this time without a frame; 0: not used"),
        time("request-time-limit-ms", \.requestTimeLimit, "a call without an answer fails after this"),
        time("message-time-limit-ms", \.messageTimeLimit, "a message fails after this, including the wait for a link"),
        time("read-time-limit-ms", \.readTimeLimit, "a read of the tree waits this long for a link"),
        time("logout-time-limit-ms", \.logoutTimeLimit, "a logout waits this long for the server's answer"),
        time("offline-token-min-ms", \.offlineTokenMin, "an offline login needs a token that is valid for this long"),
    ]

    private static func time(
        _ key: String, _ path: any WritableKeyPath<ClientPolicy, Interval> & Sendable, _ meaning: String
    ) -> ClientSetting {
        ClientSetting(
            key: key, takes: "a duration", meaning: meaning, isTime: true,
            text: { String($0[keyPath: path].inMilliseconds) },
            change: { policy, value in milliseconds(value).map { changed(policy, path, $0) } })
    }

    private static func milliseconds(_ text: some StringProtocol) -> Interval? {
        let most = PolicyLimit.durationMax.inMilliseconds
        return Int64(text).flatMap { (0...most).contains($0) ? .milliseconds($0) : nil }
    }

    private static func changed<Value>(
        _ policy: ClientPolicy, _ path: WritableKeyPath<ClientPolicy, Value>, _ value: Value
    ) -> ClientPolicy {
        var policy = policy
        policy[keyPath: path] = value
        return policy
    }
}
