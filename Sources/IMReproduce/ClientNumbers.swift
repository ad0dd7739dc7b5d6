import IMClient
import IMDialects
import IMProtocol
import SansIO

/// Settings of the client and of the server in which an app may differ from the profile.
package struct ClientNumbers: Hashable, Sendable {
    /// A key of `client policy` or `server policy`, with its value.
    package struct Setting: Hashable, Sendable {
        package var key: String
        package var value: String

        package init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }

        var text: String { "\(key)=\(value)" }
    }

    /// As `client new --policy` takes them.
    package var client: [Setting]
    /// As `server policy` takes them.
    package var server: [Setting] = []

    package init(client: [Setting], server: [Setting] = []) {
        self.client = client
        self.server = server
    }

    /// Settings that were estimated from a log, without those that are near the profile's values.
    ///
    /// - Returns: nil if no setting differs.
    init?(estimated: [Setting], profile: String) {
        guard let usual = Dialects.named(profile)?.clientPolicy else { return nil }
        client = estimated.filter { setting in
            guard let known = ClientSetting.named(setting.key),
                known.set(setting.value, in: usual) != nil
            else { return false }
            return !Self.isNear(setting.value, known.text(usual), per: setting.key.hasSuffix("-per-mille") ? 100 : 0)
        }
        if client.isEmpty { return nil }
    }

    /// Whether two lists of numbers differ by at most an eighth, as far as the first one goes.
    private static func isNear(_ first: String, _ second: String, per slack: Int64) -> Bool {
        let (own, others) = (first.split(separator: ","), second.split(separator: ","))
        for (index, text) in own.enumerated() {
            guard let other = index < others.count ? others[index] : others.last else { return false }
            guard let number = Int64(text), let usual = Int64(other) else {
                if text != other { return false }
                continue
            }
            if abs(number - usual) > max(usual / 8, slack) { return false }
        }
        return true
    }

    /// The profile's policy with these settings; nil for the profile's own numbers.
    func policy(of profile: String) -> ClientPolicy? {
        guard !client.isEmpty, var policy = Dialects.named(profile)?.clientPolicy else { return nil }
        for setting in client {
            policy = ClientSetting.named(setting.key)?.set(setting.value, in: policy) ?? policy
        }
        return policy
    }

    /// For an answer: `first-retry-waits=false, host-count=1`.
    var text: String {
        client.map(\.text).joined(separator: ", ")
            + (server.isEmpty ? "" : "; of the server: " + server.map(\.text).joined(separator: ", "))
    }

    /// As options of `client new`.
    var options: String {
        client.isEmpty ? "" : " --policy " + client.map(\.text).joined(separator: " --policy ")
    }

    /// A hypothesis about the policy costs as much as others.
    static let cost = 1.5
}
