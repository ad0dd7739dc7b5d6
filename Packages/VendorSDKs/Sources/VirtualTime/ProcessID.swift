/// A simulated process of an app. Everything that it enqueues can be dropped with it.
public struct ProcessID: Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1 in each run of virtual time.
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public var description: String { "process \(rawValue)" }
}

/// Thrown to a caller that waited for a simulated process which has ended.
public struct ProcessEnded: Error, Sendable, CustomStringConvertible {
    public let process: ProcessID

    public var description: String { "\(process) has ended" }
}
