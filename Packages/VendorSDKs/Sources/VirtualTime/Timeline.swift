/// Events of another simulation that happen between the jobs, each at its time.
///
/// What is due earlier happens first. What is due at the same instant as a job happens before it, unless a seed draws the
/// order: then either may be first.
public protocol Timeline: AnyObject {
    /// When its next event is due, in nanoseconds since the start of virtual time.
    var nextDue: UInt64? { get }

    /// Lets all that is due up to `time` happen; `nextDue` is later than `time` when it returns, unless it pauses: then it
    /// is called again. It is called on the job thread, outside all simulated processes, and may enqueue what it likes.
    func advance(to time: UInt64)
}
