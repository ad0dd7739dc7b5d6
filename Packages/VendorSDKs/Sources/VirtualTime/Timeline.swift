/// Events of another simulation that happen between the jobs, each at its time.
///
/// Earlier events happen first. An event at the same instant as a job happens before it, unless a seed draws the order:
/// then either may be first.
public protocol Timeline: AnyObject {
    /// The time of its next event, in nanoseconds since the start of virtual time.
    var nextDue: UInt64? { get }

    /// Runs all events up to `time`. Afterwards `nextDue` is later than `time`, unless it pauses: then it is called
    /// again. It is called on the job thread, outside all simulated processes, and may enqueue entries.
    func advance(to time: UInt64)
}
