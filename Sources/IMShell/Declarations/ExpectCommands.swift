import ArgumentParser
import IMDebugger

/// A command whose arguments are the words of an expectation.
protocol ExpectationCommand: WordListCommand where ListedWord == TextArgument {
    static var isNegative: Bool { get }
    var words: [TextArgument] { get }
    /// The parsed expectation; nil until `resolve` is called.
    var clause: ExpectClause? { get set }
}

extension ExpectationCommand {
    static var takesClient: Bool { true }

    mutating func resolve() throws(WordError) {
        clause = try ExpectClause(words: words.map(\.value), isNegative: Self.isNegative)
    }

    var nature: CommandNature { .controlsShell }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        if clause == nil { try resolve() }
        if let clause { try shell.expect(clause, client: client) }
    }
}

struct ExpectCommand: ExpectationCommand {
    static var wordList: WritableKeyPath<Self, [TextArgument]> { \.words }
    static let isNegative = false
    static let configuration = CommandConfiguration(
        commandName: "expect",
        abstract: "Check that an event occurs, in order.",
        discussion: Discussion.examples(
            "expect state online within 5s", "@phone expect callback onLogin step=NIMLoginStepSyncOK",
            "expect frame out login seq=>$seq", "expect result code=417",
            "@pad expect callback onKick reason=1 as $kick",
            "expect none callback onKick for 30s", "expect callback onKick reason=1 and state kicked within 2s",
            "expect event kind == transition and to in {online, syncing} within 5s as $back",
            notes: """
                An expectation searches the client's events after the last matched one. Without 'within' it checks the \
                events up to now, and in the live world also the next 5 s (set expect.timeout). A field is key=value, \
                key!=value, key~/pattern/ or key=>$variable. A value printed as Name(1) can be given as Name, 1 or \
                Name(1), and a JSON string with or without its quotes. Join events that may occur in any order with \
                'and'. 'result' matches the newest command of that name in the current process. In 'imrepl test' an \
                expectation fails if it matches an event before the client's newest command. After 'event', write a \
                condition on events of any kind (help filter): 'as $back' then sets ${back.n}, ${back.t} and every \
                other field.
                """))

    @Argument(
        help: ArgumentHelp(
            "state, callback, frame, result, output or event, and its expected value.", valueName: "pattern"))
    var words: [TextArgument] = []

    var clause: ExpectClause?

    private enum CodingKeys: String, CodingKey { case words }
}

struct ExpectNoneCommand: ExpectationCommand {
    static var wordList: WritableKeyPath<Self, [TextArgument]> { \.words }
    static let isNegative = true
    static let configuration = CommandConfiguration(
        commandName: "expect-none",
        abstract: "Check that no such event occurs for a time.",
        discussion: Discussion.examples(
            "expect-none callback onKick for 30s", "@phone expect-none frame out login for 60s",
            "expect-none event kind == link and link == failed for 1m",
            notes: """
                It checks the events of that time. In a script it also checks the events that the commands since the \
                last 'wait' or 'expect' caused at once.
                """))

    @Argument(help: ArgumentHelp("The event that must not occur, then 'for' and a duration.", valueName: "pattern"))
    var words: [TextArgument] = []

    var clause: ExpectClause?

    private enum CodingKeys: String, CodingKey { case words }
}

struct CheckCommand: WordListCommand {
    static var wordList: WritableKeyPath<Self, [TextArgument]> { \.words }
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the whole session so far.",
        discussion: Discussion.examples(
            "check rules", "check 'count(kick and node == phone) < 2'",
            "check 'not (count(callback == onKick) >= 1)'",
            notes: """
                'rules' checks the rules that all systems share, and the policy's numbers. It works in scripts in \
                virtual time that 'imrepl-explore' runs, and does nothing elsewhere. Any other text is a condition \
                on the number of events: count(FILTER) compared with a number, with and, or, not and parentheses \
                (help filter).
                """))

    @Argument(help: ArgumentHelp("'rules', or a condition.", valueName: "what"))
    var words: [TextArgument] = []

    var nature: CommandNature { .controlsShell }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let text = words.map(\.value).joined(separator: " ")
        guard !text.isEmpty else {
            throw CommandFailure("check what: 'rules', or a condition such as 'count(kick) == 0'")
        }
        try shell.check(text == "rules" ? .rules : .condition(text))
    }
}
