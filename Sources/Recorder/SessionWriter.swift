public import SansIO

/// Records the machines of one schema into a session file.
///
/// The host records each input and directly after it the input's effects, because a replay expects this order. Comments
/// are autoclosures, so that a recording without comments does not compose them.
public final class SessionWriter<Schema: SessionSchema> {
    /// The type of the recorded machines.
    public typealias Subject = Schema.Subject

    /// The encoding of the machines' inputs, effects and states.
    public let schema: Schema
    /// The part of the writer that does not depend on the schema.
    public let log: SessionLog
    /// The number of events without a keyframe after which ``needsKeyframe`` is true.
    public var keyframeInterval: UInt64 = 8192
    /// False to omit all comments, which makes the recording faster and the file smaller.
    public var recordsComments = true
    @usableFromInline var draft = EventDraft()
    /// The number of the last input, which is the cause of its effects.
    @usableFromInline var lastInput: UInt64 = 0

    /// Begins a session. The header event and the clock event are written into the buffer.
    ///
    /// - Parameters:
    ///   - epochNanoseconds: the wall clock at the session's instant zero, in nanoseconds since 1970.
    ///   - behaviourVersion: the version of the machines that produced the events; nil for the schema's version. It
    ///     differs if the events are copied from an older recording.
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
    /// The reason why the recording stopped, which ``flush()`` and ``close(_:at:)`` throw; nil if it has not stopped.
    public var failure: SessionError? { log.failure }
    /// The checksum over all bytes up to the end of the last event.
    public var chain: UInt64 { log.chain }
    /// True if the host should record a keyframe of every running node. The host checks this after each batch of
    /// effects.
    public var needsKeyframe: Bool { log.eventsSinceKeyframe >= keyframeInterval }

    /// Gives a node its number; see ``SessionLog/addNode(_:)``.
    public func addNode(_ name: String) -> NodeIndex {
        log.addNode(name)
    }

    /// Records the start of a machine.
    ///
    /// - Parameters:
    ///   - payload: the initial values from which the schema makes the machine.
    ///   - subject: the machine in its initial state. If it is not nil, a keyframe follows the start. A replay then
    ///     checks that the payload gives the same machine.
    /// - Returns: the number of the start event; 0 if the recording has stopped.
    /// - Throws: the error of the schema if it cannot encode the keyframe.
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
    /// - Parameter cause: the number of the event that caused the input, such as the effect that sent an arriving
    ///   frame; 0 if no event of the session did.
    /// - Returns: the number of the input; 0 if the recording has stopped.
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

    /// Records an effect of a machine. The last recorded input is its cause.
    ///
    /// - Returns: the number of the effect; 0 if the recording has stopped.
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

    /// Records an action of the world that is not an input of a machine.
    ///
    /// - Returns: the number of the event; 0 if the recording has stopped.
    @discardableResult
    public func environment(
        _ payload: [UInt8], node: NodeIndex = .session, channel: Channel = .runtime, direction: Direction = .none,
        stream: UInt32 = 0, at time: Instant, comment: @autoclosure () -> String = ""
    ) -> UInt64 {
        let draft = EventDraft(channel: channel, direction: direction, stream: stream, payload: payload)
        return log.append(.environment, node: node, draft: draft, at: time, comment: recordsComments ? comment() : "")
    }

    /// Records a note of the user. The text is the payload and the comment of the event.
    ///
    /// - Returns: the number of the event; 0 if the recording has stopped.
    @discardableResult
    public func mark(_ text: String, at time: Instant) -> UInt64 {
        log.append(
            .mark, node: .session,
            draft: EventDraft(payload: Array(SessionFormat.clipped(text, to: SessionFormat.commentLengthMax).utf8)),
            at: time, comment: recordsComments ? text : "")
    }

    /// Records the whole state of a machine, so that a replay can start at this event.
    ///
    /// - Returns: the number of the event; 0 if the recording has stopped. Nil if the state does not fit into a packet.
    ///   Then no keyframe is recorded, which only makes reading slower.
    /// - Throws: the error of the schema if it cannot encode the state.
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

    /// Records the end of a machine's process. An input to the node before its next start is an error in a replay.
    ///
    /// - Returns: the number of the event; 0 if the recording has stopped.
    @discardableResult
    public func stop(_ node: NodeIndex, at time: Instant, comment: @autoclosure () -> String = "") -> UInt64 {
        log.append(.stop, node: node, draft: EventDraft(), at: time, comment: recordsComments ? comment() : "")
    }

    /// Writes all bytes to the sink. The host calls this after each batch of effects.
    ///
    /// - Throws: the ``failure``.
    public func flush() throws(SessionError) {
        try log.flush()
    }

    /// Ends the session: records a last keyframe of each given machine and the closing record, and closes the file.
    ///
    /// - Throws: the ``failure``, or the schema's error if it cannot encode a keyframe. The file is closed in any case.
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
