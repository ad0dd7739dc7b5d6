import Foundation
import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import IMText
import Recorder
import SansIO

/// The state on which commands act: a world, its clients, and the user's settings.
///
/// Only the thread that reads the lines uses a shell.
package final class Shell {
    /// The settings that the command `set` changes.
    package struct Settings {
        /// The time limit of an expectation without `within`; nil for the default: no time in the simulated world, 5 s
        /// in the live world.
        package var expectTimeout: Interval?
        /// The virtual time that passes after each command typed at the simulated prompt.
        package var settle = Interval.seconds(2)
        package var events = EventVerbosity.normal
        /// True if a pager shows long answers.
        package var pages = true
        /// What happens after a failed line. If nil, a pipe stops; the prompt and JSON output continue.
        package var onError: OnError?
    }

    package enum OnError: String, CaseIterable {
        case stop
        case proceed = "continue"
    }

    package let output: any ShellOutput
    package let isInteractive: Bool
    let host: any ShellHost
    /// Locked while a line runs. Code that ends the program on another thread waits for the lock, so that it does not
    /// interrupt a line.
    package let lineLock = NSRecursiveLock()
    package private(set) var plan: WorldPlan
    package private(set) var world: any World
    private(set) var log: EventLog
    package let files: RecordingFiles
    package var settings = Settings()
    package var variables: [String: String] = [:]
    package var currentClient: String?
    /// The policy of new clients; nil for the profile's default.
    var clientPolicy: ClientPolicy?
    /// For each client, the position in the log after the last matched event.
    package var cursors: [String: EventLog.Cursor] = [:]
    /// The end of the log at the last `wait` or `expect`. The effects of later commands come after it.
    package var lastWaitCursor = EventLog.Cursor.start
    /// The newest command that acted on each client; the key for the server is the empty text.
    var lastCommands: [String: LastCommand] = [:]
    /// True if an expectation must not match an event that is older than the newest command, as in a test.
    package var refusesOlderMatches = false
    /// The lines that commands printed, for `expect output`.
    var printed: [String] = []
    var printedCursor = 0
    /// The number of expectations that were checked.
    package var expectationCount = 0
    package var exitRequest: (requested: Bool, code: Int32?) = (false, nil)
    /// The folders of the scripts that are running, innermost last. `source` resolves relative paths in the last one.
    package var sourceFolders: [String] = []
    /// Returns the typed lines, for `history`; nil if no history is stored.
    package var typedLines: (() -> [String])?
    /// True if the world is shut down.
    private(set) var isClosed = false
    /// The flag that ^C sets while a command runs.
    package let interruption: Interruption
    /// True if ^C can interrupt a wait even if the shell is not interactive.
    package var isInterruptible = false
    /// The path of the recording; nil while nothing is recorded.
    package private(set) var recordingPath: String?
    /// True if the program chose the recording's name. Such a recording is deleted if nothing happens in it.
    private var hasAutomaticName = false
    private let view: Screen

    /// Where a shell writes its recording.
    package enum RecordingChoice {
        case off
        /// In a file that is named after the profile and the time.
        case automatic
        /// - Parameter overwrites: true to replace an existing session.
        case file(String, overwrites: Bool = false)
        case memory(MemorySink)
    }

    package init(
        _ plan: WorldPlan, recording: RecordingChoice, output: any ShellOutput, isInteractive: Bool,
        interruption: Interruption = Interruption(), host: any ShellHost = SimulationHost()
    ) throws {
        self.plan = plan.checkingRules(in: host)
        self.host = host
        self.output = output
        self.isInteractive = isInteractive
        self.interruption = interruption
        files = RecordingFiles(dataFolder: plan.settings.dataFolder)
        let newRecording: Recording?
        switch recording {
        case .off: newRecording = nil
        case .automatic:
            newRecording = try files.begin(plan, path: nil)
            hasAutomaticName = true
        case .file(let path, let overwrites): newRecording = try files.begin(plan, path: path, overwrites: overwrites)
        case .memory(let sink):
            newRecording = Recording(
                sink: sink, path: nil, header: plan.header, epochNanoseconds: plan.epochNanoseconds)
        }
        recordingPath = newRecording?.path
        log = EventLog(dialect: plan.dialect)
        // A live world must not wait for a slow reader of its output, so its output does not block. A simulated world
        // waits, and so no line is lost.
        let eventOutput = plan.kind == .live ? output.nonBlocking : output
        view = Screen(output: eventOutput)
        view.setDialect(plan.dialect)
        output.clock.wall = plan.wallClock
        view.showsServerFrames = false
        Self.show(log, on: view, showsAdvice: isInteractive && plan.settings.connect == nil)
        Self.printBegin(plan, recording: newRecording, on: output)
        world = try self.plan.open(in: host, recording: newRecording, log: log) { eventOutput.error($0) }
    }

    /// - Parameter showsAdvice: true if advice is printed after a failed command, because a user is at the prompt and
    ///   controls the server.
    private static func show(_ log: EventLog, on view: Screen, showsAdvice: Bool) {
        log.show = { view.show($0, $1, $2) }
        log.isShowing = { view.shows($0, $1) }
        guard showsAdvice else { return }
        log.onCommandEnd = { command, status in
            if let advice = StatusAdvice.text(forAnswer: status, to: command) { view.printResult(advice) }
        }
    }

    /// A shell on a world that other code opens and closes, such as the world of a server whose operator types
    /// commands. `view` prints the events of `log`; nil if nothing prints them.
    package init(
        operating world: any World, _ plan: WorldPlan, log: EventLog, view: Screen? = nil, recordingPath: String?,
        output: any ShellOutput, host: any ShellHost
    ) {
        self.plan = plan
        self.host = host
        self.world = world
        self.log = log
        self.recordingPath = recordingPath
        self.output = output
        output.clock.wall = plan.wallClock
        isInteractive = true
        interruption = Interruption()
        files = RecordingFiles(dataFolder: plan.settings.dataFolder)
        self.view = view ?? Screen(output: output)
        // Time passes in this world without commands of the shell.
        settings.settle = .zero
    }

    func setEventVerbosity(_ shown: EventVerbosity) {
        settings.events = shown
        view.set(shown)
    }

    // MARK: Clients

    /// The client with a name. If `name` is nil, the current client; if there is no client yet, a new one.
    package func client(_ name: String?) throws -> NodeID {
        guard let name = try name ?? currentClient ?? firstClient() else {
            throw CommandFailure("there is no client yet; 'client new phone --platform ios' creates one")
        }
        guard name != WorldCore.serverName else {
            throw CommandFailure("the server is not a client; 'help server' lists its commands")
        }
        guard let id = try world.perform({ $0.node(named: name) }) else {
            let names = try clientNames
            let near = Suggestion.nearest(to: name, among: names).map { "did you mean '\($0)'?" }
            let all = names.isEmpty ? "" : " (available: \(names.joined(separator: ", ")))"
            throw CommandFailure("there is no client '\(name)'; " + (near ?? "'client new \(name)' creates it\(all)"))
        }
        if try world.perform({ $0[id].isClosed }) { throw CommandFailure("the client '\(name)' is closed") }
        return id
    }

    /// Creates the client `phone` if there is no client yet, so that `login alice` works as the first command. Nil if
    /// there are clients, or if the shell is strict and creates nothing automatically.
    private func firstClient() throws -> String? {
        guard !plan.settings.isStrict, try world.perform({ core in core.nodes.allSatisfy(\.isServer) }) else {
            return nil
        }
        try client(.new(ClientDescription(name: "phone", platform: .ios)))
        return currentClient
    }

    package var clientNames: [String] {
        get throws { try world.perform { core in core.clients.map { core[$0].name } } }
    }

    // MARK: Commands to machines

    /// Passes a command to a client.
    ///
    /// - Returns: the completion if the client completed the command at once; nil if the result comes later as an
    ///   event.
    ///
    /// - Throws: ``CommandFailure`` if the client rejected the command at once.
    @discardableResult
    func submit(_ command: IMClient.ClientCommand, client name: String?) throws -> IMClient.Completion? {
        let id = try client(name)
        let completion = try worldCall { core -> IMClient.Completion? in
            let start = core.eventsSeen
            let number = try core.command(command, client: id)
            return Shell.completion(of: number, in: core, from: start)
        }
        if let completion, completion.status != .ok, completion.status != .stored {
            let call = CallKind(command)
            let code = plan.dialect.code(for: completion.status, of: call)
            let advice = StatusAdvice(dialect: plan.dialect).text(for: completion.status, of: command)
            let reason = completion.status.name + (advice.map { ": \($0)" } ?? "")
            throw CommandFailure("\(call.word) failed: \(code) (\(reason))", code: code.description)
        }
        return completion
    }

    /// Passes a command to the server and returns its completion.
    ///
    /// - Throws: ``CommandFailure`` if the server rejected the command.
    func submit(_ command: IMServer.ServerCommand) throws -> IMClient.Completion {
        let completion = try worldCall { core -> IMClient.Completion? in
            let start = core.eventsSeen
            let number = try core.command(command)
            return Shell.completion(of: number, in: core, from: start)
        }
        guard let completion else { throw CommandFailure("the server did not answer") }
        guard completion.status == .ok else {
            throw CommandFailure("the server refused: \(completion.status.name)", code: completion.status.name)
        }
        return completion
    }

    private static func completion(of number: CommandID, in core: WorldCore, from start: Int) -> IMClient.Completion? {
        for event in core.events(from: start) {
            if case .effect(.complete(let id, let completion)) = event.content, id == number { return completion }
        }
        return nil
    }

    /// Calls `body` on the world's thread. A `WorldError` becomes a ``CommandFailure``.
    func worldCall<Value: Sendable>(_ body: @escaping @Sendable (WorldCore) throws -> Value) throws -> Value {
        do {
            return try world.perform(body)
        } catch let error as WorldError {
            throw CommandFailure(error.description)
        }
    }

    // MARK: Printing

    /// Prints a result and stores it for `expect output`.
    package func printResult(_ text: String) {
        printed.append(text)
        output.line(text)
    }

    // MARK: The session

    /// Starts a new session with another profile.
    ///
    /// If the new recording cannot be created, the old session continues. If the new world cannot be opened, a new
    /// session with the old profile begins. If the old recording could not be completed, the requested session begins.
    ///
    /// - Throws: ``ShellError`` in each of these cases.
    func startNewSession(with dialect: any Dialect) throws {
        let isRecording = recordingPath != nil
        var newPlan = plan
        newPlan.startNewSession(with: dialect, in: host)
        let recording = isRecording ? try files.begin(newPlan, path: nil) : nil
        var closingError: (any Error)?
        // The old world closes first, because both worlds use the same files of the data folder.
        do { try close() } catch { closingError = error }
        do {
            try open(newPlan, recording: recording)
        } catch {
            if let path = recording?.path { unlink(path) }
            // The shell needs a world for the next commands.
            var oldPlan = plan
            oldPlan.startNewSession(with: plan.dialect, in: host)
            let profile = plan.dialect.profile
            do {
                try open(oldPlan, recording: isRecording ? files.begin(oldPlan, path: nil) : nil)
            } catch let second {
                throw ShellError(
                    message: "\(error); the old session has ended, and no new session with \(profile) can begin: "
                        + "\(second); 'use \(profile)' tries again", reason: .environment)
            }
            throw ShellError(
                message: "\(error); the old session has ended, and a new session with \(profile) begins",
                reason: .environment)
        }
        if let closingError {
            throw ShellError(
                message: "\(closingError); a new session with \(dialect.profile) begins", reason: .environment)
        }
    }

    /// Opens the world of a new session.
    private func open(_ newPlan: WorldPlan, recording: Recording?) throws {
        log = EventLog(dialect: newPlan.dialect)
        view.setDialect(newPlan.dialect)
        Self.show(log, on: view, showsAdvice: isInteractive && newPlan.settings.connect == nil)
        Self.printBegin(newPlan, recording: recording, on: output)
        let eventOutput = newPlan.kind == .live ? output.nonBlocking : output
        world = try newPlan.open(in: host, recording: recording, log: log) { eventOutput.error($0) }
        plan = newPlan
        recordingPath = recording?.path
        hasAutomaticName = recording != nil
        isClosed = false
        cursors = [:]
        lastWaitCursor = .start
        lastCommands = [:]
        currentClient = nil
        clientPolicy = nil
    }

    func setRecording(_ recording: Recording?, hasAutomaticName: Bool = false) throws {
        // After this call, only the world's thread uses the recording.
        let recordingBox = UncheckedSendableBox(recording)
        try world.perform { try $0.replaceRecording(recordingBox.value) }
        recordingPath = recording?.path
        self.hasAutomaticName = hasAutomaticName
    }

    /// Ends the world and completes the recording. A second call has no effect.
    ///
    /// - Throws: ``ShellError`` if the recording could not be completed.
    package func close() throws {
        guard !isClosed else { return }
        isClosed = true
        var failure: RecordingFailure?
        var isEmpty = false
        do {
            isEmpty = try world.perform { !$0.hasActivity }
        } catch let thrown as RecordingFailure {
            failure = thrown
        }
        do {
            try world.shutDown()
        } catch {
            // `shutDown` can fail for the same reason as the recording. Only the first error is reported.
            if let failure { throw ShellError(message: failure.description, reason: .environment) }
            throw ShellError(
                message: "\(recordingPath.map { "'\($0)'" } ?? "the recording") is not complete: \(error)",
                reason: .environment)
        }
        if let failure { throw ShellError(message: failure.description, reason: .environment) }
        if isEmpty { deleteRecording() }
    }
}

extension Shell {
    /// Prints the JSON object for the start of the session, before any event. Text output has no such line.
    private static func printBegin(_ plan: WorldPlan, recording: Recording?, on output: any ShellOutput) {
        var object = AnswerObject(.begin)
        object.add("profile", plan.dialect.profile)
        object.add("world", plan.kind.rawValue)
        object.add("seed", number: plan.seed)
        object.add("recording", recording?.path)
        output.object(object)
    }

    /// Deletes a recording in which nothing happened, if the program chose its name, so that the list of sessions does
    /// not contain it.
    private func deleteRecording() {
        guard hasAutomaticName, let path = recordingPath else { return }
        unlink(path)
        recordingPath = nil
    }

    /// Completes the recording when a signal ends the program. Called on a different thread than the shell's.
    package func completeRecording() {
        // A simulated world runs on the thread that runs the lines. If a line is running, this waits for its end, at
        // most one second.
        guard !world.isSimulated || lineLock.lock(before: Date() + 1) else { return }
        let hasNoActivity = try? world.perform { core in
            try core.closeRecording()
            return !core.hasActivity
        }
        if hasNoActivity == true { deleteRecording() }
    }
}
