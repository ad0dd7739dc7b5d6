/// A program that decides and never acts.
///
/// A machine is a value. Something outside (a world) hands it what happened, with the time at which it happened, and
/// carries out what it asks for. Towards its host it keeps four rules:
///
/// 1. `handle` is total: no input traps, whatever a peer or a file made up. A peer's violation becomes an effect that
///    ends the connection, a caller's misuse becomes an answer that says so, and the state stays as it was.
/// 2. Same state, same inputs, same instants: same effects, in the same order. Randomness is a ``SeededRandom`` in the
///    state; wall clocks, stored data and verdicts about credentials arrive as inputs.
/// 3. Effects are plain values that can be compared, stored and shown; they hold no promises, closures or handles.
/// 4. It never asks for a timer. It names the next moment at which it wants to be called, and the host sees to that.
public protocol Machine: Equatable, Sendable {
    /// What can happen to it.
    associatedtype Input: Hashable & Sendable
    /// What it can ask for.
    associatedtype Effect: Hashable & Sendable

    /// Takes in what happened at `now` and appends what must be done about it, in order.
    ///
    /// - Parameters:
    ///   - input: what happened.
    ///   - now: when it happened; never earlier than the instant of the call before.
    ///   - effects: the host's buffer. It is appended to, so that one allocation serves a whole run.
    mutating func handle(_ input: Input, at now: Instant, into effects: inout [Effect])

    /// When the machine next wants to be told that time has passed, if nothing else happens before.
    var nextDeadline: Instant? { get }
}

extension Machine {
    /// Takes in what happened at `now` and returns what must be done about it, in order.
    @inlinable
    public mutating func handle(_ input: Input, at now: Instant) -> [Effect] {
        var effects: [Effect] = []
        handle(input, at: now, into: &effects)
        return effects
    }
}
