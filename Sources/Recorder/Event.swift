public import SansIO

/// The number of a node within one session; the address of a machine in the file.
public struct NodeIndex: Hashable, Sendable, Comparable {
    /// 0 is ``session``; machines have the numbers from 1, in the order in which they were added.
    public var rawValue: UInt16

    /// The node of this number.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The pseudo node that carries what belongs to no machine: header, clock, marks and closing record.
    public static let session = NodeIndex(rawValue: 0)

    /// Whether the left one was added before.
    public static func < (left: NodeIndex, right: NodeIndex) -> Bool { left.rawValue < right.rawValue }
}

/// Which side of a machine an event belongs to. Each node has one capture interface per channel, `<node>/<channel>`.
public enum Channel: UInt8, CaseIterable, Sendable {
    /// Towards the peer: frames and links.
    case transport
    /// Towards the caller: commands, callbacks, results.
    case sdk
    /// Everything else: timers, process, storage, the recorder itself.
    case runtime

    /// The word that stands in the interface's name.
    public var name: String {
        switch self {
        case .transport: "transport"
        case .sdk: "sdk"
        case .runtime: "runtime"
        }
    }
}

/// The way of an event, seen from its node; the raw values are those of pcapng's `epb_flags`.
public enum Direction: UInt8, Sendable {
    /// Neither way; into the machine; out of it.
    case none, inbound, outbound
}

/// What an event is to a replay.
public enum EventRole: UInt8, CaseIterable, Sendable {
    /// The session's first event: what the file is and how it was made.
    case header = 1
    /// The wall clock, once.
    case clock
    /// A machine begins; the payload is everything that it is made from.
    case start
    /// What was handed to a machine.
    case input
    /// What a machine asked for, right behind the input that caused it.
    case effect
    /// Something the world did that is no machine's input, such as a fault set on a link.
    case environment
    /// The user's note.
    case mark
    /// The whole state of a machine after everything before.
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

/// What a schema says about an input or an effect before it becomes an event.
///
/// The writer and the verifier reuse one draft, so that its payload's memory is allocated once. A schema finds it
/// cleared: no bytes, channel `runtime`, no direction, no stream.
public struct EventDraft: Hashable, Sendable {
    /// Which side of the node it belongs to.
    public var channel: Channel
    /// Its way, seen from the node.
    public var direction: Direction
    /// Which connection; 0 is none.
    public var stream: UInt32
    /// What it says.
    public var payload: [UInt8]

    /// A draft, cleared unless something is given.
    public init(
        channel: Channel = .runtime, direction: Direction = .none, stream: UInt32 = 0, payload: [UInt8] = []
    ) {
        self.channel = channel
        self.direction = direction
        self.stream = stream
        self.payload = payload
    }

    /// Makes it as good as new, keeping the payload's memory.
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
    /// Counts from 1; the address of the event everywhere.
    public var number: UInt64
    /// When it happened, in the session's time.
    public var time: Instant
    /// The node that it belongs to; ``NodeIndex/session`` for what belongs to no machine.
    public var node: NodeIndex
    /// Which side of the node it belongs to.
    public var channel: Channel
    /// Its way, seen from the node.
    public var direction: Direction
    /// What it is to a replay.
    public var role: EventRole
    /// Which connection; 0 is none.
    public var stream: UInt32
    /// The number of the event that led to it, always a smaller one; 0 where nothing in the session did, or where that
    /// was not recorded.
    public var cause: UInt64
    /// What it says, as the schema encoded it.
    public var payload: [UInt8]
    /// The one-line summary; empty when the session was recorded without.
    public var comment: String

    /// An event that is in no file; nothing is checked.
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

    /// Copies what the view shows.
    public init(_ view: EventView) {
        self.init(
            number: view.number, time: view.time, node: view.node, channel: view.channel, direction: view.direction,
            role: view.role, stream: view.stream, cause: view.cause, payload: Array(view.payload),
            comment: view.comment)
    }

    /// Lends the event in the form in which schemas read it.
    ///
    /// - Parameter body: must not keep the view; its bytes are gone when it returns.
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
