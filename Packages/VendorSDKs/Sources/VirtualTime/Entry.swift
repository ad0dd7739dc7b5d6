/// Where something runs, which is what it keeps others from while it runs or waits.
public enum Place: Hashable, Sendable {
    /// The process's main thread: jobs of the main actor, blocks of the main queue, timers of the main run loop.
    case main
    /// A serial queue.
    case queue(SerialQueue)
    /// A thread of its own for each: global and concurrent queues, tasks, actors.
    case anywhere
}

/// A place of a process: each process has a main thread of its own.
struct Position: Hashable {
    let place: Place
    let process: ProcessID?
}

/// What a serial queue is to the scheduler: itself, and a name for who reads of it.
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

/// A place in source code, as the caller's.
public struct Origin: Sendable, CustomStringConvertible {
    let file: StaticString
    let line: UInt

    public init(file: StaticString, line: UInt) {
        self.file = file
        self.line = line
    }

    public var description: String { "\(file):\(line)" }
}

/// What an entry is, for those who read of it.
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

/// Something that is to run at a time: a job of a task, a block of a queue, a timer.
public final class Entry {
    enum Work {
        case job(UnownedJob, on: VirtualExecutor)
        case block(() -> Void)
    }

    /// In nanoseconds since the start of virtual time.
    public let due: UInt64
    /// The order of enqueuing.
    let sequence: UInt64
    let place: Place
    /// Whether its place promises to run it after all that was due there before.
    let isOrdered: Bool
    let process: ProcessID?
    /// What led to it, as it is to who enqueued it.
    let trigger: Int
    let label: EntryLabel
    /// Nothing once it has run or was dropped.
    var work: Work?

    init(
        due: UInt64, sequence: UInt64, place: Place, isOrdered: Bool, process: ProcessID?, trigger: Int,
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

    /// Never runs it, if it has not run yet. The time does not move on to it either.
    public func cancel() {
        work = nil
    }

    var position: Position { Position(place: place, process: process) }

    public var isPending: Bool { work != nil }
}
