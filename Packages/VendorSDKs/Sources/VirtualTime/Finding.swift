/// An error of an app, or an action that virtual time cannot simulate, found while it ran.
public struct Finding: Sendable, Equatable, CustomStringConvertible {
    public enum Kind: String, Sendable {
        /// A wait that can never end.
        case deadlock
        /// A wait within another could not end before it, which happens only on simulated threads.
        case nestedWait
        /// The main thread was blocked for long.
        case mainThreadBlocked
        /// Entries follow one another without end in one instant, or one reads the clock without end.
        case busyLoop
        /// Work ran on a thread outside of virtual time.
        case escapeToThread
        /// Code used a clock that is not virtual.
        case escapeToClock
        /// A timer was scheduled where no run loop runs, so that it never fires.
        case timerWithoutRunLoop
        /// A precondition on the queue failed; a real app would crash there.
        case wrongQueue
        /// A use of an object that crashes a real app, such as leaving a group more often than it was entered.
        case misuse
    }

    public let kind: Kind
    public let text: String
    /// In nanoseconds since the start of virtual time.
    public let time: UInt64
    /// The process whose code caused it. Nil for the test's own code.
    public let process: ProcessID?

    public init(kind: Kind, text: String, time: UInt64, process: ProcessID?) {
        self.kind = kind
        self.text = text
        self.time = time
        self.process = process
    }

    public var description: String {
        let owner = process.map { ", \($0)" } ?? ""
        return "\(kind.rawValue) at \(Double(time) / 1e9) s\(owner): \(text)"
    }
}
