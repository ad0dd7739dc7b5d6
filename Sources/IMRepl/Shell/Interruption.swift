import Foundation

/// Whether the person has asked to stop what is going on.
final class Interruption: @unchecked Sendable {
    private let lock = NSLock()
    private var isSet = false

    /// `@unchecked Sendable`: the lock guards the flag.
    func raise() { lock.withLock { isSet = true } }

    /// Whether it was raised since the last call.
    func take() -> Bool {
        lock.withLock {
            defer { isSet = false }
            return isSet
        }
    }
}
