/// Something that an app must not do, or that virtual time cannot follow; found while it ran.
public struct Finding: Sendable, Equatable, CustomStringConvertible {
    public enum Kind: String, Sendable {
        /// Something waits for what can never come.
        case deadlock
        /// A wait within another could not end before it, which only happens on simulated threads.
        case nestedWait
        /// The main thread stood still for long.
        case mainThreadBlocked
        /// Entries follow one another without end in one instant, or one reads the clock without end.
        case busyLoop
        /// Work was done on a thread that is not in virtual time.
        case escapeToThread
        /// A clock that is not virtual was used.
        case escapeToClock
        /// A timer was scheduled where no run loop runs, so that it never fires.
        case timerWithoutRunLoop
        /// A precondition on the queue did not hold; the app would be ended there.
        case wrongQueue
        /// An object was used in a way that ends an app, as leaving a group more often than it was entered.
        case misuse
    }

    public let kind: Kind
    public let text: String
    /// In nanoseconds since the start of virtual time.
    public let time: UInt64
    /// In whose code it was found, unless it was the test's own.
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
