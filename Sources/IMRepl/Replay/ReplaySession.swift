import IMClient
import IMDialects
import IMProtocol
import IMScript
import IMSession
import LineEditing
import Recorder
import SansIO

/// The inside of a recording, as the commands of the replay prompt have it: where one stands, what is known there, and
/// where the words go. Confined to the thread that runs the commands.
final class ReplaySession {
    let path: String
    let reader: SessionReader
    let schema = IMSessionSchema()
    let dialect: any Dialect
    let output: Output
    /// A person sits in front of it: what helps only a person, such as how long something took, is said then. In a
    /// script the same input gives the same words.
    let isInteractive: Bool
    let interruption: Interruption?
    /// The machines at every event, and the events.
    var timeline: Timeline<IMSessionSchema>
    let narrator: Narrator
    /// The positions visited, the current one among them.
    private(set) var places = Places()
    /// Where the machines were last asked for.
    private var lastState: UInt64 = 0
    var stops = StopList()
    /// Which link is which connection; see ``linkPairs()``.
    var linkTable: LinkPairs?
    /// The fork that the lines go to until it ends.
    var forked: ForkSession?
    /// Set by `quit`.
    var isOver = false
    /// The lines typed so far.
    var typed: [String] = []
    /// The last step, which an empty line repeats.
    var lastStep: Statement?
    /// Whether long answers go through a pager.
    var pages = false

    /// - Throws: ``EntryError`` with one line, as `show` does.
    convenience init(
        path: String, output: Output, isInteractive: Bool = false, interruption: Interruption? = nil
    ) throws {
        try self.init(
            try RecordingFiles.open(path), path: path, output: output, isInteractive: isInteractive,
            interruption: interruption)
    }

    /// - Parameter path: what it is called in errors.
    init(
        _ reader: SessionReader, path: String, output: Output, isInteractive: Bool = false,
        interruption: Interruption? = nil
    ) throws {
        guard let dialect = Dialects.named(reader.header.profile) else {
            throw EntryError(
                message: "\(path): this version does not speak the profile '\(reader.header.profile)'",
                outcome: .unreadable)
        }
        do {
            timeline = try Timeline(reader: reader, schema: IMSessionSchema())
        } catch {
            throw EntryError(message: "\(path): \(error)", outcome: .unreadable)
        }
        self.path = path
        self.reader = reader
        self.dialect = dialect
        self.output = output
        self.isInteractive = isInteractive
        self.interruption = interruption
        narrator = Narrator(dialect: dialect)
    }

    // MARK: Where one stands

    /// The number of the last event that has happened; 0 is before all.
    var position: UInt64 { timeline.position }
    var count: UInt64 { timeline.count }

    /// The machines at the position. A person is told when that took going back and running forward again.
    func state() throws -> Replay<IMSessionSchema> {
        defer { lastState = position }
        guard isInteractive, position < lastState else { return try timeline.state() }
        let clock = ContinuousClock()
        let start = clock.now
        let state = try timeline.state()
        let took = (clock.now - start).components
        let milliseconds = took.seconds * 1000 + took.attoseconds / 1_000_000_000_000_000
        let events = timeline.lastRun
        if events == 0 { return state }
        output.line([.init("replayed \(events) event\(events == 1 ? "" : "s") in \(milliseconds) ms", .dim)])
        return state
    }

    /// The moment of the position.
    func time() throws -> Instant {
        position == 0 ? .zero : try timeline.event(position).time
    }

    /// Goes somewhere, notes the place for `back`, and prints the event there.
    func move(to number: UInt64) throws {
        let from = position
        try timeline.go(to: number)
        places.visit(number, from: from)
        try printStop()
    }

    /// Goes to a place that was visited, without forgetting the others.
    func revisit(_ step: Int) throws {
        guard let number = places.turn(step, from: position) else {
            throw CommandFailure(
                step < 0 ? "no place was visited before this one" : "no place was visited after this one")
        }
        try timeline.go(to: number)
        try printStop()
    }

    /// The line of the event at the position.
    func printStop() throws {
        if position == 0 {
            output.line("before the first of \(count) events")
        } else {
            try print(event(position))
        }
    }

    // MARK: Events

    /// An event in the terms of this project.
    func event(_ number: UInt64) throws -> SessionEvent {
        decoded(try timeline.event(number))
    }

    func decoded(_ event: Event) -> SessionEvent {
        event.withView { decoded($0) }
    }

    func decoded(_ view: EventView) -> SessionEvent {
        SessionEvent(view, node: reader.name(of: view.node), schema: schema)
    }

    /// What happened, in the words of `show`.
    func text(of event: SessionEvent) throws -> String {
        try learnCommand(of: event)
        return narrator.tell(event).text
    }

    /// Prints an event as a line, or as an object where a program reads.
    func print(_ event: SessionEvent) throws {
        output.event(event, try text(of: event), dialect: dialect)
    }

    /// Number, time, node and words, in the colours of `show`.
    func line(of event: SessionEvent) throws -> [Prompt.Part] {
        EventText.line(event, try text(of: event), output: output)
    }

    /// A completion carries only the number of its command: the command is looked for when it was not passed on the
    /// way here.
    func learnCommand(of event: SessionEvent) throws {
        guard case .effect(.complete(let id, _)) = event.content, narrator.commands[id.rawValue] == nil,
            narrator.serverCommands[id.rawValue] == nil
        else { return }
        _ = try timeline.last(before: event.number) { view in
            guard view.role == .input, view.channel == .sdk else { return false }
            let command = decoded(view)
            narrator.note(command)
            return command.commandID == id
        }
    }

    // MARK: Nodes

    /// The node of a name; the only client when there is one, or the node of the position, for no name.
    func node(named name: String?) throws -> NodeIndex {
        if let name {
            if let node = reader.node(named: name), node != .session { return node }
            throw CommandFailure(
                "there is no node '\(name)' in this recording"
                    + (Suggestion.hint(for: name, among: nodeNames).map { "; \($0)" } ?? ""))
        }
        if let node = try currentNode() { return node }
        let state = try state()
        guard let first = state.running.first(where: { state[$0]?.client != nil }) else {
            throw CommandFailure("no client runs here; name a node: \(nodeNames.joined(separator: ", "))")
        }
        return first
    }

    /// The node of the event at the position.
    func currentNode() throws -> NodeIndex? {
        guard position > 0 else { return nil }
        let node = try timeline.event(position).node
        return node == .session ? nil : node
    }

    var nodeNames: [String] { reader.nodes.filter { $0 != "session" && !$0.isEmpty } }

    /// The machines of the session, in order.
    var nodes: [NodeIndex] {
        reader.nodes.indices.dropFirst().map { NodeIndex(rawValue: UInt16(clamping: $0)) }
    }

    // MARK: Prompt

    /// `replay 41/210 t=+3.250s phone> `
    func prompt() throws -> Prompt {
        if let forked { return try forked.shell.prompt() }
        // Between two coloured parts stands a plain one: libedit hangs a colour on the character behind it.
        var parts: [Prompt.Part] = [
            .init("replay "), .init("\(position)", .bold), .init("/\(count) "),
            .init("t=+\(try time().secondsText)", .dim),
        ]
        if let node = try currentNode() { parts += [.init(" "), .init(reader.name(of: node), .bold)] }
        parts.append(.init("> "))
        return Prompt(parts)
    }
}

extension SessionEvent {
    /// The command that it is, or that it completes.
    var commandID: CommandID? {
        switch content {
        case .input(.clientCommand(let id, _)), .input(.serverCommand(let id, _)), .effect(.complete(let id, _)): id
        default: nil
        }
    }
}

/// The positions visited, like the pages of a browser.
struct Places: Equatable, Sendable {
    /// More are not kept.
    static let countMax = 1000

    private(set) var numbers: [UInt64] = [0]
    private(set) var index = 0

    /// Goes somewhere new: what was ahead is forgotten.
    mutating func visit(_ number: UInt64, from: UInt64) {
        guard number != from else { return }
        numbers.removeSubrange((index + 1)...)
        if numbers[index] != from { numbers.append(from) }
        numbers.append(number)
        if numbers.count > Places.countMax { numbers.removeFirst(numbers.count - Places.countMax) }
        index = numbers.count - 1
    }

    /// The place before (-1) or after (1); nil at the end of the list.
    mutating func turn(_ step: Int, from: UInt64) -> UInt64? {
        guard numbers.indices.contains(index + step) else { return nil }
        index += step
        return numbers[index]
    }
}
