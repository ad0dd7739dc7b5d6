import ArgumentParser

/// Actions of the operating system or the user on the app's process.
struct AppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Kill, start, background, resume and suspend the app.",
        discussion: Discussion.examples("app kill", "app start", "@phone app background", "app sleep 10m"),
        subcommands: [Kill.self, Start.self, Background.self, Foreground.self, Sleep.self])

    struct Kill: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "kill", abstract: "Kill the process: local data stays, nothing is sent.",
            discussion: Discussion.examples(
                "@phone app kill",
                notes: """
                    The operating system closes the app's connections. The servers of Wilddog and ZIM ignore that: they \
                    wait for 60 s and 35 s without heartbeats (server policy break-waits-for-silence). The other \
                    servers detect it at once; RTM then keeps the user online for 30 s. To simulate an empty battery, \
                    type 'net half-open' before 'app kill': then no server detects the end.
                    """))

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.app(.kill, client: client)
        }
    }

    struct Start: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Start a killed app again.",
            discussion: Discussion.examples("@phone app start"))

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.app(.start, client: client)
        }
    }

    struct Background: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "background", abstract: "Move the app to the background.",
            discussion: Discussion.examples("@phone app background"))

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.app(.background, client: client)
        }
    }

    struct Foreground: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "foreground", abstract: "Bring the app to the foreground.",
            discussion: Discussion.examples("@phone app foreground"))

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.app(.foreground, client: client)
        }
    }

    struct Sleep: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "sleep", abstract: "Suspend the device: no timer runs, and no frame is read.",
            discussion: Discussion.examples("@phone app sleep 10m"))

        @Argument(help: "The duration: 250ms, 5s, 2m, 1h.")
        var duration: DurationArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.app(.sleep(duration.interval), client: client)
        }
    }
}
