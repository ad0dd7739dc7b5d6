import Foundation
import IMClient
import IMProtocol
import IMServer
import SansIO

// Reads start events of older versions, which lack newer values. Such a recording is not replayed, but can be shown.

extension StartRecord.Body {
    /// Reads the initial values of a node. If an older version did not write a value, it gets the default that it has
    /// in a profile without a setting for it.
    ///
    /// - Throws: ``RecordError`` if the JSON is not the initial values of a node.
    static func read(_ json: [UInt8]) throws -> Self {
        do {
            return try CanonicalJSON.decode(Self.self, from: json)
        } catch {
            guard let old = try? JSONSerialization.jsonObject(with: Data(json)) as? [String: Any],
                old["server"] != nil || old["client"] != nil,
                let filled = try? JSONSerialization.data(withJSONObject: filling(old, from: defaults(of: old)))
            else { throw error }
            return try CanonicalJSON.decode(Self.self, from: Array(filled))
        }
    }

    /// The JSON of a node of the same kind, made from a profile that sets only the required values.
    private static func defaults(of old: [String: Any]) throws -> [String: Any] {
        var policy = ServerPolicy(profile: "", exclusion: .none)
        // The JSON of an older version without the key means nil, not this property's newer default.
        policy.tokenLifetime = nil
        let body: Self =
            old["server"] != nil
            ? .server(ServerMachine(policy: policy, epochMilliseconds: 0))
            : .client(
                policy: ClientPolicy(profile: "", retryDelays: []), device: Device(id: "", platform: .ios),
                local: LocalData(), seed: 0, firstConnection: ConnectionID(1), nonce: nil)
        let json = try CanonicalJSON.encode(body)
        return try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any] ?? [:]
    }

    private static func filling(_ old: [String: Any], from defaults: [String: Any]) -> [String: Any] {
        var filled = old
        // A JSON object with one key is an enum, and the key is its case. A default for another case does not apply.
        if old.count == 1, defaults.count == 1, old.keys != defaults.keys { return old }
        for (name, value) in defaults {
            if let old = old[name] as? [String: Any], let value = value as? [String: Any] {
                filled[name] = filling(old, from: value)
            } else if old[name] == nil {
                filled[name] = value
            }
        }
        return filled
    }
}
