import IMClient
import IMProfiles
import IMProtocol
import SansIO

/// Settings of the client and of the server that may differ from the profile.
package struct ClientNumbers: Hashable, Sendable {
    /// A setting: a key of `client policy` or `server policy`, and its value.
    package struct Setting: Hashable, Sendable {
        package var key: String
        package var value: String

        package init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }

        var text: String { "\(key)=\(value)" }
    }

    /// A setting that was estimated from a log, with the number of lines from which it was estimated.
    package struct Estimate: Sendable {
        package var setting: Setting
        package var count: Int

        package init(_ key: String, _ value: String, count: Int) {
            setting = Setting(key, value)
            self.count = count
        }
    }

    /// Settings for `client new --policy`.
    package var client: [Setting]
    /// Settings for `server policy`.
    package var server: [Setting] = []
    /// The estimated settings, if ``lengthen()`` replaced them by longer delays; otherwise empty.
    private var estimatedSettings: [Setting] = []
    /// True if the delays between attempts are random. Then each delay is taken from the log, not from the policy.
    var hasRandomDelays: Bool { !estimatedSettings.isEmpty }

    package init(client: [Setting], server: [Setting] = []) {
        self.client = client
        self.server = server
    }

    /// The settings that were estimated from a log and differ from the profile's values.
    ///
    /// - Parameter observations: the minimum number of observations; other settings keep the profile's value.
    /// - Returns: the settings that differ; nil if there are none.
    init?(estimated: [Estimate], profile: String, observations: Int = 1) {
        guard let usual = Dialects.named(profile)?.clientPolicy else { return nil }
        client = estimated.filter { $0.count >= observations }.map(\.setting).filter { setting in
            guard let known = ClientPolicy.setting(named: setting.key),
                known.set(setting.value, in: usual) != nil
            else { return false }
            return !Self.isNear(setting, known.text(usual), isRandom: usual.retryJitterPerMille > 0)
        }
        if client.isEmpty { return nil }
        for index in client.indices where client[index].key == Self.delaysKey {
            client[index].value = Self.completed(client[index].value, usual)
        }
        if usual.announcesLoginSteps { lengthen() }
    }

    /// Makes random delays longer than all those in the log. A return of the network then ends each delay at the time
    /// in the log.
    private mutating func lengthen() {
        let jitter = client.first { $0.key == Self.jitterKey }.flatMap { Int64($0.value) } ?? 0
        guard jitter > 30 else { return }
        estimatedSettings = client
        client.removeAll { $0.key == Self.jitterKey }
        for index in client.indices where client[index].key == Self.delaysKey {
            let delays = client[index].value.split(separator: ",").compactMap { Int64($0) }
            let longer = delays.map { min($0 * (1050 + jitter) / 1000 + 200, max(delays.max() ?? 0, $0 + 200)) }
            client[index].value = longer.map(String.init).joined(separator: ",")
        }
    }

    private static let jitterKey = "retry-jitter-per-mille"
    private static let delaysKey = "retry-delays-ms"

    /// Completes a list of delays, if the log shows only the first ones. The missing delays are those of the profile,
    /// multiplied by the ratio of the last delay in the log to the profile's.
    private static func completed(_ delays: String, _ usual: ClientPolicy) -> String {
        let own = delays.split(separator: ",").compactMap { Int64($0) }
        let others = usual.retryDelays.map(\.inMilliseconds)
        guard let last = own.last, own.count < others.count else { return delays }
        let base = max(1, others[own.count - 1])
        let later = others[own.count...].map { max(last, $0 * last / base) }
        return (own + later).map(String.init).joined(separator: ",")
    }

    /// True if a setting differs from the profile's value by at most an eighth, or by a fiftieth for times that are not
    /// random. Of a list of values, only the first ones may be known.
    private static func isNear(_ setting: Setting, _ usual: String, isRandom: Bool) -> Bool {
        let isExact = setting.key == "attempt-time-limit-ms" || setting.key == delaysKey && !isRandom
        let (part, slack): (Int64, Int64) = isExact ? (50, 100) : (8, setting.key == jitterKey ? 100 : 0)
        let (own, others) = (setting.value.split(separator: ","), usual.split(separator: ","))
        for (index, text) in own.enumerated() {
            guard let other = index < others.count ? others[index] : others.last else { return false }
            guard let number = Int64(text), let usual = Int64(other) else {
                if text != other { return false }
                continue
            }
            if abs(number - usual) > max(usual / part, slack) { return false }
        }
        return true
    }

    /// The profile's policy with these settings; nil if no setting of the client differs.
    func policy(of profile: String) -> ClientPolicy? {
        guard !client.isEmpty, var policy = Dialects.named(profile)?.clientPolicy else { return nil }
        for setting in client {
            policy = ClientPolicy.setting(named: setting.key)?.set(setting.value, in: policy) ?? policy
        }
        return policy
    }

    /// The settings for display, with the profile's values: `host-count=1 (agora-chat: 10)`.
    func text(_ profile: String) -> String {
        let usual = Dialects.named(profile)?.clientPolicy
        return (estimatedSettings.isEmpty ? client : estimatedSettings).map { setting in
            let value = usual.flatMap { ClientPolicy.setting(named: setting.key)?.text($0) }
            return setting.text + (value.map { " (\(profile): \($0))" } ?? "")
        }.joined(separator: ", ")
            + (server.isEmpty ? "" : "; of the server: " + server.map(\.text).joined(separator: ", "))
    }

    /// The options of `client new` for these settings.
    var options: String {
        client.isEmpty ? "" : " --policy " + client.map(\.text).joined(separator: " --policy ")
    }

    /// The cost of a candidate whose settings differ from the profile's.
    static let cost = 1.5
}
