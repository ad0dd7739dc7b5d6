import SansIO

/// The first place where a replay differs from its recording.
public struct Divergence: Hashable, Sendable, CustomStringConvertible {
    /// What differs.
    public enum Kind: Hashable, Sendable {
        /// The replay did not ask for something that is recorded.
        case missingEffect
        /// The replay asked for something that is not recorded.
        case extraEffect
        /// The replay asked for something else than is recorded.
        case otherEffect
        /// The machine is not in the recorded state.
        case otherState
    }

    /// What differs.
    public var kind: Kind
    /// The recorded event at which it shows; for an extra effect, the event that stands in its place.
    public var number: UInt64
    /// The instant of the input that was being answered, or of the keyframe.
    public var time: Instant
    /// The node whose effect or state it is.
    public var node: NodeIndex
    /// The node's name in the session; its number where it has none.
    public var nodeName: String
    /// The input that was being answered; nil for a keyframe.
    public var inputNumber: UInt64?
    /// What the recording has, as the schema describes it.
    public var expected: String
    /// What the replay did, as the schema describes it.
    public var actual: String
    /// What the recording has; nil for an extra effect.
    public var expectedEvent: Event?
    /// What the replay did, under the number it would have had; nil for a missing effect.
    public var actualEvent: Event?

    /// One line for people.
    public var description: String {
        "event \(number) of \(nodeName): expected \(expected), got \(actual)"
    }
}

/// What came of replaying a session.
public enum Verification: Hashable, Sendable {
    /// Every effect and every state is as it was recorded.
    case verified(events: UInt64)
    /// The first difference; nothing behind it was looked at.
    case diverged(Divergence)
}
