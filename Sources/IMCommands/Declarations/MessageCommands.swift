import ArgumentParser

struct SendCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a text to a user or a channel.",
        discussion: Discussion.examples(
            "send bob 'are you there?'", "@phone send lobby hello everybody --channel",
            notes: "Several words are joined by one blank."))

    @Argument(help: "The user, or with --channel the channel.")
    var to: NameArgument

    @Argument(help: "What to send.")
    var text: [TextArgument]

    @Flag(help: "To a channel.")
    var channel = false

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let joined = text.map(\.value).joined(separator: " ")
        try shell.send(SendRequest(to: to.value, text: joined, isChannel: channel), client: client)
    }
}

struct JoinCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join a channel.", discussion: Discussion.examples("join lobby"))

    @Argument(help: "The channel.")
    var channel: NameArgument

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.join(channel: channel.value, client: client)
    }
}

struct LeaveCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Leave a channel.", discussion: Discussion.examples("leave lobby"))

    @Argument(help: "The channel.")
    var channel: NameArgument

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.leave(channel: channel.value, client: client)
    }
}

struct OptionCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "option",
        abstract: "Set an option of this client's SDK.",
        discussion: Discussion.examples("option maxAutoLoginRetryTimes=3", "@phone option reconnect-delay=1s"))

    @Argument(help: ArgumentHelp("The option and its value.", valueName: "option"))
    var option: AssignmentArgument

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.setOption(option.pair, client: client)
    }
}
