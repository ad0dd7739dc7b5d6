import IMSession
import Recorder
import SansIO

// Events are written to the recording, kept for a while, and reported to the user.

extension WorldCore {
    /// Records an action of the world.
    func noteEnvironment(_ action: EnvironmentAction, node id: NodeID) -> EventID {
        let event = SessionEvent(number: 0, time: now, node: nodes[id.rawValue].name, content: .environment(action))
        defer { flushAndNotify() }
        return append(event, of: id) { recording, index, _, comment in
            recording.writer.environment(
                IMSessionSchema.environment(action), node: index, at: now, comment: comment)
        }
    }

    /// Writes the user's note into the session.
    public func mark(_ text: String) {
        append(SessionEvent(number: 0, time: now, node: "session", content: .mark(text)), of: nil) {
            recording, _, _, _ in
            recording.writer.mark(text, at: now)
        }
        flushAndNotify()
    }

    var nextEventID: EventID { EventID(rawValue: UInt64(eventsSeen) &+ 1) }

    /// Records an event, if there is a recording, and keeps it with the number that the recorder gave it.
    ///
    /// - Parameters:
    ///   - id: the event's node; nil for the session.
    ///   - cause: the event that led to it.
    ///   - record: writes the event and returns its number; receives the recording, the node's index, the number of the
    ///     cause and the summary line.
    @discardableResult
    func append(
        _ event: consuming SessionEvent, of id: NodeID?, cause: EventID = .none,
        record: (Recording, NodeIndex, UInt64, String) throws -> UInt64
    ) rethrows -> EventID {
        let eventID = nextEventID
        event.cause = 0
        if let recording {
            event.cause = numbers.number(of: cause)
            let index = id.map { recording.index(of: $0, named: event.node) } ?? .session
            // The summary line is made before the event gets its number: the line does not contain the number.
            event.number = try record(
                recording, index, event.cause, recording.writer.recordsComments ? summarize(event) : "")
        }
        numbers.note(eventID, event.number)
        if keepsEvents { eventBytes += event.estimatedBytes }
        events.append(event)
        causes.append(cause)
        return eventID
    }

    /// Writes the recording to the operating system, and then notifies the user of its events.
    ///
    /// - Returns: false if writing failed. Then the user is not notified, and no effect may be carried out.
    @discardableResult
    func flushAndNotify() -> Bool {
        if let recording, recording.writer.failure != nil || mustFlush, !flush(recording) { return false }
        notifyEvents()
        return true
    }

    private var mustFlush: Bool {
        switch configuration.flushing {
        case .eachBatch: true
        case .beforeShown: events.indices.dropFirst(eventsNotified).contains { isShown(events[$0]) }
        case .whenFull: false
        }
    }

    /// Writes the events that are not shown. Called after each call to the world (``RecordingFlush/beforeShown``).
    func flushRest() {
        if let recording, configuration.flushing == .beforeShown { flush(recording) }
    }

    /// - Returns: false if writing failed.
    @discardableResult
    private func flush(_ recording: Recording) -> Bool {
        do {
            try recording.writer.flush()
            return true
        } catch {
            recordingFailed("\(error)")
            return false
        }
    }

    /// Notifies the user of the events that were written since the last notification.
    func notifyEvents() {
        while eventsNotified < events.count {
            onEvent?(events[eventsNotified])
            eventsNotified += 1
        }
        guard keepsEvents else { return dropNotified() }
        // Drops the older half of the events at once: amortised O(1) for each event.
        guard events.count >= 2 * Self.eventsKeptMin || eventBytes > Self.eventBytesMax else { return }
        var excess = max(0, events.count - Self.eventsKeptMin)
        var left = eventBytes - events.prefix(excess).reduce(0) { $0 + $1.estimatedBytes }
        while left > Self.eventBytesMax / 2, excess < events.count {
            left -= events[excess].estimatedBytes
            excess += 1
        }
        eventBytes = left
        events.removeFirst(excess)
        causes.removeFirst(excess)
        eventsNotified -= excess
        eventsDropped += excess
    }

    private func dropNotified() {
        eventsDropped += events.count
        events.removeAll(keepingCapacity: true)
        causes.removeAll(keepingCapacity: true)
        eventsNotified = 0
    }

    /// The events after the first `count` events of the world, without those that were dropped.
    public func events(from count: Int) -> ArraySlice<SessionEvent> {
        events.dropFirst(max(0, count - eventsDropped))
    }

    /// The kept events, each with its id in the world and its cause.
    func keptEvents() -> [(event: SessionEvent, id: EventID, cause: EventID)] {
        events.indices.map { position in
            (events[position], EventID(rawValue: UInt64(eventsDropped + position + 1)), causes[position])
        }
    }

    /// True if no event has been dropped. Otherwise no recording can begin, because replay needs all events.
    public var hasAllEvents: Bool { eventsDropped == 0 }

    /// Closes the current recording and continues in `next`; nil to record nothing. A recording that starts late begins
    /// with the earlier events.
    ///
    /// - Throws: ``WorldError`` if ``hasAllEvents`` is false; then the current recording continues. Otherwise the error
    ///   that prevented the current file from being completed.
    public func replaceRecording(_ next: Recording?) throws {
        guard next == nil || hasAllEvents else {
            throw WorldError("too late to start a recording: it needs the beginning of the session")
        }
        try closeRecording()
        recordingFailure = nil
        next?.writer.log.retainsUnwritten = configuration.recordingFailurePolicy != .ends
        recording = next
        guard next != nil else { return }
        // The events get the numbers that they have in the new file.
        let past = Array(zip(events, causes))
        events.removeAll(keepingCapacity: true)
        causes.removeAll(keepingCapacity: true)
        numbers = EventNumbers()
        eventBytes = 0
        for (event, cause) in past { try restore(event, of: node(named: event.node), cause: cause) }
        endRestoring()
        flushAndNotify()
    }

    /// Writes the last states of the machines and the closing record.
    ///
    /// - Throws: the error that prevented the file from being completed.
    public func closeRecording() throws {
        saveAndCarryOut()
        if recordingFailure != nil, let unwritten = diskFullState?.recording { return try closeUnwritten(unwritten) }
        guard let recording else { return }
        self.recording = nil
        let subjects = nodes.enumerated().compactMap { position, node in
            node.machine.map {
                (node: recording.index(of: NodeID(rawValue: position), named: node.name), subject: $0)
            }
        }
        try recording.writer.close(subjects, at: now)
    }
}
