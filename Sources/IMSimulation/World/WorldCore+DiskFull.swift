import IMServer
import IMSession
import SansIO

// The behaviour of a world that cannot write its recording or its server's accounts. It reports the failure once. A
// user's own world ends. A server with other users waits for space, or continues without a recording
// (``RecordingFailurePolicy``). Unless it continues, effects of unwritten events are not carried out: no frame is sent,
// no line is shown.

/// The state of a server that waits for space on the disk.
package struct DiskFullState {
    var server: NodeID
    /// The server's machine after its last input, whose effects were not carried out; nil if the server continues
    /// without a recording.
    var machine: ServerMachine?
    /// The recording that cannot continue for now; nil if there is none.
    var recording: Recording?
    /// False if the operator has stopped the server: then it stays down when there is space again.
    var startsServer = true
}

extension WorldCore {
    /// True if the world has ended because its recording failed.
    public var isOver: Bool { recordingFailure != nil && configuration.recordingFailurePolicy == .ends }

    /// Throws if the world has ended because its recording failed. Call it before any other use of the world.
    public func requireRecording() throws(RecordingFailure) {
        guard isOver, let recordingFailure else { return }
        let file = recording?.path.map { "'\($0)'" } ?? "the recording"
        throw RecordingFailure(
            description:
                "\(file): \(recordingFailure); the session ends here; it contains all events shown")
    }

    func recordingFailed(_ why: String) {
        guard recordingFailure == nil else { return }
        recordingFailure = why
    }

    /// Handles an input that could not be recorded.
    ///
    /// - Returns: true if the effects of the input are carried out nevertheless.
    func continues(unrecorded id: NodeID) -> Bool {
        guard let why = recordingFailure, let recording else { return false }
        let file = recording.path.map { "'\($0)'" } ?? "the recording"
        switch configuration.recordingFailurePolicy {
        case .ends: return false
        case .stops:
            suspend(id, "\(file): \(why)")
            return false
        case .continues:
            diskFullState = DiskFullState(server: id, machine: nil, recording: recording)
            self.recording = nil
            onDiskFull?(
                "\(file): \(why); the server continues without a recording until it can be written again")
            notifyEvents()
            return true
        }
    }

    /// Takes the server down until ``retryWriting()`` succeeds. To its clients this looks like the end of its process.
    func suspend(_ id: NodeID, _ why: String) {
        guard let machine = self[id].machine?.server else { return }
        unsavedEffects = []
        network?.setListening(false)
        nodes[id.rawValue].stoppedServer = machine.withoutConnections(at: now)
        nodes[id.rawValue].machine = nil
        nodes[id.rawValue].frozen = nil
        alarms[id.rawValue] = nil
        diskFullState = DiskFullState(server: id, machine: machine, recording: recording)
        network?.processEnded(id, cause: .none)
        onDiskFull?("\(why); the server rejects all connections until this can be written again")
    }

    /// Tries to write the recording and the accounts again. If that succeeds, the server and its recording continue.
    /// Call it at intervals while ``diskFullState`` is not nil.
    package func retryWriting() {
        guard let diskFullState else { return }
        if let recording = diskFullState.recording, recordingFailure != nil {
            guard recording.writer.log.resume() else {
                // Writing still fails, there are too many unwritten events, or the file cannot be repaired. The
                // disk-full state remains.
                return
            }
            recordingFailure = nil
        }
        guard let machine = diskFullState.machine else { return resumeRecording(diskFullState) }
        do {
            try accountSaver?.keep(machine)
        } catch {
            return
        }
        self.diskFullState = nil
        notifyEvents()
        append(
            SessionEvent(number: 0, time: now, node: self[diskFullState.server].name, content: .stop),
            of: diskFullState.server
        ) { recording, index, _, comment in
            recording.writer.stop(index, at: now, comment: comment)
        }
        guard diskFullState.startsServer else {
            flushAndNotify()
            onDiskFull?("it can be written again: the server is down; 'server up' starts it")
            return
        }
        do {
            try server(.up)
            onDiskFull?("it can be written again: the server continues")
        } catch {
            onServerFailure?("the server is down: \(error)")
        }
    }

    /// Closes a recording that could not be written. If there is space again, the file contains all retained events and
    /// is complete. It gets no keyframes, because the machines may have changed after its last event.
    ///
    /// - Throws: the error that prevented the file from being completed.
    func closeUnwritten(_ unwritten: Recording) throws {
        recording = nil
        diskFullState?.recording = nil
        // A server that continues without a recording waits for nothing else.
        if diskFullState?.machine == nil { diskFullState = nil }
        if unwritten.writer.log.resume() { recordingFailure = nil }
        try unwritten.writer.close(at: now)
    }

    /// Continues the file with the current state of the server. The file does not contain the events that happened
    /// without a recording.
    private func resumeRecording(_ diskFullState: DiskFullState) {
        guard let recording = diskFullState.recording, let machine = self[diskFullState.server].machine?.server else {
            return
        }
        self.diskFullState = nil
        self.recording = recording
        let node = self[diskFullState.server]
        let record = StartRecord(name: node.name, profile: node.profile, body: .server(machine))
        append(SessionEvent(number: 0, time: now, node: node.name, content: .stop), of: diskFullState.server) {
            recording, index, _, comment in
            recording.writer.stop(index, at: now, comment: comment)
        }
        do {
            let payload = try record.payload()
            append(
                SessionEvent(number: 0, time: now, node: node.name, content: .start(record)), of: diskFullState.server
            ) {
                recording, index, _, comment in
                (try? recording.writer.start(index, payload: payload, at: now, comment: comment)) ?? 0
            }
        } catch {
            return recordingFailed("\(error)")
        }
        if flushAndNotify() {
            onDiskFull?("it can be written again: the recording continues")
        } else {
            _ = continues(unrecorded: diskFullState.server)
        }
    }
}
