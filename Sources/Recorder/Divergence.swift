import SansIO

/// The first difference between a replay and its recording.
public struct Divergence: Hashable, Sendable, CustomStringConvertible {
    /// The kind of difference.
    public enum Kind: Hashable, Sendable {
        /// A recorded effect does not occur in the replay.
        case missingEffect
        /// An effect of the replay is not in the recording.
        case extraEffect
        /// The replay has an effect that differs from the recorded one.
        case otherEffect
        /// The state of a machine differs from the recorded state.
        case otherState
    }

    /// The kind of difference.
    public var kind: Kind
    /// The number of the recorded event at which the difference occurs. For an extra effect, the recorded event that
    /// has the number which the effect would have.
    public var number: UInt64
    /// The time of the input that leads to the difference, or of the keyframe that differs.
    public var time: Instant
    /// The node of the effect or state.
    public var node: NodeIndex
    /// The node's name in the session; `node` and its number if the session has no name for it.
    public var nodeName: String
    /// The number of the input that leads to the difference; nil for a keyframe.
    public var inputNumber: UInt64?
    /// The recorded event, as a text from the schema.
    public var expected: String
    /// The replay's event, as a text from the schema.
    public var actual: String
    /// The recorded event; nil for an extra effect.
    public var expectedEvent: Event?
    /// The replay's event, with the number that it would have; nil for a missing effect.
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
    /// The first difference. Later events were not checked.
    case diverged(Divergence)
}
