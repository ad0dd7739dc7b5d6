import IMClient
import IMProtocol
import Recorder
import SansIO

/// A decoded event of a session, which the shell prints, expectations check and `show` lists. It comes from a running
/// world or from a file.
public struct SessionEvent: Sendable {
    /// The content of an event.
    public enum Content: Sendable {
        /// The session's first event, with the kind and the origin of the file.
        case header
        /// The wall clock at the start of the session.
        case clock
        /// A node's process started. The record is boxed (`indirect`), because it is rare and much larger than other
        /// contents.
        indirect case start(StartRecord)
        /// The node's process ended.
        case stop
        /// An input of a machine.
        case input(NodeInput)
        /// An effect of a machine. It follows the input that led to it.
        case effect(NodeEffect)
        /// An action of the world, as a user types it.
        case environment(EnvironmentAction)
        /// A note that the user wrote.
        case mark(String)
        /// The state of a machine was written, with this length in bytes.
        case keyframe(bytes: Int)
        /// The last event of a session that was closed without a crash.
        case closing
        /// An event that this version cannot read, with the reason.
        case unreadable(String)
    }

    /// The event's number in the session, from 1; 0 if the session is not recorded.
    public var number: UInt64
    /// The session's time of the event.
    public var time: Instant
    /// The node's name.
    public var node: String
    /// The content.
    public var content: Content
    /// The number of the event that caused this one; 0 if no event of the session did, or if the cause was not
    /// recorded.
    public var cause: UInt64 = 0
    /// The approximate memory use in bytes, so that a list of events can be limited.
    public var estimatedBytes: Int {
        switch content {
        case .input(.frame(_, let frame)), .effect(.send(_, let frame)):
            // Heartbeats are frequent and empty, so the copy that `heldBytes` makes is avoided.
            frame.body.isHeartbeat ? Self.leastBytes : Self.leastBytes + frame.heldBytes
        case .input(.data(let answer)): Self.leastBytes + answer.estimatedBytes
        case .effect(.data(let request)): Self.leastBytes + request.estimatedBytes
        case .effect(.complete(_, let completion)): Self.leastBytes + completion.rows.estimatedBytes
        case .effect(.notify(let notification)): Self.leastBytes + notification.heldBytes
        case .effect(.keep(let item)):
            Self.leastBytes + item.user.utf8.count + item.id.utf8.count + item.text.utf8.count
        case .effect(.persist): Self.persistBytes
        case .input(.clientCommand), .input(.serverCommand): Self.boxedBytes + recordBytes
        case .effect(.presence(let user, let device, _)):
            Self.boxedBytes + user.utf8.count + device.utf8.count
        case .effect(.transition): Self.boxedBytes
        case .start(let start): Self.boxedBytes + ((try? start.payload().count) ?? 0)
        case .mark(let text), .unreadable(let text): Self.leastBytes + text.utf8.count
        case .environment(.observed(let event)): Self.leastBytes * 2 + event.text.utf8.count
        case .environment(let action): Self.leastBytes + action.command.utf8.count
        case .header, .clock, .stop, .keyframe, .closing, .effect(.connect), .effect(.closeLink),
            .input(.unreadable), .input(.linkOpened), .input(.linkFailed), .input(.linkClosed),
            .input(.deadlineReached), .input(.network), .input(.app):
            Self.leastBytes
        }
    }

    /// The length of an input's record, in bytes. It is slow, because it encodes the record; use it for rare inputs
    /// only.
    private var recordBytes: Int {
        guard case .input(let input) = content else { return 0 }
        return RecordCodec.bytes(of: input.record).count
    }

    /// The assumed size of a client's stored data. The real size varies, and events share the data until it changes.
    private static let persistBytes = 1024

    /// The event that was read from a log; nil for an event of a machine.
    package var observed: LoggedEvent? {
        if case .environment(.observed(let event)) = content { event } else { nil }
    }

    /// The size of an event without values.
    private static let leastBytes = 128

    /// The size of an event whose values are boxed.
    private static let boxedBytes = 4 * leastBytes

    /// Creates an event without a cause.
    public init(number: UInt64, time: Instant, node: String, content: Content) {
        self.number = number
        self.time = time
        self.node = node
        self.content = content
    }

    /// Decodes an event of a file. If it cannot be decoded, its content is ``Content/unreadable(_:)``.
    public init(_ view: EventView, node: String, schema: IMSessionSchema) {
        number = view.number
        cause = view.cause
        time = view.time
        self.node = node
        do {
            switch view.role {
            case .header: content = .header
            case .clock: content = .clock
            case .start: content = .start(try StartRecord(payload: Array(view.payload)))
            case .stop: content = .stop
            case .input: content = .input(try schema.decodeInput(view))
            case .effect: content = .effect(try schema.decodeEffect(view))
            case .environment:
                guard case .environment(let environment) = try RecordCodec.record(view.payload) else {
                    throw RecordError.unreadable("its record is not an environment action")
                }
                content = .environment(EnvironmentAction(command: environment.command))
            case .mark: content = .mark(String(decoding: view.payload, as: UTF8.self))
            case .keyframe: content = .keyframe(bytes: view.payload.count)
            case .closing: content = .closing
            }
        } catch {
            content = .unreadable("\(error)")
        }
    }

    /// The kind of the event: the word that filters and JSON use.
    public var kind: String {
        switch content {
        case .header: "header"
        case .clock: "clock"
        case .start: "start"
        case .stop: "stop"
        case .environment(.observed(let event)): event.eventKind
        case .environment: "fault"
        case .mark: "mark"
        case .keyframe: "keyframe"
        case .closing: "closing"
        case .unreadable: "unreadable"
        case .input(let input):
            switch input {
            case .frame, .unreadable: "frame"
            case .linkOpened, .linkFailed, .linkClosed: "link"
            case .deadlineReached: "timer"
            case .network: "network"
            case .app: "app"
            case .clientCommand, .serverCommand: "command"
            case .data: "data"
            }
        case .effect(let effect):
            switch effect {
            case .send: "frame"
            case .connect, .closeLink: "link"
            case .persist, .keep: "store"
            case .data: "data"
            case .complete: "result"
            case .notify: "callback"
            case .transition: "transition"
            case .presence: "presence"
            }
        }
    }

    /// `in` for an input, `out` for an effect, nil for any other event.
    public var direction: String? {
        switch content {
        case .input: "in"
        case .effect: "out"
        case .environment(.observed(let event)): event.eventDirection
        case .header, .clock, .start, .stop, .environment, .mark, .keyframe, .closing, .unreadable: nil
        }
    }

    /// True if the event is a kick: the frame `kicked`, or the client's transition to the state `kicked`.
    public var isKick: Bool {
        switch content {
        case .input(.frame(_, let frame)), .effect(.send(_, let frame)):
            if case .kicked = frame.body { true } else { false }
        case .effect(.transition(let change)): change.to == .kicked
        case .environment(.observed(let event)): event.isKick
        default: false
        }
    }

    /// The number of the connection that the event concerns; 0 for none.
    public var connection: UInt32 {
        switch content {
        case .input(let input): input.connection?.rawValue ?? 0
        case .effect(let effect): effect.connection?.rawValue ?? 0
        case .header, .clock, .start, .stop, .environment, .mark, .keyframe, .closing, .unreadable: 0
        }
    }
}

extension Frame {
    /// The approximate memory use, in bytes. A page of changes uses more memory than the bytes of its frame.
    fileprivate var heldBytes: Int { if case .changes(let page) = body { page.heldBytes } else { estimatedBytes } }
}

extension ClientNotification {
    /// The approximate memory use, in bytes.
    fileprivate var heldBytes: Int {
        switch self {
        case .messageReceived(let message): 512 + message.text.utf8.count
        case .treeValue(let path, let node, _): 256 + path.utf8.count + node.weight
        case .devicesChanged(_, let devices): devices.count * 256
        default: 256
        }
    }
}
