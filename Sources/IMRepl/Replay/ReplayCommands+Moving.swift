import IMDebugger
import IMProtocol
import IMShell
import IMText
import Recorder

/// The commands that move the position.
extension ReplayCommands {
    static let moving: [ReplayCommand] = [
        step(name: "step", direction: 1), step(name: "rstep", direction: -1),
        jump(name: "next", isForward: true), jump(name: "rnext", isForward: false),
        run(name: "continue", isForward: true), run(name: "rcontinue", isForward: false),
        finish, goto,
        ReplayCommand(
            name: "back", group: .moving, summary: "Go back to the previous position, as in a browser.",
            run: { session, _ in
                try session.revisit(-1)
            }),
        ReplayCommand(
            name: "forward", group: .moving, summary: "Undo a 'back'.",
            run: { session, _ in
                try session.revisit(1)
            }),
    ]

    private static func step(name: String, direction: Int64) -> ReplayCommand {
        ReplayCommand(
            name: name, group: .moving, usage: "[N]",
            summary: direction > 0 ? "Go forward N events; the default is one." : "Go back N events.",
            examples: [name, "\(name) 10"],
            check: { line in _ = try line.number() },
            run: { session, line in
                let distance = try line.number() ?? 1
                let position = direction > 0 ? ReplayPosition.forward(distance) : .backward(distance)
                let target = try position.resolve(in: session.debug)
                if target == session.position { return session.printEdge(isForward: direction > 0) }
                try session.move(to: target)
            })
    }

    private static func jump(name: String, isForward: Bool) -> ReplayCommand {
        let word = isForward ? "next" : "last"
        return ReplayCommand(
            name: name, group: .moving, usage: "[KIND]",
            summary: "Go to the \(word) event of a kind; the default is a transition.",
            notes: "KIND is one of: \(EventKind.searchable.joined(separator: ", ")).",
            examples: [name, "\(name) frame", "\(name) command"], arguments: [.kind],
            check: { line in _ = try line.kind() },
            run: { session, line in
                let kind = try line.kind()
                let isWanted = { (view: EventView, session: DebugSession) in
                    EventKind.mayBe(kind, view) && session.decoded(view).kind == kind
                }
                guard let found = try session.debug.search(isForward: isForward, where: isWanted) else {
                    let elsewhere = try session.debug.matchesElsewhere(isForward: isForward, where: isWanted)
                    throw CommandFailure(
                        "no \(kind) \(isForward ? "after" : "before") event \(session.position)\(elsewhere)")
                }
                try session.move(to: found)
            })
    }

    private static let goto = ReplayCommand(
        name: "goto", group: .moving, usage: "N|+N|-N|TIME|mark:NAME|begin|end",
        summary: "Go to an event, a time or a mark.",
        notes: "12.5s, or t=12.5s, is the last event up to that time. 'marks' lists the marks.",
        examples: ["goto 41", "goto -10", "goto 12.5s", "goto mark:lift", "goto end"], arguments: [.position],
        check: { line in _ = try ReplayPosition(try line.requiredArgument("a position")) },
        run: { session, line in
            try session.move(to: try ReplayPosition(try line.requiredArgument("a position")).resolve(in: session.debug))
        })

    private static let finish = ReplayCommand(
        name: "finish", group: .moving,
        summary: "Go to the end of the current command, link or answer.",
        notes: """
            On the node of the position: to the result of a running command; otherwise to the end of a link that is \
            open or being opened; otherwise to the last effect of the current input.
            """,
        run: { session, _ in
            try session.finish()
        })
}

extension ReplayLine {
    /// The only argument, which is mandatory.
    func requiredArgument(_ what: String) throws -> String {
        guard let first = arguments.first else { throw CommandFailure("\(what) is missing") }
        guard arguments.count == 1 else { throw CommandFailure("unexpected argument '\(arguments[1])'") }
        return first
    }

    /// The only argument, which is optional.
    func optionalArgument() throws -> String? {
        guard arguments.count <= 1 else { throw CommandFailure("unexpected argument '\(arguments[1])'") }
        return arguments.first
    }

    /// An optional count.
    func number() throws -> UInt64? {
        guard let text = try optionalArgument() else { return nil }
        guard let number = UInt64(text) else {
            throw CommandFailure("invalid number '\(text)'; use a whole number from 0")
        }
        return number
    }

    fileprivate func kind() throws -> String {
        let kind = try optionalArgument() ?? "transition"
        guard EventKind.searchable.contains(kind) else {
            let hint = Suggestion.nearest(to: kind, among: EventKind.searchable).map { "; did you mean '\($0)'?" }
            throw CommandFailure("there is no kind '\(kind)'" + (hint ?? "; 'help next' lists them"))
        }
        return kind
    }
}

extension ReplaySession {
    /// Prints that the recording ends in this direction, which is no failure.
    func printEdge(isForward: Bool) {
        output.line(isForward ? "at the end: \(count) events" : "at the beginning")
    }

    /// Moves to the end of the operation in progress at the position.
    func finish() throws { try move(to: try debug.endOfPendingOperation()) }
}
