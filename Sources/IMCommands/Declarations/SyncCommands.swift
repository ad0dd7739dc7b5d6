import ArgumentParser

/// A place of the synchronised tree.
struct TreePathOption: ParsableArguments {
    @Argument(help: ArgumentHelp("The place: keys joined by '/'.", valueName: "path"))
    var path: PathArgument
}

/// A place of the synchronised tree and what to write there.
struct TreeValueOptions: ParsableArguments {
    @OptionGroup var place: TreePathOption

    @Argument(help: ArgumentHelp("JSON, or else a plain text; several words are one text.", valueName: "value"))
    var value: [TextArgument]

    var path: String { place.path.value }
    var text: String { value.map(\.value).joined(separator: " ") }
}

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Read, write and watch the synchronised tree.",
        discussion: Discussion.examples(
            "sync set users/alice/online true", "sync on users/alice", "@pad sync get users",
            notes: """
                A path is keys joined by '/', without . # $ [ ]; what begins with .info tells of the client's own \
                connection. A value is JSON where it can be read as that (true, 7, "text", {"a": 1}), else a plain \
                text. Single quotes keep the shell's hands off JSON.
                """),
        subcommands: [Set.self, Update.self, Remove.self, Get.self, On.self, Off.self])

    struct Set: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Write a value; what was there is gone.",
            discussion: Discussion.examples(
                "sync set users/alice/online true", "sync set chat/title tea time",
                "sync set users/alice '{\"age\": 7, \"name\": \"Alice\"}'"))

        @OptionGroup var options: TreeValueOptions

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: options.path, .set(options.text)), client: client)
        }
    }

    struct Update: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "update", abstract: "Write some children and leave the others; null removes one.",
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
            commandName: "remove", abstract: "Remove what is there.",
            discussion: Discussion.examples("sync remove users/alice"))

        @OptionGroup var place: TreePathOption

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: place.path.value, .remove), client: client)
        }
    }

    struct Get: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Read once.",
            discussion: Discussion.examples(
                "sync get users/alice", notes: "What it finds is told by 'result sync'."))

        @OptionGroup var place: TreePathOption

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: place.path.value, .get), client: client)
        }
    }

    struct On: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "on", abstract: "Be told what is there now and of every change.",
            discussion: Discussion.examples("sync on users", "sync on .info/connected"))

        @OptionGroup var place: TreePathOption

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: place.path.value, .on), client: client)
        }
    }

    struct Off: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "off", abstract: "Be told no longer.", discussion: Discussion.examples("sync off users"))

        @OptionGroup var place: TreePathOption

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: place.path.value, .off), client: client)
        }
    }
}

struct GoOfflineCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "go-offline", abstract: "Take the client offline until go-online.",
        discussion: Discussion.examples(
            "go-offline", "@phone go-offline", notes: "A switch, not a counter: one go-online is enough."))

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.goOffline, client: client)
    }
}

struct GoOnlineCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "go-online", abstract: "Let the client connect again.",
        discussion: Discussion.examples("go-online", "@phone go-online"))

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.goOnline, client: client)
    }
}
