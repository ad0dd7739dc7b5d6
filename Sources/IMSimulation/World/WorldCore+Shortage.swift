import IMServer
import IMSession
import SansIO

// The behaviour of a world that cannot write its recording or its server's accounts. It reports this once. Effects of
// unwritten events are not carried out: no frame is sent, no line is shown. A user's own world ends. A server with
// other users waits for space.

/// A server that waits for space.
package struct Shortage {
    var server: NodeID
    /// The server's state after its last input, of which nobody was notified; nil while it continues without recording.
    var machine: ServerMachine?
    /// The recording that cannot continue for now.
    var recording: Recording?
}

extension WorldCore {
    /// True if the world's recording has failed and the world has ended with it.
    public var isOver: Bool { recordingFailure != nil && configuration.whenUnrecorded == .ends }

    /// Throws if the world has ended with its recording. Every user of the world calls it first.
    public func requireRecorded() throws(RecordingFailure) {
        guard isOver, let recordingFailure else { return }
        let file = recording?.path.map { "'\($0)'" } ?? "the recording"
        throw RecordingFailure(
            description:
                "\(file): \(recordingFailure); the session ends here, and what was shown is in it")
    }

    func recordingFailed(_ why: String) {
        guard recordingFailure == nil else { return }
        recordingFailure = why
    }

    /// Handles an input that could not be recorded.
    ///
    /// - Returns: true if its effects are carried out all the same.
    func goesOn(unrecorded id: NodeID) -> Bool {
        guard let why = recordingFailure, let recording else { return false }
        let file = recording.path.map { "'\($0)'" } ?? "the recording"
        switch configuration.whenUnrecorded {
        case .ends: return false
        case .stops:
            suspend(id, "\(file): \(why)")
            return false
        case .goesOn:
            shortage = Shortage(server: id, machine: nil, recording: recording)
            self.recording = nil
            onShortage?(
                "\(file): \(why); the server goes on without a recording until it can be written again")
            announce()
            return true
        }
    }

    /// Takes the server down, as its clients see it, until ``tryAgain()`` succeeds.
    func suspend(_ id: NodeID, _ why: String) {
        guard let machine = self[id].machine?.server else { return }
        unkept = []
        fabric?.setListening(false)
        nodes[id.rawValue].keptServer = machine.withoutConnections(at: now)
        nodes[id.rawValue].machine = nil
        nodes[id.rawValue].frozen = nil
        alarms[id.rawValue] = nil
        shortage = Shortage(server: id, machine: machine, recording: recording)
        fabric?.processEnded(id, cause: .none)
        onShortage?("\(why); the server takes nobody until this can be written again")
    }

    /// Checks if there is space again. Call it at intervals while there is a shortage.
    package func tryAgain() {
        guard let shortage else { return }
        if let recording = shortage.recording, recordingFailure != nil {
            guard recording.writer.log.resume() else {
                // The unwritten events have become too many, or the file cannot be repaired: it stays as it is.
                return
            }
            recordingFailure = nil
        }
        guard let machine = shortage.machine else { return recordAgain(shortage) }
        do {
            try keeper?.keep(machine)
        } catch {
            return
        }
        self.shortage = nil
        announce()
        append(
            SessionEvent(number: 0, time: now, node: self[shortage.server].name, content: .stop), of: shortage.server
        ) { recording, index, _, comment in
            recording.writer.stop(index, at: now, comment: comment)
        }
        do {
            try server(.up)
            onShortage?("it can be written again: the server goes on")
        } catch {
            onServerFailure?("the server is down: \(error)")
        }
    }

    /// Continues the file with the current state. The events in between are not in it.
    private func recordAgain(_ shortage: Shortage) {
        guard let recording = shortage.recording, let machine = self[shortage.server].machine?.server else { return }
        self.shortage = nil
        self.recording = recording
        let node = self[shortage.server]
        let record = StartRecord(name: node.name, profile: node.profile, body: .server(machine))
        append(SessionEvent(number: 0, time: now, node: node.name, content: .stop), of: shortage.server) {
            recording, index, _, comment in
            recording.writer.stop(index, at: now, comment: comment)
        }
        do {
            let payload = try record.payload()
            append(SessionEvent(number: 0, time: now, node: node.name, content: .start(record)), of: shortage.server) {
                recording, index, _, comment in
                (try? recording.writer.start(index, payload: payload, at: now, comment: comment)) ?? 0
            }
        } catch {
            return recordingFailed("\(error)")
        }
        if handOver() {
            onShortage?("it can be written again: the recording goes on")
        } else {
            _ = goesOn(unrecorded: shortage.server)
        }
    }
}
