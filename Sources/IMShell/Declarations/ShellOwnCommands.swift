import ArgumentParser
import IMDebugger

struct HelpCommand: WordListCommand {
    static var wordList: WritableKeyPath<Self, [TextArgument]> { \.words }
    static let configuration = CommandConfiguration(
        commandName: "help",
        abstract: "Explain commands, rules and terms.",
        discussion: Discussion.examples(
            "help", "help login", "help server account", "help @world", "help profiles", "help recordings",
            "help scripts", "help rules CHAT-3", "help rules token",
            notes: "Find rules by id (CHAT-3), by group (NIM), or by words of their text."),
        aliases: ["?"])

    @Argument(help: ArgumentHelp("A command, '@GROUP', or a topic.", valueName: "command"))
    var words: [TextArgument] = []

    mutating func resolve() throws(WordError) {
        _ = try HelpText(table: .shell).text(for: words.map(\.value))
    }

    var nature: CommandNature { .answers }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let help = HelpText(table: .shell, library: shell.library)
        let words = words.map(\.value)
        let text = try help.text(for: words)
        try shell.help(text, help.object(for: words, text: text))
    }
}

struct HistoryCommand: ShellCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show the history of typed lines.",
        discussion: Discussion.examples("history", "history 50", "history login", "history login --count 5"))

    @Argument(help: ArgumentHelp("Only lines that contain this text; a number: the newest N lines.", valueName: "text"))
    var text: TextArgument?

    @Option(
        help: ArgumentHelp("The number of newest lines.", valueName: "number"),
        transform: WholeNumber.in(1...1_000_000, "lines"))
    var count: Int?

    var nature: CommandNature { .answers }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let number = count == nil ? text.flatMap { Int($0.value) }.flatMap { $0 >= 1 ? $0 : nil } : nil
        try shell.history(
            HistoryRequest(count: count ?? number ?? 20, text: number == nil ? text?.value : nil))
    }
}

struct ClearCommand: ShellCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Clear the screen.", discussion: Discussion.examples("clear"))

    var nature: CommandNature { .controlsShell }

    mutating func execute(in shell: any ShellContext, client: String?) throws { try shell.clear() }
}

struct SetCommand: ShellCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change a setting of the shell, or show all.",
        discussion: Discussion.examples(
            "set", "set settle=0s", "set expect.timeout=5s",
            notes: """
                settle: the virtual time that passes after each command typed at the simulated prompt; the default \
                is 2s. Commands on one line, such as 'login alice; net down', run at the same moment; then it \
                passes once. With settle=0s only 'wait' and 'expect' let time pass, as in scripts and pipes.
                expect.timeout: how long an expectation without 'within' waits.
                clock: the times of events: relative (since the start), wall or both. A simulated session has a wall \
                clock only with --epoch.
                events: which events are shown: all, normal, quiet or off.
                on-error: stop or continue after a line from a pipe fails.
                pager: on or off, for long answers.
                """))

    @Argument(help: ArgumentHelp("The setting and its value.", valueName: "setting"))
    var setting: AssignmentArgument?

    var nature: CommandNature { .controlsShell }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.set(setting?.pair)
    }
}

struct SourceCommand: WordListCommand {
    static var wordList: WritableKeyPath<Self, [AssignmentArgument]> { \.variables }
    static let configuration = CommandConfiguration(
        commandName: "source",
        abstract: "Run the commands of a file.",
        discussion: Discussion.examples("source setup.imr", "source lib/two-devices.imr user=alice"))

    @Argument(help: "The script; relative to the file that contains this line.")
    var file: TextArgument

    @Argument(help: ArgumentHelp("Variables for the script: name=value.", valueName: "name=value"))
    var variables: [AssignmentArgument] = []

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.source(SourceRequest(file: file.value, variables: variables.map(\.pair)))
    }
}

struct StatusCommand: ShellCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show world, clients, network and recording on one screen.",
        discussion: Discussion.examples("status"))

    var nature: CommandNature { .queriesState }

    mutating func execute(in shell: any ShellContext, client: String?) throws { try shell.status() }
}

struct TimelineCommand: ShellCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Draw the states of all clients, with kicks and faults.",
        discussion: Discussion.examples(
            "timeline",
            notes: "Time is not to scale, so that milliseconds and hours are both visible."))

    var nature: CommandNature { .queriesState }

    mutating func execute(in shell: any ShellContext, client: String?) throws { try shell.timeline() }
}

struct QuitCommand: ShellCommand {
    static let configuration = CommandConfiguration(
        commandName: "quit", abstract: "Leave the shell.",
        discussion: Discussion.examples(
            "quit", "quit 3", notes: "'exit', 'q' and ^D at the beginning of a line do the same."),
        aliases: ["exit", "q"])

    @Argument(help: ArgumentHelp("The exit code, 0…255.", valueName: "code"), transform: WholeNumber.in(0...255))
    var code: Int32?

    var nature: CommandNature { .controlsShell }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.quit(code: code)
    }
}

struct EchoCommand: WordListCommand {
    static var wordList: WritableKeyPath<Self, [TextArgument]> { \.text }
    static let configuration = CommandConfiguration(
        commandName: "echo", abstract: "Print a text.", discussion: Discussion.examples("echo $user is ready"))

    @Argument(help: "The text.")
    var text: [TextArgument] = []

    var nature: CommandNature { .controlsShell }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.show(text.map(\.value).joined(separator: " "))
    }
}
