import ArgumentParser
import IMDebugger
import IMText

struct WhyCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Show the causes of an event, back to the external cause.",
        discussion: Discussion.examples(
            "why", "@phone why", "why 32",
            notes: """
                Without a number it explains the client's last change of state. The last lines name the external \
                cause, and the rule and the policy values that decided. A replay has the same command.
                """))

    @Argument(help: ArgumentHelp("The event's number, as shown in the output.", valueName: "number"))
    var number: NameArgument?

    /// The number as parsed by `resolve`; nil if the user gave none.
    private var event: UInt64?

    mutating func resolve() throws(WordError) {
        guard let text = number?.value else { return }
        guard let number = UInt64(text.hasPrefix("#") ? String(text.dropFirst()) : text), number > 0 else {
            throw WordError(
                0, "'\(text)' is not an event number", hint: "use a number from 1, as shown in the output: why 32")
        }
        event = number
    }

    var nature: CommandNature { .answers }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        if event == nil { try resolve() }
        try shell.why(event, client: client)
    }

    private enum CodingKeys: String, CodingKey { case number }
}

struct WhyNotCommand: WordListCommand {
    static var wordList: WritableKeyPath<Self, [TextArgument]> { \.words }
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "why-not",
        abstract: "Show why something did not happen.",
        discussion: Discussion.examples(
            "why-not kick", "@phone why-not kind == transition and to == online",
            notes: """
                'help filter' describes the condition. Without '@NAME' it applies to all clients. The answer \
                contains the nearest event (the newest of those that meet the most comparisons) and what it lacks, \
                a frame that was lost or is in flight, a kick that the server has not delivered, the states and \
                timers of the clients, and the rule that decided the nearest event or state. A state that a client \
                has left counts as not reached: the answer then begins where the client left it.
                """))

    @Argument(help: ArgumentHelp("The condition that was not met.", valueName: "filter"))
    var words: [TextArgument]

    mutating func resolve() throws(WordError) {
        let words = words.map(\.value)
        do throws(FilterError) {
            _ = try Filter(ofOneEvent: words.joined(separator: " "))
        } catch {
            throw ExpectClause.wordError(for: error, in: words, 0..<words.count)
        }
    }

    var nature: CommandNature { .answers }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.whyNot(words.map(\.value).joined(separator: " "), client: client)
    }
}
