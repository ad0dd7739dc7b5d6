public import SansIO

/// The number of a node within one session, which identifies a machine in the file.
public struct NodeIndex: Hashable, Sendable, Comparable {
    /// 0 is ``session``; machines are numbered from 1, in order of addition.
    public var rawValue: UInt16

    /// The node of this number.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The pseudo node of events without a machine: header, clock, marks and closing record.
    public static let session = NodeIndex(rawValue: 0)

    /// True if the left node was added earlier.
    public static func < (left: NodeIndex, right: NodeIndex) -> Bool { left.rawValue < right.rawValue }
}

/// The side of a machine that an event belongs to. Each node has one capture interface per channel, `<node>/<channel>`.
public enum Channel: UInt8, CaseIterable, Sendable {
    /// Towards the peer: frames and connections.
    case transport
    /// Towards the caller: commands, callbacks, results.
    case sdk
    /// Everything else: timers, process, storage, the recorder itself.
    case runtime

    /// The channel's name in the interface's name.
    public var name: String {
        switch self {
        case .transport: "transport"
        case .sdk: "sdk"
        case .runtime: "runtime"
        }
    }
}

/// The direction of an event, from its node's view; the raw values are those of pcapng's `epb_flags`.
public enum Direction: UInt8, Sendable {
    /// No direction; into the machine; out of it.
    case none, inbound, outbound
}

/// The role of an event in a replay.
public enum EventRole: UInt8, CaseIterable, Sendable {
    /// The session's first event, with the kind and the origin of the file.
    case header = 1
    /// The wall clock, once.
    case clock
    /// A machine starts; the payload contains all of its initial values.
    case start
    /// An input of a machine.
    case input
    /// An effect of a machine, right after the input that caused it.
    case effect
    /// An action of the world that is no machine's input, such as a fault set on a connection.
    case environment
    /// The user's note.
    case mark
    /// The whole state of a machine after all events before.
    case keyframe
    /// The machine's process ended.
    case stop
    /// The last event of a session that was closed in order.
    case closing

    /// The word for messages and filters.
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

/// The encoded form of an input or an effect before it becomes an event.
///
/// The writer and the verifier reuse one draft, so that its payload's memory is allocated once. A schema receives it
/// cleared: no bytes, channel `runtime`, no direction, no stream.
public struct EventDraft: Hashable, Sendable {
    /// The side of the node that it belongs to.
    public var channel: Channel
    /// Its direction, from the node's view.
    public var direction: Direction
    /// The number of the connection; 0 for none.
    public var stream: UInt32
    /// The encoded bytes.
    public var payload: [UInt8]

    /// Creates a draft; the defaults are those of a cleared one.
    public init(
        channel: Channel = .runtime, direction: Direction = .none, stream: UInt32 = 0, payload: [UInt8] = []
    ) {
        self.channel = channel
        self.direction = direction
        self.stream = stream
        self.payload = payload
    }

    /// Resets all values and keeps the payload's memory.
    @inlinable
    public mutating func clear() {
        channel = .runtime
        direction = .none
        stream = 0
        payload.removeAll(keepingCapacity: true)
    }
}

/// One recorded event, with its own copy of the bytes.
public struct Event: Hashable, Sendable {
    /// The event's number, from 1, which identifies it everywhere.
    public var number: UInt64
    /// The session's time of the event.
    public var time: Instant
    /// The event's node; ``NodeIndex/session`` if it belongs to no machine.
    public var node: NodeIndex
    /// The side of the node that it belongs to.
    public var channel: Channel
    /// Its direction, from the node's view.
    public var direction: Direction
    /// Its role in a replay.
    public var role: EventRole
    /// The number of the connection; 0 for none.
    public var stream: UInt32
    /// The number of the event that caused it, always a smaller one; 0 if nothing in the session did, or if the cause
    /// was not recorded.
    public var cause: UInt64
    /// The bytes that the schema encoded.
    public var payload: [UInt8]
    /// The one-line summary; empty if the session was recorded without summaries.
    public var comment: String

    /// Creates an event that is in no file; nothing is checked.
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

    /// Passes the event as a view, which schemas read.
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
