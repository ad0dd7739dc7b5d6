import ArgumentParser
import IMDebugger

struct ExpectCommand: WordListCommand {
    static var wordList: WritableKeyPath<Self, [TextArgument]> { \.words }
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "expect",
        abstract: "Check that an event comes, in order.",
        discussion: Discussion.examples(
            "expect state online within 5s", "@phone expect callback onLogin step=NIMLoginStepSyncOK",
            "expect frame out login seq=>$seq", "expect result code=417",
            "@pad expect callback onKick reason=1 as $kick",
            "expect none callback onKick for 30s", "expect callback onKick reason=1 and state kicked within 2s",
            "expect event kind == transition and to in {online, syncing} within 5s as $back",
            notes: """
                Each client has a place in its events, and a matched event moves it on. Without 'within' only what has \
                happened up to now counts, and in the live world also the next 5 s (set expect.timeout). A field is key=value, key!=value, key~/pattern/ or key=>$variable; a value \
                printed as Name(1) can be given as Name, 1 or Name(1), and a JSON string with or without its quotes. \
                Between events that may come in any order stands 'and'. A result is that of the newest command of its \
                name, in the process that runs. In 'imrepl test' an expectation fails that matches an event of before \
                the client's newest command. After 'event', write a condition on events of \
                any kind (help filter): 'as $back' then gives ${back.n}, ${back.t} and every other field.
                """))

    @Argument(
        help: ArgumentHelp(
            "state, callback, frame, result, output or event, and what it must be.", valueName: "pattern"))
    var words: [TextArgument] = []

    /// Set by `resolve`.
    private var clause: ExpectClause?

    mutating func resolve() throws(WordError) {
        clause = try ExpectClause(words: words.map(\.value), isNegative: false)
    }

    var nature: CommandNature { .own }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        if clause == nil { try resolve() }
        if let clause { try shell.expect(clause, client: client) }
    }

    private enum CodingKeys: String, CodingKey { case words }
}

struct ExpectNoneCommand: WordListCommand {
    static var wordList: WritableKeyPath<Self, [TextArgument]> { \.words }
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "expect-none",
        abstract: "Check that no such event comes for a time.",
        discussion: Discussion.examples(
            "expect-none callback onKick for 30s", "@phone expect-none frame out login for 60s",
            "expect-none event kind == link and link == failed for 1m",
            notes: """
                Counted are the events of that time and, in a script, those that the commands since the last 'wait' or \
                'expect' have caused at once.
                """))

    @Argument(help: ArgumentHelp("What must not come, closed by 'for' and a duration.", valueName: "pattern"))
    var words: [TextArgument] = []

    /// Set by `resolve`.
    private var clause: ExpectClause?

    mutating func resolve() throws(WordError) {
        clause = try ExpectClause(words: words.map(\.value), isNegative: true)
    }

    var nature: CommandNature { .own }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        if clause == nil { try resolve() }
        if let clause { try shell.expect(clause, client: client) }
    }

    private enum CodingKeys: String, CodingKey { case words }
}

struct CheckCommand: WordListCommand {
    static var wordList: WritableKeyPath<Self, [TextArgument]> { \.words }
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the whole session up to now.",
        discussion: Discussion.examples(
            "check rules", "check 'count(kick and node == phone) < 2'",
            "check 'not (count(callback == onKick) >= 1)'",
            notes: """
                'rules' are those that all systems share and the policy's own numbers. It is for scripts in virtual time \
                that 'imrepl-explore' runs, and does nothing elsewhere. Anything else is a condition on how many events there were: \
                count(FILTER) compared with a number, with and, or, not and brackets (help filter).
                """))

    @Argument(help: ArgumentHelp("'rules', or a condition.", valueName: "what"))
    var words: [TextArgument] = []

    var nature: CommandNature { .own }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let text = words.map(\.value).joined(separator: " ")
        guard !text.isEmpty else {
            throw CommandFailure("check what: 'rules', or a condition such as 'count(kick) == 0'")
        }
        try shell.check(text == "rules" ? .rules : .condition(text))
    }
}
