/// A state machine without input and output of its own: it returns the actions that its host must carry out.
///
/// A machine is a value. Its host, a world, calls `handle` with each input and the time of the input, and carries out
/// the effects that `handle` returns. A machine keeps four rules:
///
/// 1. `handle` is total: no input traps, not even an invalid one from a peer or a file. After a peer's protocol
///    violation, an effect closes the connection. After a caller's misuse, the answer is an error, and the state does
///    not change.
/// 2. Equal states and equal inputs at equal instants give equal effects in the same order. Random numbers come from a
///    ``SeededRandom`` in the state. Wall clocks, stored data and verdicts about credentials arrive as inputs.
/// 3. Effects are plain values that can be compared, stored and shown. They contain no promises, closures or handles.
/// 4. A machine has no effect that sets a timer. The property `nextDeadline` has the instant at which the host must
///    call `handle` again.
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
    ///   - effects: the host's buffer for the effects. The host reuses the buffer for all calls, which saves an
    ///     allocation for each call.
    mutating func handle(_ input: Input, at now: Instant, into effects: inout [Effect])

    /// The instant at which the host must call `handle` if no other input comes earlier; nil if no timer is set.
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
