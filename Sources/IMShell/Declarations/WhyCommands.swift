import ArgumentParser
import IMDebugger
import IMText

struct WhyCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Show what led to an event, back to its cause outside.",
        discussion: Discussion.examples(
            "why", "@phone why", "why 32",
            notes: """
                Without a number it is the client's last change of state. The last lines name the cause from outside, \
                and the rule and the policy's values that decided. A replay knows the same command.
                """))

    @Argument(help: ArgumentHelp("The event's number, as the lines show it.", valueName: "number"))
    var number: NameArgument?

    /// Set by `resolve`.
    private var event: UInt64?

    mutating func resolve() throws(WordError) {
        guard let text = number?.value else { return }
        guard let number = UInt64(text.hasPrefix("#") ? String(text.dropFirst()) : text), number > 0 else {
            throw WordError(
                0, "'\(text)' is no number of an event", hint: "use a number from 1, as the lines show it: why 32")
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
        abstract: "Show what kept something from happening.",
        discussion: Discussion.examples(
            "why-not kick", "@phone why-not kind == transition and to == online",
            notes: """
                The condition is one of 'help filter'; without '@NAME' it is about all clients. The answer has the \
                event that came nearest (the newest of those for which most comparisons hold) and what it lacks, a \
                frame that was lost or is in flight, a kick that the server has not delivered, the states and timers \
                of the clients, and the rule by which the event or state that was found was decided. A state that a \
                client has left again counts as not reached: the answer begins where it was left.
                """))

    @Argument(help: ArgumentHelp("What did not happen.", valueName: "filter"))
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
