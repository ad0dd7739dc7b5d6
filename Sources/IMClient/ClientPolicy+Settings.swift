import IMProtocol
import SansIO

// The settings of the command `client policy`. A changed setting applies to clients that are started afterwards.

extension ClientPolicy: SettablePolicy {
    /// All settings, in the order in which help lists them.
    public static let settings: [PolicySetting<ClientPolicy>] = [
        time("attempt-time-limit-ms", \.attemptTimeLimit, "a login attempt fails after this"),
        PolicySetting(
            "retry-delays-ms", \.retryDelays, "the delays before the retries; the last one repeats",
            takes: "durations, separated by commas", milliseconds: 1...PolicyLimit.durationMax.inMilliseconds,
            text: { list($0.map { String($0.inMilliseconds) }) },
            parse: { elements($0) { Int64($0).map(Interval.milliseconds) } },
            allows: { delays in
                delays.count <= PolicyLimit.listCountMax
                    && delays.allSatisfy((PolicyLimit.periodMin...PolicyLimit.durationMax).contains)
            }),
        .number(
            "retry-jitter-per-mille", \.retryJitterPerMille, from: 0, to: 1000,
            "the random part of a delay, in thousandths"),
        .number(
            "retry-count-max", \.retryCountMax, from: 0, "failed retries after which the SDK gives up; 0: no limit"),
        .flag(
            "first-retry-waits", \.firstRetryWaits,
            "the first retry after a lost link also waits; false: it follows at once after stable-after-ms"),
        .flag("kick-logs-out", \.kickLogsOut, "a kick also logs the SDK out"),
        .number(
            "host-count", \.hostCount, to: 100,
            "the hosts to try, one after the other, while they refuse the connection"),
        PolicySetting(
            "login-replaces-retries", \.loginReplacesRetries,
            "the platforms on which a login during an outage replaces the login that retries",
            takes: "platforms, separated by commas, or none",
            text: { $0.isEmpty ? "none" : list($0.map(\.name)) },
            parse: { text in
                text == "none" ? [] : elements(text) { name in Platform.allCases.first { $0.name == name } }
            }),
        PolicySetting(
            "token-provider", \.tokenProvider,
            "the app's function that the SDK calls for a token in each attempt (NIM V2): none, one that returns "
                + "a new token, or one that fails",
            takes: "none, fresh or fails", text: { $0?.rawValue ?? "none" },
            parse: { $0 == "none" ? .some(nil) : TokenProvider(rawValue: $0).map(Optional.some) }),
        time("stable-after-ms", \.stableAfter, "after a link breaks later than this, the first retry does not wait"),
        time("interruption-grace-ms", \.interruptionGrace, "a broken link is reported to the app after this"),
        time(
            "heartbeat-interval-ms", \.heartbeatInterval, from: 1,
            "the time between two heartbeats, the first one of a link"),
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
        _ key: String, _ property: any WritableKeyPath<ClientPolicy, Interval> & Sendable, from least: Int64 = 0,
        _ meaning: String
    ) -> PolicySetting<ClientPolicy> {
        .duration(key, property, from: least, meaning, takes: "a duration")
    }

    private static func list(_ elements: [String]) -> String { elements.joined(separator: ",") }

    /// The elements of a text that separates them by commas; nil if an element is invalid.
    private static func elements<Element>(_ text: String, _ parse: (String) -> Element?) -> [Element]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let elements = parts.compactMap { parse(String($0)) }
        return elements.count == parts.count ? elements : nil
    }
}
