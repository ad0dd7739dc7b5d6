import IMProtocol
import IMScript
import Recorder

/// Steps and jumps.
extension ReplayCommands {
    static let moving: [ReplayCommand] = [
        step(name: "step", direction: 1), step(name: "rstep", direction: -1),
        next(name: "next", isForward: true), next(name: "rnext", isForward: false),
        run(name: "continue", isForward: true), run(name: "rcontinue", isForward: false),
        finish, goto,
        ReplayCommand(
            name: "back", group: .moving, summary: "Go back to the place before, as in a browser.",
            run: { session, line in
                try line.takesNothing()
                try session.revisit(-1)
            }),
        ReplayCommand(
            name: "forward", group: .moving, summary: "Undo a 'back'.",
            run: { session, line in
                try line.takesNothing()
                try session.revisit(1)
            }),
    ]

    private static func step(name: String, direction: Int64) -> ReplayCommand {
        ReplayCommand(
            name: name, group: .moving, usage: "[N]",
            summary: direction > 0 ? "Go N events on (one, when N is left out)." : "Take back N events.",
            examples: [name, "\(name) 10"],
            check: { line in _ = try line.number() },
            run: { session, line in
                let distance = try line.number() ?? 1
                let place = direction > 0 ? ReplayPlace.forward(distance) : .backward(distance)
                let target = try place.resolve(in: session)
                if target == session.position { return session.sayEdge(isForward: direction > 0) }
                try session.move(to: target)
            })
    }

    private static func next(name: String, isForward: Bool) -> ReplayCommand {
        let word = isForward ? "next" : "last"
        return ReplayCommand(
            name: name, group: .moving, usage: "[KIND]",
            summary: "Go to the \(word) event of a kind; without one, to the \(word) transition.",
            notes: "KIND is one of: \(kinds.joined(separator: ", ")).",
            examples: [name, "\(name) frame", "\(name) command"], arguments: [.kind],
            check: { line in _ = try line.kind() },
            run: { session, line in
                let kind = try line.kind()
                let isWanted = { (view: EventView, session: ReplaySession) in
                    ReplayCommands.mayBe(kind, view) && session.decoded(view).kind == kind
                }
                guard let found = try session.search(isForward: isForward, where: isWanted) else {
                    let elsewhere = try session.elsewhere(isForward: isForward, where: isWanted)
                    throw CommandFailure(
                        "no \(kind) \(isForward ? "after" : "before") event \(session.position)\(elsewhere)")
                }
                try session.move(to: found)
            })
    }

    private static let goto = ReplayCommand(
        name: "goto", group: .moving, usage: "N|+N|-N|t=TIME|mark:NAME|begin|end",
        summary: "Go to an event, a moment or a mark.",
        notes: "t=12.5s is the last event that happened up to then. 'marks' lists the marks.",
        examples: ["goto 41", "goto -10", "goto t=12.5s", "goto mark:lift", "goto end"], arguments: [.place],
        check: { line in _ = try ReplayPlace(try line.one("a place")) },
        run: { session, line in
            try session.move(to: try ReplayPlace(try line.one("a place")).resolve(in: session))
        })

    private static let finish = ReplayCommand(
        name: "finish", group: .moving,
        summary: "Go to where what is under way here ends: the command, the link, or the answer.",
        notes: """
            On the node of the position: if a command is under way, to its result; else if a link is being made or is \
            open, to its end; else to the last thing that the node asked for in answer to the input here.
            """,
        run: { session, line in
            try line.takesNothing()
            try session.finish()
        })

    /// What `next` can look for: the kinds of `show --json`.
    static let kinds = [
        "transition", "frame", "command", "result", "callback", "link", "timer", "fault", "network", "app", "store",
        "presence", "mark", "start", "stop", "keyframe",
    ]

    /// Whether an event can be of a kind, told without decoding it.
    static func mayBe(_ kind: String, _ view: EventView) -> Bool {
        switch kind {
        case "transition", "store", "presence": view.role == .effect && view.channel == .runtime
        case "frame": view.channel == .transport
        case "command": view.role == .input && view.channel == .sdk
        case "result", "callback": view.role == .effect && view.channel == .sdk
        case "link": view.channel == .runtime && view.stream != 0
        case "timer", "network", "app": view.role == .input && view.channel == .runtime
        case "fault": view.role == .environment
        case "mark": view.role == .mark
        case "start": view.role == .start
        case "stop": view.role == .stop
        case "keyframe": view.role == .keyframe
        default: true
        }
    }
}

extension ReplayLine {
    func takesNothing() throws {
        guard words.isEmpty else { throw CommandFailure("nothing can stand behind this command") }
    }

    /// The one argument that there must be.
    func one(_ what: String) throws -> String {
        guard let first = arguments.first else { throw CommandFailure("\(what) is missing") }
        guard arguments.count == 1 else { throw CommandFailure("'\(arguments[1])' is one word too many") }
        return first
    }

    /// The one argument that there may be.
    func optional() throws -> String? {
        guard arguments.count <= 1 else { throw CommandFailure("'\(arguments[1])' is one word too many") }
        return arguments.first
    }

    /// A count that may be left out.
    func number() throws -> UInt64? {
        guard let text = try optional() else { return nil }
        guard let number = UInt64(text) else { throw CommandFailure("'\(text)' is no number") }
        return number
    }

    fileprivate func kind() throws -> String {
        let kind = try optional() ?? "transition"
        guard ReplayCommands.kinds.contains(kind) else {
            let hint = Suggestion.nearest(to: kind, among: ReplayCommands.kinds).map { "; did you mean '\($0)'?" }
            throw CommandFailure("there is no kind '\(kind)'" + (hint ?? "; 'help next' lists them"))
        }
        return kind
    }
}

extension ReplaySession {
    /// Says that there is nothing further this way, which is no failure.
    func sayEdge(isForward: Bool) {
        output.line(isForward ? "at the end: \(count) events" : "at the beginning")
    }

    /// The nearest event from here for which the condition holds, not looking at the position itself.
    func search(
        isForward: Bool, from start: UInt64? = nil, where condition: (EventView, ReplaySession) throws -> Bool
    ) throws -> UInt64? {
        let position = start ?? position
        var failure: (any Error)?
        var seen: UInt64 = 0
        let holds = { (view: EventView) -> Bool in
            guard failure == nil else { return true }
            seen &+= 1
            do {
                // A person who asked for too much gets the prompt back.
                if seen & 4095 == 0, self.interruption?.take() == true { throw CommandFailure("interrupted") }
                return try condition(view, self)
            } catch {
                failure = error
                return true
            }
        }
        let found =
            isForward
            ? try timeline.first(after: position, where: holds) : try timeline.last(before: position, where: holds)
        if let failure { throw failure }
        return found?.number
    }

    /// Goes to the end of what is under way at the position.
    func finish() throws {
        guard position > 0, let node = try currentNode() else {
            throw CommandFailure("nothing is under way here; 'next command' goes to a command")
        }
        if let end = try resultAhead(of: node) ?? linkEndAhead(of: node) ?? answerEnd(of: node) {
            return try move(to: end)
        }
        throw CommandFailure("nothing is under way on \(reader.name(of: node)) at event \(position)")
    }

    /// The result of the newest command of the node that has none yet.
    private func resultAhead(of node: NodeIndex) throws -> UInt64? {
        var open: [CommandID] = []
        _ = try timeline.first(after: 0, upTo: position) { view in
            guard view.node == node, view.channel == .sdk, view.role == .input || view.role == .effect else {
                return false
            }
            let event = decoded(view)
            guard let id = event.commandID else { return false }
            if view.role == .input { open.append(id) } else { open.removeAll { $0 == id } }
            return false
        }
        guard let id = open.last else { return nil }
        return try timeline.first(after: position) { view in
            view.node == node && view.channel == .sdk && view.role == .effect && self.decoded(view).commandID == id
        }?.number
    }

    /// Where the connection ends that the event at the position belongs to.
    private func linkEndAhead(of node: NodeIndex) throws -> UInt64? {
        let stream = try timeline.event(position).stream
        guard stream != 0 else { return nil }
        return try timeline.first(after: position) { view in
            guard view.node == node, view.stream == stream, view.channel == .runtime else { return false }
            switch self.decoded(view).content {
            case .input(.linkClosed), .input(.linkFailed), .effect(.closeLink): return true
            default: return false
            }
        }?.number
    }

    /// The last effect of the input that the position belongs to.
    private func answerEnd(of node: NodeIndex) throws -> UInt64? {
        let next = try timeline.first(after: position) { $0.role != .effect || $0.node != node }
        let end = next.map { $0.number - 1 } ?? count
        return end > position ? end : nil
    }
}
