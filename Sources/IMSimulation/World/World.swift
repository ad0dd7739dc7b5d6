import IMClient
import Recorder
import SansIO

/// A world: nodes, the connections between them, a clock and a recording. The two kinds differ in the network and in
/// the clock; a script means the same in both.
public protocol World: AnyObject {
    /// True if its time is virtual.
    var isSimulated: Bool { get }

    /// Runs on the world's own thread and returns what the body returns.
    func perform<Value: Sendable>(_ body: @escaping @Sendable (WorldCore) throws -> Value) throws -> Value

    /// Lets time pass until `interval` from now, or until the condition holds. Everything due at the end has happened.
    ///
    /// - Parameters:
    ///   - interval: of the world's time; zero runs what is due now.
    ///   - satisfied: checked at first, and again after each event.
    /// - Returns: true if the condition held.
    func advance(by interval: Interval, until satisfied: @escaping @Sendable (WorldCore) -> Bool) throws -> Bool

    /// Ends everything: sockets, recording.
    func shutDown() throws
}
