import ArgumentParser
import IMTree

/// The argument for a path of the tree.
struct TreePathOption: ParsableArguments {
    @Argument(help: ArgumentHelp("The path: keys joined by '/'.", valueName: "path"))
    /// Any text, because keys may contain blanks. The client reports an invalid path.
    var path: TextArgument
}

/// The arguments for a path of the tree and the value to write.
struct TreeValueOptions: ParsableArguments {
    @OptionGroup var pathOption: TreePathOption

    @Argument(help: ArgumentHelp("JSON, or else plain text; several words form one text.", valueName: "value"))
    var value: [TextArgument]

    var path: String { pathOption.path.value }
    var text: String { value.map(\.value).joined(separator: " ") }
}

/// The options of a query: which children of a path it returns, and in which order (SYNC-4).
struct TreeQueryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The order of the children: key, value, priority, or child=PATH.", valueName: "order"))
    var orderBy: TextArgument?

    @Option(
        help: ArgumentHelp("Only the first N children.", valueName: "count"),
        transform: WholeNumber.in(1...TreeLimits.queryCountMax, "children", acceptsBeyond: true))
    var first: Int?

    @Option(
        help: ArgumentHelp("Only the last N children.", valueName: "count"),
        transform: WholeNumber.in(1...TreeLimits.queryCountMax, "children", acceptsBeyond: true))
    var last: Int?

    @Option(help: ArgumentHelp("Start at this value; VALUE,KEY among equal values.", valueName: "value"))
    var from: TextArgument?

    @Option(help: ArgumentHelp("End at this value.", valueName: "value"))
    var to: TextArgument?

    @Option(help: ArgumentHelp("Only this value.", valueName: "value"))
    var equal: TextArgument?

    var words: TreeQueryArguments {
        TreeQueryArguments(
            order: orderBy?.value, first: first, last: last, from: from?.value, to: to?.value, equal: equal?.value)
    }
}

/// The option for the priority of a written value.
struct TreePriorityOption: ParsableArguments {
    @Option(help: ArgumentHelp("Its priority, which orders it among its siblings.", valueName: "value"))
    var priority: TextArgument?
}

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Read, write and watch the synchronised tree.",
        discussion: Discussion.examples(
            "sync set users/alice/online true", "sync on users/alice", "@pad sync get users",
            notes: """
                A path is keys joined by '/', without . # $ [ ]; paths that begin with .info describe the client's \
                own connection. A value is parsed as JSON (true, 7, "text", {"a": 1}) if possible, and is plain text \
                otherwise. Write JSON in single quotes.
                """),
        subcommands: [
            Set.self, Update.self, Remove.self, Push.self, SetPriority.self, Transaction.self, Get.self, On.self,
            Off.self, Tree.self, Keep.self, Persistence.self,
        ])

    struct Set: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Write a value; it replaces the old one.",
            discussion: Discussion.examples(
                "sync set users/alice/online true", "sync set chat/title tea time",
                "sync set users/alice '{\"age\": 7, \"name\": \"Alice\"}'", "sync set scores/bob 7 --priority 1",
                "sync set seen '{\".sv\": \"timestamp\"}'"))

        @OptionGroup var options: TreeValueOptions
        @OptionGroup var priorityOption: TreePriorityOption

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(
                .tree(path: options.path, .set(options.text, priority: priorityOption.priority?.value)), client: client)
        }
    }

    struct Update: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "update", abstract: "Write some children and keep the others; null removes a child.",
            discussion: Discussion.examples(
                "sync update users/alice '{\"mood\": \"fine\"}'", "sync update users/alice '{\"mood\": null}'"))

        @OptionGroup var options: TreeValueOptions

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: options.path, .update(options.text)), client: client)
        }
    }

    struct Remove: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove the value.",
            discussion: Discussion.examples("sync remove users/alice"))

        @OptionGroup var pathOption: TreePathOption

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: pathOption.path.value, .remove), client: client)
        }
    }

    struct Push: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "push", abstract: "Add a child with a generated key that sorts after all earlier ones.",
            discussion: Discussion.examples(
                "sync push chat/messages hello", notes: "'result sync' shows the key."))

        @OptionGroup var options: TreeValueOptions
        @OptionGroup var priorityOption: TreePriorityOption

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(
                .tree(path: options.path, .push(options.text, priority: priorityOption.priority?.value)),
                client: client)
        }
    }

    struct SetPriority: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "priority", abstract: "Set the priority of a path among its siblings; null removes it.",
            discussion: Discussion.examples("sync priority scores/bob 3"))

        @OptionGroup var options: TreeValueOptions

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: options.path, .priority(options.text)), client: client)
        }
    }

    struct Transaction: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "transaction", abstract: "Compute a new value from the old one.",
            discussion: Discussion.examples(
                "sync transaction votes 'value + 1'", "sync transaction seat 'if exists then abort else \"mine\"'",
                notes: """
                    An expression consists of value, value/KEY, exists, JSON, timestamp, + - *, comparisons, and, or, \
                    not, if … then … else …, and abort. It runs again if another client changed the value first.
                    """))

        @OptionGroup var options: TreeValueOptions

        @Flag(help: "Notify listeners only after the server acknowledges it.")
        var hidden = false

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(
                .tree(path: options.path, .transaction(options.text, isHidden: hidden)), client: client)
        }
    }

    struct Get: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Read once.",
            discussion: Discussion.examples(
                "sync get users/alice", "sync get scores --order-by value --last 3",
                notes: "'result sync' shows the value."))

        @OptionGroup var pathOption: TreePathOption
        @OptionGroup var query: TreeQueryOptions

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: pathOption.path.value, .get(query.words)), client: client)
        }
    }

    struct On: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "on", abstract: "Listen to a path: its current value and every change.",
            discussion: Discussion.examples(
                "sync on users", "sync on .info/connected",
                "sync on scores --event child-added --event child-removed",
                "sync on scores --order-by child=points --last 3"))

        @OptionGroup var pathOption: TreePathOption

        @Option(
            help: ArgumentHelp(
                "The event: value (the default), child-added, child-removed, child-changed, child-moved.",
                valueName: "event"))
        var event: [TextArgument] = []

        @OptionGroup var query: TreeQueryOptions

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(
                .tree(path: pathOption.path.value, .on(query.words, events: event.map(\.value))), client: client)
        }
    }

    struct Tree: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "tree", abstract: "Draw the client's cached data of a path.",
            discussion: Discussion.examples(
                "sync tree", "sync tree users/alice",
                notes: """
                    'partial': only a part is cached. 'pending': written here and not acknowledged. 'listen': the \
                    server sends its changes under this listen number. The command sends no request.
                    """))

        @Argument(help: ArgumentHelp("The path; by default the whole tree.", valueName: "path"))
        var path: TextArgument?

        var nature: CommandNature { .queriesState }

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: path?.value ?? "/", .outline), client: client)
        }
    }

    struct Keep: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "keep", abstract: "Keep a path up to date without a listener.",
            discussion: Discussion.examples(
                "sync keep scores on", "sync keep scores off", "sync keep chat/messages on --last 50",
                notes: """
                    With 'sync persistence on' the device never removes kept data from a full cache. 'query listeners' \
                    lists kept paths.
                    """))

        @OptionGroup var pathOption: TreePathOption

        @Argument(help: ArgumentHelp("on or off.", valueName: "on|off"))
        var state: OnOff

        @OptionGroup var query: TreeQueryOptions

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: pathOption.path.value, .keep(query.words, isOn: state == .on)), client: client)
        }
    }

    struct Persistence: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "persistence", abstract: "Store the data of listeners and pending writes on the device.",
            discussion: Discussion.examples(
                "sync persistence on", "sync persistence on --cache 200000", "sync persistence off",
                notes: """
                    Use it before every other tree command, at each start of the app. Without a network, listeners \
                    and reads then use the stored data and the pending writes. Sets and updates that were not \
                    acknowledged are sent again. Transactions and onDisconnect operations \
                    are not stored.
                    """))

        @Argument(help: ArgumentHelp("on or off.", valueName: "on|off"))
        var state: OnOff

        @Option(
            help: ArgumentHelp("The cache size in bytes for data without a listener.", valueName: "bytes"),
            transform: WholeNumber.in(1...Int.max, "bytes"))
        var cache: Int?

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(
                .tree(path: "/", .persistence(isOn: state == .on, cacheBytes: cache)), client: client)
        }

        mutating func validate() throws {
            guard state == .on || cache == nil else { throw ValidationError("--cache needs 'on'") }
        }
    }

    enum OnOff: String, CaseIterable, ExpressibleByArgument {
        case on, off
    }

    struct Off: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "off", abstract: "Remove the listeners of one query, or of all queries.",
            discussion: Discussion.examples("sync off users", "sync off scores --last 3"))

        @OptionGroup var pathOption: TreePathOption
        @OptionGroup var query: TreeQueryOptions

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: pathOption.path.value, .off(query.words)), client: client)
        }
    }
}

struct GoOfflineCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "go-offline", abstract: "Take the client offline until go-online.",
        discussion: Discussion.examples(
            "go-offline", "@phone go-offline",
            notes: """
                It is a switch, not a counter: one go-online is enough. Before the first reference it keeps the client \
                from connecting: references, writes and on-disconnect wait for go-online, and 'sync persistence' is \
                still allowed. It ends with the process.
                """))

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.goOffline, client: client)
    }
}

struct GoOnlineCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "go-online", abstract: "Let the client connect again.",
        discussion: Discussion.examples(
            "go-online", "@phone go-online", notes: "It counts as a reference: a client without one connects."))

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.goOnline, client: client)
    }
}
