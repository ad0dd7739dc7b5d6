import SansIO

/// The first difference between a replay and its recording.
public struct Divergence: Hashable, Sendable, CustomStringConvertible {
    /// The kind of difference.
    public enum Kind: Hashable, Sendable {
        /// The replay lacks a recorded effect.
        case missingEffect
        /// The replay has an effect that is not recorded.
        case extraEffect
        /// The replay has another effect than the recording.
        case otherEffect
        /// The machine is not in the recorded state.
        case otherState
    }

    /// The kind of difference.
    public var kind: Kind
    /// The recorded event at which the difference shows; for an extra effect, the event in its place.
    public var number: UInt64
    /// The time of the input that was being handled, or of the keyframe.
    public var time: Instant
    /// The node of the effect or state.
    public var node: NodeIndex
    /// The node's name in the session; its number if it has none.
    public var nodeName: String
    /// The input that was being handled; nil for a keyframe.
    public var inputNumber: UInt64?
    /// The recorded event, as the schema describes it.
    public var expected: String
    /// The replay's event, as the schema describes it.
    public var actual: String
    /// The recorded event; nil for an extra effect.
    public var expectedEvent: Event?
    /// The replay's event, with the number it would have had; nil for a missing effect.
    public var actualEvent: Event?

    /// One line for display.
    public var description: String {
        "event \(number) of \(nodeName): expected \(expected), got \(actual)"
    }
}

/// The result of replaying a session.
public enum Verification: Hashable, Sendable {
    /// Every effect and every state equals the recorded one.
    case verified(events: UInt64)
    /// The first difference; later events were not checked.
    case diverged(Divergence)
}
