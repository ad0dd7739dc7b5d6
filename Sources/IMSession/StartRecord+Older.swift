import Foundation
import IMClient
import IMProtocol
import IMServer
import SansIO

// Recordings of older versions lack what has come since: they are not played again, but they can be looked at.

extension StartRecord.Body {
    /// Reads what a node is made from. What an older version did not write has the value that stands where a profile
    /// says nothing of it.
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

    /// The same kind of node, as a profile makes it that says only what it must.
    private static func defaults(of old: [String: Any]) throws -> [String: Any] {
        let body: Self =
            old["server"] != nil
            ? .server(
                // What is nil is not written either, so nil is what stands for it.
                ServerMachine(
                    policy: ServerPolicy(profile: "", exclusion: .none, tokenLifetime: nil), epochMilliseconds: 0))
            : .client(
                policy: ClientPolicy(profile: "", retryDelays: []), device: Device(id: "", platform: .ios),
                local: LocalData(), seed: 0, firstConnection: ConnectionID(1), nonce: nil)
        let json = try CanonicalJSON.encode(body)
        return try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any] ?? [:]
    }

    private static func filling(_ old: [String: Any], from defaults: [String: Any]) -> [String: Any] {
        var filled = old
        // An enum is an object with its case as the only name: another case lacks nothing.
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
