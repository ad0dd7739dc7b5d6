import IMDebugger
import IMShell
import Recorder

/// The commands that run up to an event, and the conditions at which they stop.
extension ReplayCommands {
    static let stopping: [ReplayCommand] = [
        ReplayCommand(
            name: "break", group: .stopping, usage: "EXPR [--count N] | list | delete N",
            summary: "Stop 'continue' and 'rcontinue' at events that match EXPR.",
            notes: """
                EXPR is a condition ('help filter'): a word such as kick, or comparisons.
                With --count N the first N-1 hits do not stop.
                """,
            examples: [
                "break kind == transition and to == reconnecting", "break kick and node == phone",
                "break frame --count 3", "break list",
                "break delete 1",
            ],
            arguments: [.filter], options: ["--count"], check: { line in _ = try BreakAction(line) },
            run: { session, line in try session.perform(try BreakAction(line)) }),
        ReplayCommand(
            name: "watch", group: .stopping, usage: "FIELD | list | delete N",
            summary: "Stop 'continue' and 'rcontinue' at changes of a field.",
            notes:
                "A FIELD is as for 'print'. Both directions stop at the event whose input changed it.",
            examples: ["watch phone.state", "watch phone.login.retryCount", "watch list", "watch delete 2"],
            arguments: [.path],
            check: { line in if line.words.first != "delete" { _ = try line.requiredArgument("a field") } },
            run: { session, line in try session.watch(line) }),
    ]

    static func run(name: String, isForward: Bool) -> ReplayCommand {
        return ReplayCommand(
            name: name, group: .moving, usage: "[EXPR]",
            summary: isForward
                ? "Run to the next stop or the end; with EXPR, to the next matching event."
                : "Run back to the last stop or the beginning; with EXPR, to the last matching event.",
            notes: """
                Stops are those of 'break' and 'watch'; with EXPR they are ignored this once. EXPR is a condition \
                ('help filter'); these words are conditions:
                """ + "\n" + FilterWord.lines.joined(separator: "\n"),
            examples: [name, "\(name) kick", "\(name) node == phone and kind == link"], arguments: [.filter],
            check: { line in if !line.text.isEmpty { _ = try ReplayCondition(line.text) } },
            run: { session, line in
                let once = line.text.isEmpty ? nil : try ReplayCondition(line.text)
                try session.run(isForward: isForward, once: once)
            })
    }
}

/// The action of `break`.
private enum BreakAction {
    case add(ReplayCondition, count: Int)
    case list
    case delete(Int)

    init(_ line: ReplayLine) throws {
        switch line.words.first {
        case nil: throw CommandFailure("a condition is missing, or 'list' or 'delete N'")
        case "list" where line.words.count == 1: self = .list
        case "delete": self = .delete(try line.numberToDelete())
        default:
            var text = line.text
            var count = 1
            if let option = line.words.firstIndex(of: "--count") {
                guard let number = line.words.at(option + 1).flatMap({ Int($0) }), number > 0,
                    option + 2 == line.words.count, let range = text.range(of: " --count ")
                else { throw CommandFailure("'--count N' must be last, and N must be at least 1") }
                count = number
                text = String(text[..<range.lowerBound])
            }
            self = .add(try ReplayCondition(text), count: count)
        }
    }
}

extension ReplayLine {
    fileprivate func numberToDelete() throws -> Int {
        guard words.count == 2, let number = Int(words[1]) else {
            throw CommandFailure("'delete' takes one number from 'list'")
        }
        return number
    }
}

extension ReplaySession {
    /// Runs to the next stop, or to the end of the recording in this direction if there is none.
    func run(isForward: Bool, once: ReplayCondition?) throws {
        if position == (isForward ? count : 0) { return printEdge(isForward: isForward) }
        guard once != nil || !debug.stops.isEmpty else { return try move(to: isForward ? count : 0) }
        guard let found = try StopSearch(session: debug, until: once).run(isForward: isForward) else {
            if let once {
                let elsewhere = try debug.matchesElsewhere(isForward: isForward) { try once.holds(for: $0, in: $1) }
                throw CommandFailure(
                    "no event \(isForward ? "after" : "before") \(position) matches '\(once.text)'\(elsewhere)")
            }
            output.line(isForward ? "no stop before the end" : "no stop before the beginning")
            return try move(to: isForward ? count : 0)
        }
        for text in found.texts { output.line(text) }
        try move(to: found.event)
    }

    fileprivate func perform(_ action: BreakAction) throws {
        switch action {
        case .add(let condition, let count):
            let added = debug.stops.add(condition, count: count)
            output.line("break \(added.number): \(condition.text)\(count > 1 ? " --count \(count)" : "")")
        case .list:
            if debug.stops.breaks.isEmpty { output.line("no breakpoints") }
            for item in debug.stops.breaks { output.line(item.text) }
        case .delete(let number):
            guard debug.stops.deleteBreak(number) else { throw CommandFailure("there is no breakpoint \(number)") }
        }
    }

    fileprivate func watch(_ line: ReplayLine) throws {
        switch line.words.first {
        case "list":
            if debug.stops.watches.isEmpty { output.line("no watches") }
            for item in debug.stops.watches {
                let value = try item.path.value(in: state())?.displayed(item.path.lastName).line ?? "-"
                output.line("\(item.number)  \(item.path.text) = \(value)")
            }
        case "delete":
            let number = try line.numberToDelete()
            guard debug.stops.deleteWatch(number) else { throw CommandFailure("there is no watch \(number)") }
        default:
            let path = try StatePath(try line.requiredArgument("a field"), in: debug)
            try debug.requireField(path)
            let value = try path.value(in: state())?.displayed(path.lastName).line ?? "-"
            output.line("watch \(debug.stops.watch(path).number): \(path.text) = \(value)")
        }
    }
}
