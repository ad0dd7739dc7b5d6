import Foundation

/// The user's request to stop the current command (^C).
///
/// `@unchecked Sendable`: the lock guards the flag.
package final class Interruption: @unchecked Sendable {
    private let lock = NSLock()
    private var isSet = false

    package init() {}

    package func raise() { lock.withLock { isSet = true } }

    /// True if the user requested to stop since the last call of this method.
    package func take() -> Bool {
        lock.withLock {
            defer { isSet = false }
            return isSet
        }
    }
}
