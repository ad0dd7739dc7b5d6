/// A simulated process of an app: what it enqueues can be thrown away with it.
public struct ProcessID: Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1 in each run of virtual time.
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public var description: String { "process \(rawValue)" }
}

/// What a caller that waited for a simulated process gets when it ends.
public struct ProcessEnded: Error, Sendable, CustomStringConvertible {
    public let process: ProcessID

    public var description: String { "\(process) has ended" }
}
