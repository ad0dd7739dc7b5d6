import ArgumentParser
import IMClient
import IMDebugger
import IMProtocol
import IMText

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
        try shell.use(profile: profile.value, startsNewSession: anew)
    }
}

struct ClientsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Make, choose, close and list clients.",
        discussion: Discussion.examples(
            "client new phone --platform ios", "client new pad --device d2 --platform ios", "client use pad",
            "client list"),
        subcommands: [New.self, Use.self, Close.self, List.self, Policy.self])

    struct New: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "new",
            abstract: "Make a client: one installation of an app on one device.",
            discussion: Discussion.examples(
                "client new phone --platform ios", "client new pad --device d2 --device-name \"Alice's pad\"",
                "client new old-app --policy heartbeat-interval-ms=2m"))

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

        @Option(
            parsing: .singleValue,
            help: ArgumentHelp("A setting of its SDK; 'client policy' lists them.", valueName: "client-policy"))
        var policy: [SettingArgument] = []

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            let description = ClientDescription(
                name: name.value, device: device?.value, platform: platform, deviceName: deviceName?.value,
                osType: osType, loginExtension: ext?.value, policy: policy.map(\.pair))
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

        var nature: CommandNature { .queriesState }

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.client(.list)
        }
    }

    struct Policy: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "policy", abstract: "Show or set the numbers of a client's SDK.",
            discussion: Discussion.examples(
                "client policy", "client policy heartbeat-interval-ms",
                "client policy heartbeat-interval-ms=2m retry-count-max=5",
                notes:
                    "A value holds for clients that are made afterwards. Milliseconds may be a duration, as in 10s.\n"
                    + ClientSetting.all.map { "\($0.key): \($0.meaning)" }.joined(separator: "\n")))

        @Argument(
            help: ArgumentHelp("Settings and their values; one without a value is shown.", valueName: "client-policy"))
        var policies: [TextArgument] = []

        mutating func resolve() throws(WordError) { try PolicyArguments.check(policies, example: "retry-count-max=5") }

        var nature: CommandNature { policies.contains { $0.value.contains("=") } ? .acts : .answers }

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            let pairs = policies.compactMap { KeyValue($0.value) }
            guard !pairs.isEmpty else { return try shell.client(.listPolicy(policies.first?.value)) }
            try shell.client(.policy(pairs))
        }
    }
}

/// The arguments of `server policy` and `client policy`.
enum PolicyArguments {
    static func check(_ policies: [TextArgument], example: String) throws(WordError) {
        if policies.count == 1, !policies[0].value.contains("=") { return }
        for (index, policy) in policies.enumerated() {
            guard let pair = KeyValue(policy.value), pair.comparison == .equal else {
                throw WordError(index, "'\(policy.value)' is no value of the policy", hint: "as in \(example)")
            }
        }
    }
}
