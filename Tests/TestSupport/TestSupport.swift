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
