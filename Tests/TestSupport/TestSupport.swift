import Foundation

/// The number of seconds after which a test reports that an event is missing. It does not measure speed: a busy
/// computer may be slow, and a passing test does not wait for it.
public let watchdogSeconds: Int64 = 60

/// An expected event did not happen in time.
public struct Missing: Error, CustomStringConvertible {
    public let description: String

    public init(_ what: String) {
        description = "\(what) did not happen within \(watchdogSeconds) s"
    }
}

/// Runs blocking work on a new thread, because the threads that tasks share must remain available.
public func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result { try work() }) }.start()
    }
}
