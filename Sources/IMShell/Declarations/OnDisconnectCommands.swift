import ArgumentParser

/// Commands for onDisconnect operations: writes that the server makes when the connection ends for any reason (SYNC-6).
struct OnDisconnectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on-disconnect",
        abstract: "Set writes that the server makes when this connection ends.",
        discussion: Discussion.examples(
            "on-disconnect set users/alice/online false", "@phone on-disconnect cancel users/alice",
            notes: "The server runs it once, however the connection ends. After a reconnect, the app must set it again."
        ),
        subcommands: [Set.self, Update.self, Remove.self, Cancel.self])

    struct Set: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Write a value when the connection ends.",
            discussion: Discussion.examples("on-disconnect set users/alice/online false"))

        @OptionGroup var options: TreeValueOptions

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: options.path, .onDisconnectSet(options.text)), client: client)
        }
    }

    struct Update: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "update", abstract: "Write some children when the connection ends.",
            discussion: Discussion.examples("on-disconnect update users/alice '{\"online\": false}'"))

        @OptionGroup var options: TreeValueOptions

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: options.path, .onDisconnectUpdate(options.text)), client: client)
        }
    }

    struct Remove: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove the value when the connection ends.",
            discussion: Discussion.examples("on-disconnect remove users/alice"))

        @OptionGroup var pathOption: TreePathOption

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: pathOption.path.value, .onDisconnectRemove), client: client)
        }
    }

    struct Cancel: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "cancel", abstract: "Cancel the operations of a path and all paths below.",
            discussion: Discussion.examples(
                "on-disconnect cancel users/alice",
                notes: """
                    An operation on a path above still runs when the connection ends, but it does not change this \
                    path.
                    """))

        @OptionGroup var pathOption: TreePathOption

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: pathOption.path.value, .onDisconnectCancel), client: client)
        }
    }
}
