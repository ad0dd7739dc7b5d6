import ArgumentParser
import IMDebugger
import IMLocalData
import IMProtocol
import IMServer
import IMText

/// The commands with which an operator controls the server.
struct ServerSideCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Control accounts, tokens, policy and failures of the embedded server.",
        discussion: Discussion.examples(
            "server account ban alice", "server token alice --ttl 1h", "server kick alice",
            "server policy exclusion=single", "server populate alice --messages 5", "server down"),
        subcommands: [
            Account.self, Token.self, Kick.self, Policy.self, Populate.self, Change.self, Restart.self, Down.self,
            Up.self,
            Devices.self, Rules.self,
        ])

    struct Account: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "account",
            abstract: "Add, ban and delete accounts, and set their passwords.",
            discussion: Discussion.examples(
                "server account add alice", "server account ban alice", "server account password alice n3w",
                "server account forbid alice"),
            subcommands: [
                Add.self, Ban.self, Delete.self, Password.self, Revoke.self, Forbid.self, Fail.self, Allow.self,
            ])
    }

    struct Token: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "token", abstract: "Create a token and print it.",
            discussion: Discussion.examples("server token alice", "server token alice --ttl 30s"))

        @Argument(help: "The account.")
        var user: NameArgument

        @Option(help: ArgumentHelp("Its lifetime.", valueName: "duration"))
        var ttl: DurationArgument?

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.server(.token(user.value, timeToLive: ttl?.interval))
        }
    }

    struct Kick: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "kick", abstract: "Kick a user's devices from the server.",
            discussion: Discussion.examples("server kick alice", "server kick alice d2"))

        @Argument(help: "The account.")
        var user: NameArgument

        @Argument(help: "Only this device.")
        var device: NameArgument?

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.server(.kick(user.value, device: device?.value))
        }
    }

    struct Policy: WordListCommand {
        static var wordList: WritableKeyPath<Self, [TextArgument]> { \.policies }
        static let configuration = CommandConfiguration(
            commandName: "policy", abstract: "Show or change the server's policy.",
            discussion: Discussion.examples(
                "server policy", "server policy exclusion", "server policy exclusion=unlimited",
                "server policy device-count-max=2 presence-hold-ms=10s",
                notes: "A change applies from the next decision on. Milliseconds may be a duration, such as 10s.\n"
                    + ServerPolicy.settings.map { "\($0.key): \($0.takes)" }.joined(separator: "\n")))

        @Argument(
            help: ArgumentHelp(
                "Parameters and their values; a parameter without a value is shown.", valueName: "policy"))
        var policies: [TextArgument] = []

        mutating func resolve() throws(WordError) { try PolicyArguments.check(policies, example: "device-count-max=2") }

        var nature: CommandNature { policies.contains { $0.value.contains("=") } ? .acts : .answers }

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            let pairs = policies.compactMap { KeyValue($0.value) }
            guard !pairs.isEmpty else { return try shell.server(.listPolicy(policies.first?.value)) }
            try shell.server(.policy(pairs))
        }
    }

    struct Populate: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "populate", abstract: "Give an account groups, messages and notifications to sync.",
            discussion: Discussion.examples(
                "server populate alice --groups 2 --messages 5", "server populate alice --roaming 3 --notifications 1",
                "server populate alice --history 1000 --days 30"))

        @Argument(help: "The account.")
        var user: NameArgument

        @Option(
            help: ArgumentHelp("Number of groups.", valueName: "number"),
            transform: WholeNumber.in(1...PolicyLimit.countMax))
        var groups: Int?

        @Option(
            help: ArgumentHelp("Number of offline messages.", valueName: "number"),
            transform: WholeNumber.in(1...PolicyLimit.countMax))
        var messages: Int?

        @Option(
            help: ArgumentHelp("Number of messages read on other devices.", valueName: "number"),
            transform: WholeNumber.in(1...PolicyLimit.countMax))
        var roaming: Int?

        @Option(
            help: ArgumentHelp("Number of system notifications.", valueName: "number"),
            transform: WholeNumber.in(1...PolicyLimit.countMax))
        var notifications: Int?

        @Option(
            help: ArgumentHelp(
                "Number of messages of a generated history, with users and groups.", valueName: "number"),
            transform: WholeNumber.in(1...Population.messagesMax, "messages"))
        var history: Int?

        @Option(
            help: ArgumentHelp("Number of conversations of the history.", valueName: "number"),
            transform: WholeNumber.in(1...Population.conversationsMax))
        var conversations: Int?

        @Option(
            help: ArgumentHelp("Number of days of the history.", valueName: "number"),
            transform: WholeNumber.in(1...Population.daysMax, "days"))
        var days: Int?

        @Flag(help: "Mark most files of the history as downloaded.")
        var files = false

        func validate() throws {
            let isOfHistory = conversations != nil || days != nil || files
            guard history != nil || !isOfHistory else {
                throw ValidationError("--conversations, --days and --files need --history")
            }
            guard history != nil || [groups, messages, roaming, notifications].contains(where: { $0 != nil }) else {
                throw ValidationError(
                    "one of --groups, --messages, --roaming, --notifications and --history must be given")
            }
        }

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            let amounts: [SyncAmount] = [
                SyncAmount(.groups, groups ?? 0), SyncAmount(.offlineMessages, messages ?? 0),
                SyncAmount(.roamingMessages, roaming ?? 0),
                SyncAmount(.systemNotifications, notifications ?? 0),
            ]
            let requested = amounts.filter { $0.count > 0 }
            if !requested.isEmpty || history == nil { try shell.server(.populate(user.value, requested)) }
            guard let history else { return }
            try shell.server(
                .history(
                    user.value, messages: history, conversations: conversations, days: days ?? 365,
                    hasFiles: files))
        }
    }

    struct Change: WordListCommand {
        static var wordList: WritableKeyPath<Self, [AssignmentArgument]> { \.fields }
        static let configuration = CommandConfiguration(
            commandName: "change", abstract: "Change a user's data on the server.",
            discussion: Discussion.examples(
                "server change alice user userID=bob userName='Bob Brown'",
                "server change alice message messageID=m1 conversationID=bob senderUserID=bob message=hi",
                "server change alice group groupID=tea groupName='Tea time'",
                notes: "An unknown field is rejected; the error lists the valid fields."))

        @Argument(help: "The account.")
        var user: NameArgument

        @Argument(help: ArgumentHelp("The kind of change.", valueName: "change"))
        var kind: ChangeArgument

        @Argument(help: ArgumentHelp("The new values: name=value.", valueName: "field"))
        var fields: [AssignmentArgument]

        func validate() throws { try kind.check(fields) }

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.server(.change(user.value, kind.kind, fields.map(\.pair)))
        }
    }

    struct Restart: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "restart", abstract: "Restart the server: all links break.",
            discussion: Discussion.examples("server restart"))

        mutating func execute(in shell: any ShellContext, client: String?) throws { try shell.server(.restart) }
    }

    struct Down: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "down", abstract: "Stop the server.", discussion: Discussion.examples("server down"))

        mutating func execute(in shell: any ShellContext, client: String?) throws { try shell.server(.down) }
    }

    struct Up: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "up", abstract: "Start a stopped server.", discussion: Discussion.examples("server up"))

        mutating func execute(in shell: any ShellContext, client: String?) throws { try shell.server(.up) }
    }

    struct Devices: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "devices", abstract: "List a user's devices, as the server stores them.",
            discussion: Discussion.examples("server devices alice"))

        @Argument(help: "The account.")
        var user: NameArgument

        var nature: CommandNature { .queriesState }

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.server(.devices(user.value))
        }
    }
}

extension ServerSideCommand.Account {
    struct Add: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add an account.",
            discussion: Discussion.examples("server account add alice", "server account add alice s3cret"))

        @Argument(help: "The account.")
        var user: NameArgument

        @Argument(help: "Its password; the line is then not stored in the history.")
        var password: TextArgument?

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.server(.addAccount(user.value, password: password.map { InlineSecret($0.value) }))
        }
    }

    struct Ban: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "ban", abstract: "Ban an account.", discussion: Discussion.examples("server account ban alice")
        )

        @Argument(help: "The account.")
        var user: NameArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.server(.banAccount(user.value))
        }
    }

    struct Delete: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete an account.",
            discussion: Discussion.examples("server account delete alice"))

        @Argument(help: "The account.")
        var user: NameArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.server(.deleteAccount(user.value))
        }
    }

    struct Password: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "password", abstract: "Change an account's password.",
            discussion: Discussion.examples(
                "server account password alice n3w", notes: "The policy decides when existing logins end."))

        @Argument(help: "The account.")
        var user: NameArgument

        @Argument(help: "The new password; the line is not stored in the history.")
        var password: TextArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.server(.setPassword(user.value, InlineSecret(password.value)))
        }
    }
}
