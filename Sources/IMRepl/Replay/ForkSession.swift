import IMDebugger
import IMProfiles
import IMShell
import IMSimulation
import Recorder

/// A shell in a world that continues from an event of the recording. The position of the replay does not change
/// meanwhile.
final class ForkSession {
    let shell: Shell
    let number: UInt64

    init(_ session: ReplaySession, after number: UInt64, record path: String?) throws {
        self.number = number
        let decoded = try session.decoded()
        if let rejectionReason = decoded.rejectionReason { throw CommandFailure("no fork: \(rejectionReason)") }
        var plan = try WorldPlan(continuing: session.reader.header)
        plan.origin = ForkOrigin(decoded: decoded, file: session.path, number: number)
        plan.isScripted = !session.isInteractive
        if let path { try WorldPlan.requireFree(path) }
        shell = try Shell(
            plan, recording: path.map { .file($0) } ?? .off, output: session.output,
            isInteractive: session.isInteractive, interruption: session.interruption ?? Interruption(),
            host: ProgramHost())
        try shell.skipPastEvents()
        let node = try session.currentNode().map { session.reader.name(of: $0) }
        let clients = try shell.clientNames
        shell.currentClient = clients.first { $0 == node } ?? clients.first
    }

    /// Runs a line in the fork.
    ///
    /// - Returns: true if the fork continues.
    func execute(_ checked: CheckedStatement) throws -> Bool {
        if checked.statement.words.first?.literal == "end" { return false }
        let nature = shell.isInteractive ? shell.nature(of: checked) : nil
        try ScriptRunner.execute(checked.statement, as: checked.command, in: shell)
        try shell.settle(after: nature)
        return !shell.exitRequest.requested
    }

    /// Ends the fork, and completes its recording.
    func close() throws {
        let path = shell.recordingPath
        try shell.close()
        if let path { shell.output.line("recorded \(path)") }
    }
}

extension ReplaySession {
    /// All events of the recording, for a fork.
    func decoded() throws -> DecodedSession { try DecodedSession(reader) }

    func beginFork(after number: UInt64, record path: String?) throws {
        let fork = try ForkSession(self, after: number, record: path)
        currentFork = fork
        let states = try fork.shell.world.perform { core in
            core.clients.map { "\(core[$0].name) \(core[$0].client?.state.name ?? "not running")" }
        }
        let clientTexts = states.isEmpty ? "no clients yet" : states.joined(separator: ", ")
        output.line("fork after #\(number): \(clientTexts); 'quit' returns here")
    }

    func endFork() throws {
        guard let fork = currentFork else { return }
        currentFork = nil
        try fork.close()
        output.line("back at #\(position) of the recording")
    }
}
