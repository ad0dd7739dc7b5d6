import Foundation

/// True if the person has requested to stop the current command.
///
/// `@unchecked Sendable`: the lock guards the flag.
package final class Interruption: @unchecked Sendable {
    private let lock = NSLock()
    private var isSet = false

    package init() {}

    package func raise() { lock.withLock { isSet = true } }

    /// True if it was raised since the last call.
    package func take() -> Bool {
        lock.withLock {
            defer { isSet = false }
            return isSet
        }
    }
}
