/// A program that decides and never acts.
///
/// A machine is a value. Its host (a world) passes it each input with the time of the input, and carries out the
/// effects that it returns. A machine keeps four rules:
///
/// 1. `handle` is total: no input traps, even if a peer or a file made it up. A peer's protocol violation results in an
///    effect that closes the connection. A caller's misuse results in an error as the answer, and the state stays the
///    same.
/// 2. Same state, same inputs and same instants give the same effects in the same order. Randomness is a
///    ``SeededRandom`` in the state. Wall clocks, stored data and verdicts about credentials arrive as inputs.
/// 3. Effects are plain values that can be compared, stored and shown. They contain no promises, closures or handles.
/// 4. A machine never requests a timer. It returns the next instant at which the host must call it.
public protocol Machine: Equatable, Sendable {
    /// The events that the machine handles.
    associatedtype Input: Hashable & Sendable
    /// The actions that the machine requests.
    associatedtype Effect: Hashable & Sendable

    /// Handles an event that happened at `now` and appends the resulting effects, in order.
    ///
    /// - Parameters:
    ///   - input: the event.
    ///   - now: the time of the event; never earlier than the instant of the previous call.
    ///   - effects: the host's buffer. The machine appends to it, so that one allocation serves a whole run.
    mutating func handle(_ input: Input, at now: Instant, into effects: inout [Effect])

    /// The time of the next call if no input comes earlier; nil if the machine waits for no time.
    var nextDeadline: Instant? { get }
}

extension Machine {
    /// Handles an event that happened at `now` and returns the resulting effects, in order.
    @inlinable
    public mutating func handle(_ input: Input, at now: Instant) -> [Effect] {
        var effects: [Effect] = []
        handle(input, at: now, into: &effects)
        return effects
    }
}
