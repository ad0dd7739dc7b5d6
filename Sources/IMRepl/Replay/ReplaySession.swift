import IMClient
import IMDebugger
import IMProfiles
import IMSession
import IMShell
import IMText
import LineEditing
import Recorder
import SansIO

/// A replay: a recording, a position in it, and an output. Confined to the thread that runs the commands.
final class ReplaySession {
    let debug: DebugSession
    let path: String
    let output: any ShellOutput
    /// True if a user types the commands. Elapsed times are shown only to a user, because the same script must always
    /// give the same output.
    let isInteractive: Bool
    let interruption: Interruption?
    /// The position at the last call of ``state()``.
    private var lastStatePosition: UInt64 = 0
    /// The fork that receives the lines until it ends; nil if there is none.
    var currentFork: ForkSession?
    /// Set by `quit`.
    var isOver = false
    /// The lines typed so far.
    var typedLines: [String] = []
    /// The last step, which an empty line repeats.
    var lastStep: Statement?
    /// True if long answers go through a pager.
    var pages = false

    /// - Throws: ``ShellError`` with one line, as `show` does.
    convenience init(
        path: String, output: any ShellOutput, isInteractive: Bool = false, interruption: Interruption? = nil
    ) throws {
        try self.init(
            try RecordingFiles.open(path), path: path, output: output, isInteractive: isInteractive,
            interruption: interruption)
    }

    /// - Parameter path: the name of the recording in errors.
    init(
        _ reader: SessionReader, path: String, output: any ShellOutput, isInteractive: Bool = false,
        interruption: Interruption? = nil
    ) throws {
        do {
            debug = try DebugSession(reader)
        } catch {
            throw ShellError(message: "\(path): \(error)", reason: .unreadable)
        }
        self.path = path
        self.output = output
        output.clock.wall = WallClock(reader.header)
        self.isInteractive = isInteractive
        self.interruption = interruption
        debug.isInterrupted = { interruption?.take() == true }
    }

    // MARK: The recording

    var reader: SessionReader { debug.reader }
    var dialect: any Dialect { debug.dialect }
    var timeline: Timeline<IMSessionSchema> {
        get { debug.timeline }
        _modify { yield &debug.timeline }
    }
    var position: UInt64 { debug.position }
    var count: UInt64 { debug.count }
    var nodes: [NodeIndex] { debug.nodes }
    var nodeNames: [String] { debug.nodeNames }

    func time() throws -> Instant { try debug.time() }
    func event(_ number: UInt64) throws -> SessionEvent { try debug.event(number) }
    func decoded(_ view: EventView) -> SessionEvent { debug.decoded(view) }
    func decoded(_ event: Event) -> SessionEvent { debug.decoded(event) }
    func text(of event: SessionEvent) throws -> String { try debug.text(of: event) }
    func node(named name: String?) throws -> NodeIndex { try debug.node(named: name) }
    func currentNode() throws -> NodeIndex? { try debug.currentNode() }

    /// The machines at the position. At the prompt, a replay from an earlier keyframe is reported with its number of
    /// events and its duration.
    func state() throws -> Replay<IMSessionSchema> {
        defer { lastStatePosition = position }
        guard isInteractive, position < lastStatePosition else { return try debug.state() }
        let clock = ContinuousClock()
        let start = clock.now
        let state = try debug.state()
        let milliseconds = Int64((clock.now - start).inSeconds * 1000)
        let events = timeline.lastRun
        if events == 0 { return state }
        output.line([.init("replayed \(events) event\(events == 1 ? "" : "s") in \(milliseconds) ms", .dim)])
        return state
    }

    // MARK: Output

    /// Moves to an event, and prints the event.
    func move(to number: UInt64) throws {
        try debug.move(to: number)
        try printCurrentEvent()
    }

    /// Moves by `step` in the list of visited positions, as a browser does. The list does not change.
    func revisit(_ step: Int) throws {
        try debug.revisit(step)
        try printCurrentEvent()
    }

    func printCurrentEvent() throws {
        if position == 0 {
            output.line("before the first of \(count) events")
        } else {
            try print(event(position))
        }
    }

    /// Prints an event as a line, or as an object for programs.
    func print(_ event: SessionEvent) throws {
        output.event(event, try text(of: event), dialect: dialect, undelivered: try debug.undelivered(event))
    }

    /// The number, time, node and text of an event, in the colours of `show`.
    func line(of event: SessionEvent) throws -> [StyledText] {
        try explanations.line(of: event)
    }

    var explanations: ExplanationPrinter { ExplanationPrinter(debug, output: output) }

    // MARK: Prompt

    /// The prompt, such as `replay 41/210 t=+3.250s phone> `; in a fork, the prompt of its shell.
    func prompt() throws -> Prompt {
        if let currentFork { return try currentFork.shell.prompt() }
        // The parts without colour separate the coloured ones: libedit attaches a colour to the character after it.
        var parts: [StyledText] = [
            .init("replay "), .init("\(position)", .bold), .init("/\(count) "),
            .init("t=\(output.clock.texts(of: try time()).joined(separator: " "))", .dim),
        ]
        if let node = try currentNode() { parts += [.init(" "), .init(reader.name(of: node), .bold)] }
        parts.append(.init("> "))
        return Prompt(parts)
    }
}
