import IMClient
import IMProtocol
import Recorder
import SansIO

/// One event of a session as this project's tools use it: the shell prints it, expectations check it, `show` lists it.
/// It is made when it happens, or from a file.
public struct SessionEvent: Sendable {
    /// The content of an event.
    public enum Content: Sendable {
        /// The session's first event, with the kind and the origin of the file.
        case header
        /// The wall clock, once.
        case clock
        /// Boxed, because it is rare and several times as large as any other.
        indirect case start(StartRecord)
        /// The node's process ended.
        case stop
        /// An input of a machine.
        case input(NodeInput)
        /// An effect of a machine, right after its input.
        case effect(NodeEffect)
        /// An action of the world, as a user types it.
        case environment(EnvironmentAction)
        /// The user's note.
        case mark(String)
        /// The state of a machine was written; its length in bytes.
        case keyframe(bytes: Int)
        /// The last event of a session that was closed in order.
        case closing
        /// An event that this version cannot read; the reason.
        case unreadable(String)
    }

    /// Its number in the session, from 1; 0 while nothing is recorded.
    public var number: UInt64
    /// The session's time of the event.
    public var time: Instant
    /// The node's name.
    public var node: String
    /// The content.
    public var content: Content
    /// The number of the event that caused it; 0 if nothing in the session did, or if the cause is not recorded.
    public var cause: UInt64 = 0
    /// The approximate memory use in bytes, for owners that keep events.
    public var estimatedBytes: Int {
        switch content {
        case .input(.frame(_, let frame)), .effect(.send(_, let frame)):
            // Avoids a copy of the frame if it is empty.
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

    /// The length of an input's record. It builds the record: only for rare inputs.
    private var recordBytes: Int {
        guard case .input(let input) = content else { return 0 }
        return RecordCodec.bytes(of: input.record).count
    }

    /// The size of a client's stored data: it varies by client, and is shared until it changes.
    private static let persistBytes = 1024

    /// The log's event; nil for other events.
    package var observed: LoggedEvent? {
        if case .environment(.observed(let event)) = content { event } else { nil }
    }

    /// The size of an event without values.
    private static let leastBytes = 128

    /// The size of an event whose values are boxed.
    private static let boxedBytes = 4 * leastBytes

    /// Creates an event; its cause is set afterwards.
    public init(number: UInt64, time: Instant, node: String, content: Content) {
        self.number = number
        self.time = time
        self.node = node
        self.content = content
    }

    /// Reads an event of a file. An event that cannot be read becomes ``Content/unreadable(_:)``.
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

    /// The kind of the event, in the word of filters and JSON.
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

    /// `in` for a node's inputs, `out` for its effects; nil for others.
    public var direction: String? {
        switch content {
        case .input: "in"
        case .effect: "out"
        case .environment(.observed(let event)): event.eventDirection
        case .header, .clock, .start, .stop, .environment, .mark, .keyframe, .closing, .unreadable: nil
        }
    }

    /// True if it is a kick: the frame that announces it, or the transition that follows.
    public var isKick: Bool {
        switch content {
        case .input(.frame(_, let frame)), .effect(.send(_, let frame)):
            if case .kicked = frame.body { true } else { false }
        case .effect(.transition(let change)): change.to == .kicked
        case .environment(.observed(let event)): event.isKick
        default: false
        }
    }

    /// The number of its connection, 0 for none.
    public var connection: UInt32 {
        switch content {
        case .input(let input): input.connection?.rawValue ?? 0
        case .effect(let effect): effect.connection?.rawValue ?? 0
        case .header, .clock, .start, .stop, .environment, .mark, .keyframe, .closing, .unreadable: 0
        }
    }
}

/// An event as a line without vendor names, for uses without a dialect.
struct EventLine {
    let text: String

    init(_ event: Event, node: String) {
        let schema = IMSessionSchema()
        let decoded = event.withView { SessionEvent($0, node: node, schema: schema) }
        let facts = decoded.facts.map { "\($0.name)=\($0.value)" }
        text = ([node, decoded.kind, decoded.direction].compactMap { $0 } + facts).joined(separator: " ")
    }
}

extension Frame {
    /// Changes use more memory than bytes on the wire.
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
