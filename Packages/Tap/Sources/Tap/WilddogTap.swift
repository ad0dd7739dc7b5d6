#if canImport(WilddogSync)
    import Foundation
    import WilddogSync

    /// Writes an app's reads and writes through Wilddog Sync. Keys and values are written as opaque ids; those of
    /// `.info`, Boolean values and null are written unchanged.
    public final class WilddogTap: @unchecked Sendable {
        private let tap: Tap
        private let sync: WDGSync

        public init(_ tap: Tap, _ sync: WDGSync) {
            self.tap = tap
            self.sync = sync
        }

        // MARK: Calls and callbacks

        @discardableResult
        public func observeValue(
            at path: String, with block: @escaping (WDGDataSnapshot) -> Void
        ) -> WDGSyncHandle {
            let name = opaque(path)
            let id = tap.call("sync", ["verb": "on", "path": name])
            tap.result("sync", of: id, code: 0)
            return sync.reference(withPath: path).observe(.value) { [self] snapshot in
                tap.callback("valueChanged", ["path": name, "value": value(snapshot.value, of: path)])
                block(snapshot)
            }
        }

        public func removeObserver(at path: String, withHandle handle: WDGSyncHandle) {
            let id = tap.call("sync", ["verb": "off", "path": opaque(path)])
            sync.reference(withPath: path).removeObserver(withHandle: handle)
            tap.result("sync", of: id, code: 0)
        }

        public func setValue(_ value: Any?, at path: String, completion: (((any Error)?) -> Void)? = nil) {
            let id = tap.call(
                "sync", ["verb": "set", "path": opaque(path), "value": self.value(value, of: path)])
            sync.reference(withPath: path).setValue(value) { [tap] error, _ in
                tap.result("sync", of: id, code: Self.code(error))
                completion?(error)
            }
        }

        public func onDisconnectSetValue(_ value: Any?, at path: String, completion: (((any Error)?) -> Void)? = nil) {
            let id = tap.call(
                "on-disconnect",
                ["verb": "on-disconnect", "path": opaque(path), "value": self.value(value, of: path)])
            sync.reference(withPath: path).onDisconnectSetValue(value) { [tap] error, _ in
                tap.result("on-disconnect", of: id, code: Self.code(error))
                completion?(error)
            }
        }

        private static func code(_ error: (any Error)?) -> Int { error.map { ($0 as NSError).code } ?? 0 }

        private func opaque(_ path: String) -> String {
            guard !path.hasPrefix(".info") else { return path }
            return path.split(separator: "/").map { tap.id(String($0)) }.joined(separator: "/")
        }

        private func value(_ value: Any?, of path: String) -> String {
            guard let value, !(value is NSNull) else { return "null" }
            if let flag = value as? Bool { return flag ? "true" : "false" }
            return path.hasPrefix(".info") ? "\(value)" : "\"\(tap.id("\(value)"))\""
        }
    }
#endif
