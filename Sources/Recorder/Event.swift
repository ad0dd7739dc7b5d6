public import SansIO

/// The number of a node in a session. It identifies the node in the file.
public struct NodeIndex: Hashable, Sendable, Comparable {
    /// The number: 0 for ``session``, and from 1 for nodes in the order in which they were added.
    public var rawValue: UInt16

    /// The node with this number.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The node of events that belong to no machine: header, clock, marks and closing record.
    public static let session = NodeIndex(rawValue: 0)

    /// True if the left node was added before the right one.
    public static func < (left: NodeIndex, right: NodeIndex) -> Bool { left.rawValue < right.rawValue }
}

/// The side of a node to which an event belongs. Each node has a pcapng interface for each channel, named
/// `<node>/<channel>`.
public enum Channel: UInt8, CaseIterable, Sendable {
    /// The side of the network: frames and connections.
    case transport
    /// The side of the app: commands, callbacks, results.
    case sdk
    /// All other events: timers, process, storage, the recorder itself.
    case runtime

    /// The channel's name as a part of the interface's name.
    public var name: String {
        switch self {
        case .transport: "transport"
        case .sdk: "sdk"
        case .runtime: "runtime"
        }
    }
}

/// The direction of an event. The raw values are those of pcapng's `epb_flags`.
public enum Direction: UInt8, Sendable {
    /// The event has no direction.
    case none
    /// The event goes into the machine, such as an input.
    case inbound
    /// The event comes from the machine, such as an effect.
    case outbound
}

/// The role of an event in a replay.
public enum EventRole: UInt8, CaseIterable, Sendable {
    /// The session's first event, which describes the session (``SessionHeader``).
    case header = 1
    /// The wall clock at the start of the session.
    case clock
    /// A machine starts. The payload contains all of its initial values.
    case start
    /// An input of a machine.
    case input
    /// An effect of a machine. It directly follows the input that caused it, or another effect of that input.
    case effect
    /// An action of the world that is not an input of a machine, such as a network fault.
    case environment
    /// A note that the user wrote.
    case mark
    /// The whole state of a machine after all earlier events.
    case keyframe
    /// The process of a machine ended.
    case stop
    /// The last event of a session that was closed.
    case closing

    /// The word for the role in messages and filters.
    public var name: String {
        switch self {
        case .header: "header"
        case .clock: "clock"
        case .start: "start"
        case .input: "input"
        case .effect: "effect"
        case .environment: "environment"
        case .mark: "mark"
        case .keyframe: "keyframe"
        case .stop: "stop"
        case .closing: "closing"
        }
    }
}

/// The encoded form of an input or an effect, before it gets an event's number and time.
///
/// The writer and the verifier each reuse one draft, so that the memory of its payload is allocated only once. They
/// clear the draft before they pass it to a schema (``clear()``).
public struct EventDraft: Hashable, Sendable {
    /// The side of the node to which the event belongs.
    public var channel: Channel
    /// The direction of the event.
    public var direction: Direction
    /// The number of the connection; 0 for none.
    public var stream: UInt32
    /// The encoded input or effect.
    public var payload: [UInt8]

    /// Creates a draft, by default an empty one.
    public init(
        channel: Channel = .runtime, direction: Direction = .none, stream: UInt32 = 0, payload: [UInt8] = []
    ) {
        self.channel = channel
        self.direction = direction
        self.stream = stream
        self.payload = payload
    }

    /// Resets all values to the defaults of the initializer. The memory of the payload is kept.
    @inlinable
    public mutating func clear() {
        channel = .runtime
        direction = .none
        stream = 0
        payload.removeAll(keepingCapacity: true)
    }
}

/// A recorded event, with a copy of its bytes.
public struct Event: Hashable, Sendable {
    /// The event's number in the session, from 1. Events refer to each other by this number.
    public var number: UInt64
    /// The session's time of the event.
    public var time: Instant
    /// The event's node; ``NodeIndex/session`` if the event belongs to no machine.
    public var node: NodeIndex
    /// The side of the node to which the event belongs.
    public var channel: Channel
    /// The direction of the event.
    public var direction: Direction
    /// The role of the event in a replay.
    public var role: EventRole
    /// The number of the connection; 0 for none.
    public var stream: UInt32
    /// The number of the event that caused this one, which is smaller than ``number``. 0 if no event of the session
    /// did, or if the cause was not recorded.
    public var cause: UInt64
    /// The bytes that the schema encoded.
    public var payload: [UInt8]
    /// A one-line summary of the event; empty if the session was recorded without comments.
    public var comment: String

    /// Creates an event without checking its values.
    public init(
        number: UInt64, time: Instant, node: NodeIndex, channel: Channel, direction: Direction, role: EventRole,
        stream: UInt32 = 0, cause: UInt64 = 0, payload: [UInt8] = [], comment: String = ""
    ) {
        self.number = number
        self.time = time
        self.node = node
        self.channel = channel
        self.direction = direction
        self.role = role
        self.stream = stream
        self.cause = cause
        self.payload = payload
        self.comment = comment
    }

    /// Copies the event of a view.
    public init(_ view: EventView) {
        self.init(
            number: view.number, time: view.time, node: view.node, channel: view.channel, direction: view.direction,
            role: view.role, stream: view.stream, cause: view.cause, payload: Array(view.payload),
            comment: view.comment)
    }

    /// Passes the event to `body` as a view, the form that schemas read.
    ///
    /// - Parameter body: must not keep the view; its bytes are invalid after it returns.
    public func withView<Result>(_ body: (EventView) throws -> Result) rethrows -> Result {
        var comment = comment
        return try payload.withUnsafeBytes { payload in
            try comment.withUTF8 { text in
                try body(
                    EventView(
                        number: number, time: time, node: node, channel: channel, direction: direction, role: role,
                        stream: stream, cause: cause, payload: payload, commentBytes: UnsafeRawBufferPointer(text),
                        offset: 0))
            }
        }
    }
}
