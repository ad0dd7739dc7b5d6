import IMClient
import Recorder
import SansIO

/// A world: nodes, the links between them, a clock and a recording. The two kinds differ in what carries the links and
/// in what time is; a script means the same in both.
public protocol World: AnyObject {
    /// Whether its time jumps instead of passing.
    var isSimulated: Bool { get }

    /// Runs on the world's own thread and returns what the body returns.
    func perform<Value: Sendable>(_ body: @escaping @Sendable (WorldCore) throws -> Value) throws -> Value

    /// Lets time pass until `interval` from now, or until the condition holds. What is due at the end has happened.
    ///
    /// - Parameters:
    ///   - interval: of the world's time; zero lets happen what is due now.
    ///   - satisfied: looked at first, and again after each event.
    /// - Returns: whether the condition held.
    func advance(by interval: Interval, until satisfied: @escaping @Sendable (WorldCore) -> Bool) throws -> Bool

    /// Ends everything: sockets, recording.
    func shutDown() throws
}
