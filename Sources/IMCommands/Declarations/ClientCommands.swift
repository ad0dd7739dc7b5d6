import ArgumentParser
import IMProtocol

struct UseCommand: ShellCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Switch the embedded world to another profile.",
        discussion: Discussion.examples(
            "use nim", "use agora-rtm", "use nim --anew",
            notes: "This begins a new session, in which there are no clients yet. The profile that it is already keeps "
                + "them, unless --anew is given."))

    @Argument(help: "The profile.")
    var profile: NameArgument

    @Flag(help: "Begin a new session also with the same profile.")
    var anew = false

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.use(profile: profile.value, isAnew: anew)
    }
}

struct ClientsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Make, choose, close and list clients.",
        discussion: Discussion.examples(
            "client new phone --platform ios", "client new pad --device d2 --platform ios", "client use pad",
            "client list"),
        subcommands: [New.self, Use.self, Close.self, List.self])

    struct New: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "new",
            abstract: "Make a client: one installation of an app on one device.",
            discussion: Discussion.examples(
                "client new phone --platform ios", "client new pad --device d2 --device-name \"Alice's pad\""))

        @Argument(help: ArgumentHelp("Its name in this session.", valueName: "name"))
        var name: ClientArgument

        @Option(help: ArgumentHelp("The device's id; made from the name if not given.", valueName: "id"))
        var device: NameArgument?

        @Option(help: "The platform it says it runs on.")
        var platform: Platform?

        @Option(help: ArgumentHelp("The device's name, as other devices see it.", valueName: "text"))
        var deviceName: TextArgument?

        @Option(
            help: ArgumentHelp("The platform's number, 1…100.", valueName: "number"),
            transform: WholeNumber.in(1...100, acceptsBeyond: true))
        var osType: Int?

        @Option(help: ArgumentHelp("What a login carries along for other devices.", valueName: "text"))
        var ext: TextArgument?

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            let description = ClientDescription(
                name: name.value, device: device?.value, platform: platform, deviceName: deviceName?.value,
                osType: osType, loginExtension: ext?.value)
            try shell.client(.new(description))
        }
    }

    struct Use: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "use", abstract: "Make a client the current one.",
            discussion: Discussion.examples("client use pad"))

        @Argument(help: "The client.")
        var client: ClientArgument

        mutating func execute(in shell: any ShellContext, client name: String?) throws {
            try shell.client(.use(client.value))
        }
    }

    struct Close: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "close", abstract: "Take a client out of the session.",
            discussion: Discussion.examples("client close pad"))

        @Argument(help: "The client.")
        var client: ClientArgument

        mutating func execute(in shell: any ShellContext, client name: String?) throws {
            try shell.client(.close(client.value))
        }
    }

    struct List: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the clients and their states.",
            discussion: Discussion.examples("client list"))

        var nature: CommandNature { .asks }

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.client(.list)
        }
    }
}
