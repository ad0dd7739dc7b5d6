import Foundation

/// How long a test waits for something that must happen, before it calls it missing. It is no measure of speed: a busy
/// machine may take long, and a passing test never waits for it.
public let watchdogSeconds: Int64 = 60

/// What was awaited did not happen.
public struct Missing: Error, CustomStringConvertible {
    public let description: String

    public init(_ what: String) {
        description = "\(what) did not happen within \(watchdogSeconds) s"
    }
}

/// Runs work that blocks on a thread of its own: the threads that tasks share must stay free for what it waits for.
public func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result { try work() }) }.start()
    }
}
