import ArgumentParser

// The synchronised tree.

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Read, write and watch the synchronised tree.",
        discussion: Discussion.examples("sync set users/alice/online true", "sync on users/alice", "@pad sync get users"),
        subcommands: [Set.self, Update.self, Remove.self, Get.self, On.self, Off.self])

    struct Set: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Write a value.", discussion: Discussion.examples("sync set users/alice/online true", "sync set chat/title 'tea time'"))

        @Argument(help: ArgumentHelp("The place: keys joined by '/'.", valueName: "path"))
        var path: NameArgument

        @Argument(help: ArgumentHelp("JSON, or else a plain text.", valueName: "value"))
        var value: [TextArgument]

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: path.value, .set(value.map(\.value).joined(separator: " "))), client: client)
        }
    }

    struct Update: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "update", abstract: "Write some children and leave the others.", discussion: Discussion.examples("sync update users/alice '{\"mood\": \"fine\"}'"))

        @Argument(help: ArgumentHelp("The place: keys joined by '/'.", valueName: "path"))
        var path: NameArgument

        @Argument(help: ArgumentHelp("JSON, or else a plain text.", valueName: "value"))
        var value: [TextArgument]

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: path.value, .update(value.map(\.value).joined(separator: " "))), client: client)
        }
    }

    struct Remove: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove what is there.", discussion: Discussion.examples("sync remove users/alice"))

        @Argument(help: ArgumentHelp("The place: keys joined by '/'.", valueName: "path"))
        var path: NameArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: path.value, .remove), client: client)
        }
    }

    struct Get: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Read once.", discussion: Discussion.examples("sync get users/alice"))

        @Argument(help: ArgumentHelp("The place: keys joined by '/'.", valueName: "path"))
        var path: NameArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: path.value, .get), client: client)
        }
    }

    struct On: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "on", abstract: "Be told of every change.", discussion: Discussion.examples("sync on users", "sync on .info/connected"))

        @Argument(help: ArgumentHelp("The place: keys joined by '/'.", valueName: "path"))
        var path: NameArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: path.value, .on), client: client)
        }
    }

    struct Off: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "off", abstract: "Be told no longer.", discussion: Discussion.examples("sync off users"))

        @Argument(help: ArgumentHelp("The place: keys joined by '/'.", valueName: "path"))
        var path: NameArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: path.value, .off), client: client)
        }
    }
}

struct OnDisconnectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on-disconnect", abstract: "What the server is to do when this connection ends.",
        discussion: Discussion.examples("on-disconnect set users/alice/online false", "on-disconnect cancel users/alice"),
        subcommands: [Set.self, Update.self, Remove.self, Cancel.self])

    struct Set: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Write a value then.", discussion: Discussion.examples("on-disconnect set users/alice/online false"))

        @Argument(help: ArgumentHelp("The place: keys joined by '/'.", valueName: "path"))
        var path: NameArgument

        @Argument(help: ArgumentHelp("JSON, or else a plain text.", valueName: "value"))
        var value: [TextArgument]

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: path.value, .onDisconnectSet(value.map(\.value).joined(separator: " "))), client: client)
        }
    }

    struct Update: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "update", abstract: "Write some children then.", discussion: Discussion.examples("on-disconnect update users/alice '{\"online\": false}'"))

        @Argument(help: ArgumentHelp("The place: keys joined by '/'.", valueName: "path"))
        var path: NameArgument

        @Argument(help: ArgumentHelp("JSON, or else a plain text.", valueName: "value"))
        var value: [TextArgument]

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: path.value, .onDisconnectUpdate(value.map(\.value).joined(separator: " "))), client: client)
        }
    }

    struct Remove: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove what is there then.", discussion: Discussion.examples("on-disconnect remove users/alice"))

        @Argument(help: ArgumentHelp("The place: keys joined by '/'.", valueName: "path"))
        var path: NameArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: path.value, .onDisconnectRemove), client: client)
        }
    }

    struct Cancel: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "cancel", abstract: "Take back what was registered there.", discussion: Discussion.examples("on-disconnect cancel users/alice"))

        @Argument(help: ArgumentHelp("The place: keys joined by '/'.", valueName: "path"))
        var path: NameArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.call(.tree(path: path.value, .onDisconnectCancel), client: client)
        }
    }
}

struct GoOfflineCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "go-offline", abstract: "Take the client offline until go-online.",
        discussion: Discussion.examples("go-offline", notes: "A switch, not a counter: one go-online is enough."))

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.goOffline, client: client)
    }
}

struct GoOnlineCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "go-online", abstract: "Let the client connect again.",
        discussion: Discussion.examples("go-online"))

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.goOnline, client: client)
    }
}
