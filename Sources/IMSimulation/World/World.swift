import IMClient
import Recorder
import SansIO

/// A world: nodes, the connections between them, a clock and a recording. A simulated and a live world differ in the
/// network and in the clock. A script means the same in both.
public protocol World: AnyObject {
    /// True if its time is virtual.
    var isSimulated: Bool { get }

    /// Runs `body` on the thread of the world, and returns its result.
    func perform<Value: Sendable>(_ body: @escaping @Sendable (WorldCore) throws -> Value) throws -> Value

    /// Lets time pass until `interval` from now, or until the condition holds. If the interval ends, all events that
    /// were due by its end have happened.
    ///
    /// - Parameters:
    ///   - interval: the length in the time of the world; zero runs only the events that are due now.
    ///   - satisfied: the condition. It is checked at the start and after each event.
    /// - Returns: true if the condition held.
    func advance(by interval: Interval, until satisfied: @escaping @Sendable (WorldCore) -> Bool) throws -> Bool

    /// Closes the sockets and the recording.
    func shutDown() throws
}
