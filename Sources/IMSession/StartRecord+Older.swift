import Foundation
import IMClient
import IMProtocol
import IMServer
import SansIO

// Recordings of older versions lack newer values: they are not replayed, but they can be shown.

extension StartRecord.Body {
    /// Reads the initial values of a node. A value that an older version did not write gets the default of a profile
    /// that does not set it.
    ///
    /// - Throws: ``RecordError``
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

    /// The same kind of node, made by a profile that sets only the required values.
    private static func defaults(of old: [String: Any]) throws -> [String: Any] {
        var policy = ServerPolicy(profile: "", exclusion: .none)
        // Nil is not written, so nil is its default.
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
        // An enum is an object whose only key is its case. If the cases differ, no default applies.
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
