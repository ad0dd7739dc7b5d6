import IMDebugger
import IMSession
import IMShell
import IMText
import Recorder

/// The commands for the prompt itself.
extension ReplayCommands {
    static let prompt: [ReplayCommand] = [
        ReplayCommand(
            name: "help", group: .prompt, usage: "[CMD|RULE|WORD]",
            summary: "List the commands; explain a command, a rule or a code.",
            examples: ["help", "help rcontinue", "help filter", "help C-5", "help 417"], arguments: [.command],
            run: { session, line in
                guard let name = line.arguments.first else {
                    return session.help(ReplayHelp.overview, ReplayHelp.object)
                }
                if let command = named(name) {
                    return session.help(ReplayHelp.text(of: command), ReplayHelp.object(of: command))
                }
                let help = HelpText(table: .shell, library: .find())
                let text: String?
                do throws(WordError) {
                    text = try help.topic(name, Array(line.arguments.dropFirst())) ?? help.meaning(of: line.arguments)
                } catch {
                    throw CommandFailure(error.message)
                }
                if let text { return session.help(text, help.object(for: line.arguments, text: text)) }
                if let known = RuleCatalogue.ids(like: name) {
                    throw CommandFailure("there is no rule '\(name)'; available: \(known)")
                }
                let hint = Suggestion.nearest(to: name, among: all.map(\.name))
                throw CommandFailure("there is no command '\(name)'" + (hint.map { "; did you mean '\($0)'?" } ?? ""))
            }),
        ReplayCommand(
            name: "history", group: .prompt, usage: "[N]",
            summary: "Show the history of typed lines, or its last N lines.",
            examples: ["history", "history 5"],
            check: { line in _ = try line.number() },
            run: { session, line in
                let count = try line.number().map { Int(clamping: $0) } ?? Int.max
                for (number, text) in session.typedLines.enumerated().suffix(count) {
                    session.output.line("\(number + 1)  \(text)")
                }
            }),
        ReplayCommand(
            name: "clock", group: .prompt, usage: "[relative | wall | both]",
            summary: "Show times since the start, wall clock times, or both.",
            examples: ["clock", "clock both"], arguments: [.words(EventClock.Shown.allCases.map(\.rawValue))],
            check: { line in _ = try line.shownClock() },
            run: { session, line in
                guard let shown = try line.shownClock() else {
                    return session.output.line("clock=\(session.output.clock.shown.rawValue)")
                }
                session.output.clock.shown = shown
                if session.output.clock.isMissing { session.output.line(EventClock.missing) }
            }),
        ReplayCommand(
            name: "clear", group: .prompt, summary: "Clear the screen.",
            run: { session, _ in
                session.output.clearScreen()
            }),
        ReplayCommand(
            name: "quit", group: .prompt, summary: "Leave the replay; ^D does the same.",
            run: { session, _ in
                session.isOver = true
            }),
    ]
}

extension ReplayLine {
    fileprivate func shownClock() throws -> EventClock.Shown? {
        guard let text = try optionalArgument() else { return nil }
        guard let shown = EventClock.Shown(rawValue: text) else {
            throw CommandFailure("invalid clock '\(text)'; use one of: relative, wall, both")
        }
        return shown
    }
}

extension ReplaySession {
    fileprivate func help(_ text: String, _ object: @autoclosure () -> AnswerObject) {
        if output.form == .json { output.object(object()) } else { output.line(text) }
    }
}

/// The text of `help`.
enum ReplayHelp {
    /// ``overview`` as an object for programs.
    static var object: AnswerObject {
        var object = AnswerObject(.help)
        object.add("about", "")
        object.add("text", overview)
        object.add("commands", objects: ReplayCommands.all.map { HelpText.row($0.name, $0.summary) })
        return object
    }

    /// ``text(of:)`` as an object for programs.
    static func object(of command: ReplayCommand) -> AnswerObject {
        var object = AnswerObject(.help)
        object.add("about", command.name)
        object.add("text", text(of: command))
        object.add("summary", command.summary)
        object.add("usage", command.usageLine)
        object.add("examples", texts: command.examples)
        return object
    }

    static var overview: String {
        var lines = [
            "A first example:", "  goto end", "  rcontinue kick", "  why", "  state", "",
        ]
        let width = ReplayCommands.all.map(\.usageLine.count).filter { $0 <= 24 }.max() ?? 0
        for group in ReplayCommand.Group.allCases {
            let commands = ReplayCommands.all.filter { $0.group == group }
            guard !commands.isEmpty else { continue }
            lines.append(group.rawValue.uppercased())
            for command in commands {
                let usage = command.usageLine.count <= width ? command.usageLine : command.name + " …"
                let gap = String(repeating: " ", count: width + 3 - usage.count)
                lines.append("  \(usage)\(gap)\(command.summary)")
            }
            lines.append("")
        }
        lines.append("A position is the number of the last event; 0 is before the first event.")
        lines.append(
            "'help COMMAND' explains a command, 'help filter' EXPR. TAB completes, ^C drops the line, ^D leaves.")
        lines.append("Enter alone repeats the last step, next or continue.")
        return lines.joined(separator: "\n")
    }

    static func text(of command: ReplayCommand) -> String {
        var lines = ["\(command.name): \(command.summary)", ""]
        if !command.examples.isEmpty { lines += ["EXAMPLES"] + command.examples.map { "  \($0)" } + [""] }
        lines += ["USAGE", "  \(command.usageLine)"]
        let short = ReplayCommands.shorthands.filter { $0.value == command.name }.map(\.key).sorted()
        if !short.isEmpty { lines.append("  short: \(short.joined(separator: ", "))") }
        if !command.notes.isEmpty { lines += ["", command.notes] }
        return lines.joined(separator: "\n")
    }
}
