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
            "use nim", "use agora-rtm", "use nim --restart",
            notes:
                "It starts a new session without clients. If the profile is the current one, the session continues, "
                + "unless --restart is given."))

    @Argument(help: "The profile.")
    var profile: NameArgument

    @Flag(help: "Start a new session even if the profile is the same.")
    var restart = false

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.use(profile: profile.value, startsNewSession: restart)
    }
}

struct ClientsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Create, select, close and list clients.",
        discussion: Discussion.examples(
            "client new phone --platform ios", "client new pad --device d2 --platform ios", "client use pad",
            "client list"),
        subcommands: [New.self, Use.self, Close.self, List.self, Policy.self])

    struct New: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "new",
            abstract: "Create a client: one installation of an app on one device.",
            discussion: Discussion.examples(
                "client new phone --platform ios", "client new pad --device d2 --device-name \"Alice's pad\"",
                "client new old-app --policy heartbeat-interval-ms=2m"))

        @Argument(help: ArgumentHelp("The client's name in this session.", valueName: "name"))
        var name: ClientArgument

        @Option(help: ArgumentHelp("The device's id; by default derived from the name.", valueName: "id"))
        var device: NameArgument?

        @Option(help: "The platform of the device.")
        var platform: Platform?

        @Option(help: ArgumentHelp("The device's name, which other devices see.", valueName: "text"))
        var deviceName: TextArgument?

        @Option(
            help: ArgumentHelp("The platform's number, 1…100.", valueName: "number"),
            transform: WholeNumber.in(1...100, acceptsBeyond: true))
        var osType: Int?

        @Option(help: ArgumentHelp("The extension that a login sends to other devices.", valueName: "text"))
        var ext: TextArgument?

        @Option(
            parsing: .singleValue,
            help: ArgumentHelp("A setting of its SDK; 'client policy' lists all settings.", valueName: "client-policy"))
        var policy: [AssignmentArgument] = []

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            let description = ClientDescription(
                name: name.value, device: device?.value, platform: platform, deviceName: deviceName?.value,
                osType: osType, loginExtension: ext?.value, policy: policy.map(\.pair))
            try shell.client(.new(description))
        }
    }

    struct Use: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "use", abstract: "Select the current client.",
            discussion: Discussion.examples("client use pad"))

        @Argument(help: "The client.")
        var client: ClientArgument

        mutating func execute(in shell: any ShellContext, client name: String?) throws {
            try shell.client(.use(client.value))
        }
    }

    struct Close: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "close", abstract: "Close a client; its name cannot be used again.",
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
            commandName: "policy", abstract: "Show or change the settings of a client's SDK.",
            discussion: Discussion.examples(
                "client policy", "client policy heartbeat-interval-ms",
                "client policy heartbeat-interval-ms=2m retry-count-max=5",
                notes:
                    "A value applies to clients that are created later. Milliseconds may be a duration, such as 10s.\n"
                    + ClientPolicy.settings.map { "\($0.key): \($0.meaning)" }.joined(separator: "\n")))

        @Argument(
            help: ArgumentHelp(
                "Settings and their values; a setting without a value is shown.", valueName: "client-policy"))
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
                throw WordError(index, "invalid value '\(policy.value)' for the policy", hint: "for example \(example)")
            }
        }
    }
}
