/// The thread or queue on which an entry runs. It is occupied while the entry runs or waits.
public enum ExecutionContext: Hashable, Sendable {
    /// The process's main thread: jobs of the main actor, blocks of the main queue, timers of the main run loop.
    case main
    /// A serial queue.
    case queue(SerialQueue)
    /// A separate thread for each entry: global and concurrent queues, tasks, actors.
    case anywhere
}

/// A place within a process: each process has its own main thread.
struct Position: Hashable {
    let place: ExecutionContext
    let process: ProcessID?
}

/// A serial queue, with a name for reports.
public final class SerialQueue: Hashable, Sendable {
    public let label: String

    public init(label: String) {
        self.label = label
    }

    public static func == (one: SerialQueue, other: SerialQueue) -> Bool {
        one === other
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// A position in source code, such as the caller's.
public struct Origin: Sendable, CustomStringConvertible {
    let file: StaticString
    let line: UInt

    public init(file: StaticString, line: UInt) {
        self.file = file
        self.line = line
    }

    public var description: String { "\(file):\(line)" }
}

/// The description of an entry, for reports.
public struct EntryLabel: Sendable, CustomStringConvertible {
    let what: String
    let origin: Origin?

    public init(_ what: String, origin: Origin? = nil) {
        self.what = what
        self.origin = origin
    }

    public var description: String {
        origin.map { "\(what) (\($0))" } ?? what
    }
}

/// A unit of work that runs at a given time: a job of a task, a block of a queue, a timer.
public final class Entry {
    enum Work {
        case job(UnownedJob, isMain: Bool)
        case block(() -> Void)
    }

    /// In nanoseconds since the start of virtual time.
    public let due: UInt64
    /// The order of enqueuing.
    let sequence: UInt64
    let place: ExecutionContext
    /// True if its place promises to run it after all earlier entries there.
    let isOrdered: Bool
    let process: ProcessID?
    /// The number of its cause, as in the code that enqueued it.
    let trigger: Int
    let label: EntryLabel
    /// Nil once it has run or was dropped.
    var work: Work?

    init(
        due: UInt64, sequence: UInt64, place: ExecutionContext, isOrdered: Bool, process: ProcessID?, trigger: Int,
        label: EntryLabel,
        work: Work
    ) {
        self.due = due
        self.sequence = sequence
        self.place = place
        self.isOrdered = isOrdered
        self.process = process
        self.trigger = trigger
        self.label = label
        self.work = work
    }

    /// Drops it if it has not run yet. The clock does not move to its time either.
    public func cancel() {
        work = nil
    }

    var position: Position { Position(place: place, process: process) }

    public var isPending: Bool { work != nil }
}
