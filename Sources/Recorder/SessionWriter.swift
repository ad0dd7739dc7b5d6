public import SansIO

/// Records the machines of one schema into a session file.
///
/// The host records each input and then its effects, before anything else: a replay depends on effects that directly
/// follow their input. Comments are closures, so that a bulk recording never composes them.
public final class SessionWriter<Schema: SessionSchema> {
    /// The type of the recorded machines.
    public typealias Subject = Schema.Subject

    /// The encoding of their inputs and effects.
    public let schema: Schema
    /// The part that is independent of the schema.
    public let log: SessionLog
    /// The number of events without a keyframe after which ``needsKeyframe`` is true.
    public var keyframeInterval: UInt64 = 8192
    /// False omits every comment, which makes recording cheaper and the file smaller.
    public var recordsComments = true
    @usableFromInline var draft = EventDraft()
    /// The number of the last input, which is the cause of its effects.
    @usableFromInline var lastInput: UInt64 = 0

    /// Begins a session; its first events are written into the buffer.
    ///
    /// - Parameters:
    ///   - epochNanoseconds: the wall clock at the session's instant zero, in nanoseconds since 1970.
    ///   - behaviourVersion: the version of the machines; the schema's, unless the events are a copy from older
    ///     machines.
    public init(
        sink: any ByteSink, schema: Schema, header: SessionHeader, epochNanoseconds: Int64,
        behaviourVersion: UInt32? = nil
    ) {
        self.schema = schema
        log = SessionLog(
            sink: sink, formatName: schema.formatName, behaviourVersion: behaviourVersion ?? schema.behaviourVersion,
            header: header, epochNanoseconds: epochNanoseconds)
    }

    /// The number of the last event.
    public var eventCount: UInt64 { log.eventCount }
    /// The reason why the recording stopped; ``flush()`` and ``close(_:at:)`` throw it.
    public var failure: SessionError? { log.failure }
    /// The chain after the last event.
    public var chain: UInt64 { log.chain }
    /// True if a keyframe of every node is due. The host checks it at the end of each batch.
    public var needsKeyframe: Bool { log.eventsSinceKeyframe >= keyframeInterval }

    /// Gives a node its number; see ``SessionLog/addNode(_:)``.
    public func addNode(_ name: String) -> NodeIndex {
        log.addNode(name)
    }

    /// Records the start of a machine.
    ///
    /// - Parameters:
    ///   - payload: the initial values from which the schema makes the machine.
    ///   - subject: the machine in its initial state; if given, a keyframe follows, and a replay then proves that the
    ///     payload leads to the same machine.
    /// - Returns: the number of the start event, as of every method here; 0 if the recording has stopped.
    /// - Throws: the schema's error for the keyframe.
    @discardableResult
    public func start(
        _ node: NodeIndex, payload: [UInt8], subject: Subject? = nil, at time: Instant,
        comment: @autoclosure () -> String = ""
    ) throws -> UInt64 {
        let number = log.append(
            .start, node: node, draft: EventDraft(payload: payload), at: time,
            comment: recordsComments ? comment() : "")
        if let subject { try keyframe(node, subject: subject, at: time) }
        return number
    }

    /// Records an input of a machine.
    ///
    /// - Parameter cause: the number of the event that caused it, such as the sending of a frame that arrives; 0 for a
    ///   cause outside the session.
    @inlinable
    @discardableResult
    public func input(
        _ input: Subject.Input, node: NodeIndex, at time: Instant, cause: UInt64 = 0,
        comment: @autoclosure () -> String = ""
    ) -> UInt64 {
        draft.clear()
        schema.encode(input, into: &draft)
        lastInput = log.append(
            .input, node: node, draft: draft, at: time, cause: cause, comment: recordsComments ? comment() : "")
        return lastInput
    }

    /// Records an effect of a machine, caused by the last recorded input.
    @inlinable
    @discardableResult
    public func effect(
        _ effect: Subject.Effect, node: NodeIndex, at time: Instant, comment: @autoclosure () -> String = ""
    ) -> UInt64 {
        draft.clear()
        schema.encode(effect, into: &draft)
        return log.append(
            .effect, node: node, draft: draft, at: time, cause: lastInput, comment: recordsComments ? comment() : "")
    }

    /// Records an action of the world that is no machine's input.
    @discardableResult
    public func environment(
        _ payload: [UInt8], node: NodeIndex = .session, channel: Channel = .runtime, direction: Direction = .none,
        stream: UInt32 = 0, at time: Instant, comment: @autoclosure () -> String = ""
    ) -> UInt64 {
        let draft = EventDraft(channel: channel, direction: direction, stream: stream, payload: payload)
        return log.append(.environment, node: node, draft: draft, at: time, comment: recordsComments ? comment() : "")
    }

    /// Records the user's note, as payload and comment.
    @discardableResult
    public func mark(_ text: String, at time: Instant) -> UInt64 {
        log.append(
            .mark, node: .session,
            draft: EventDraft(payload: Array(SessionFormat.clipped(text, to: SessionFormat.commentLengthMax).utf8)),
            at: time, comment: recordsComments ? text : "")
    }

    /// Records the whole state of a machine, so that a reader can start here.
    ///
    /// - Returns: the event's number; nil if the state is larger than a packet, which only makes reading slower.
    /// - Throws: the schema's error.
    @discardableResult
    public func keyframe(
        _ node: NodeIndex, subject: Subject, at time: Instant, comment: @autoclosure () -> String = "keyframe"
    ) throws -> UInt64? {
        let state = try schema.encodeState(subject)
        guard state.count <= SessionFormat.payloadLengthMax else {
            log.skipKeyframe()
            return nil
        }
        return log.append(
            .keyframe, node: node, draft: EventDraft(payload: state), at: time,
            comment: recordsComments ? comment() : "")
    }

    /// Records the end of a machine's process; inputs to the node are errors until it starts again.
    @discardableResult
    public func stop(_ node: NodeIndex, at time: Instant, comment: @autoclosure () -> String = "") -> UInt64 {
        log.append(.stop, node: node, draft: EventDraft(), at: time, comment: recordsComments ? comment() : "")
    }

    /// Writes all bytes to the sink; call it after each batch of effects.
    public func flush() throws(SessionError) {
        try log.flush()
    }

    /// Ends the session: a last keyframe of each given machine, then the closing record.
    ///
    /// - Throws: the ``failure``, or the schema's error for a keyframe; the file is closed all the same.
    public func close(_ subjects: [(node: NodeIndex, subject: Subject)] = [], at time: Instant) throws {
        var thrown: (any Error)?
        for (node, subject) in subjects {
            do {
                try keyframe(node, subject: subject, at: time)
            } catch {
                thrown = thrown ?? error
            }
        }
        try log.close(at: time)
        if let thrown { throw thrown }
    }
}
