import FirebaseCore
import Foundation
import WilddogSync

// Calls that Firebase has under another name than Wilddog, or alone.

extension WDGSync {
    /// The database of the default app, which has to be set up.
    public class func database() -> WDGSync { sync() }

    /// The database of the default app. One simulation has one tree, whatever the address.
    public class func database(url: String) -> WDGSync { sync() }

    /// The database of an app. All apps of a process share one tree and one connection.
    public class func database(app: FirebaseApp) -> WDGSync { sync(app: app) }

    /// The database of an app. One simulation has one tree, whatever the address.
    public class func database(app: FirebaseApp, url: String) -> WDGSync { sync(app: app) }

    /// True if data and writes outlive the process (SYNC-2). To be set before the first reference is made.
    public var isPersistenceEnabled: Bool {
        get { persistenceEnabled }
        set { persistenceEnabled = newValue }
    }

    /// Without effect: there is no server but the simulated one.
    public func useEmulator(withHost host: String, port: Int) {}
}

extension WDGSyncReference {
    /// The last key of the path. Nil for the root of the tree.
    public var key: String? { path.last }

    /// The database of the reference.
    public var database: WDGSync { sync }

    /// Writes a value that can be encoded.
    ///
    /// - Throws: the error of the encoding.
    public func setValue<Value: Encodable>(
        from value: Value, completion: (((any Error)?) -> Void)? = nil
    ) throws {
        let data = try JSONEncoder().encode(value)
        let object = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        setValue(object) { error, _ in completion?(error) }
    }
}

extension WDGSyncQuery {
    /// Reads the value once: from the server while there is a connection, otherwise the known value (SYNC-3).
    ///
    /// - Parameter block: receives the error and an empty snapshot if there is neither a connection nor a known value.
    public func getData(completion block: @escaping ((any Error)?, WDGDataSnapshot) -> Void) { get(block) }

    /// Like `getData(completion:)`, as an asynchronous call.
    ///
    /// - Throws: the error of the read.
    public nonisolated(nonsending) func getData() async throws -> WDGDataSnapshot {
        // Not a checked continuation: one of a killed process never resumes, and would be reported as a misuse.
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<WDGDataSnapshot, any Error>) in
            getData { error, snapshot in
                if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: snapshot) }
            }
        }
    }
}

extension WDGDataSnapshot {
    /// The value as a decoded type.
    ///
    /// - Throws: the error of the decoding.
    public func data<Value: Decodable>(as type: Value.Type) throws -> Value {
        let data = try JSONSerialization.data(withJSONObject: value ?? NSNull(), options: .fragmentsAllowed)
        return try JSONDecoder().decode(type, from: data)
    }
}
