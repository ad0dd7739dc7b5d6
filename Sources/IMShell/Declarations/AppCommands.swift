import ArgumentParser

/// Actions on the app's process, as the system or the user would do them.
struct AppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Kill, start, hide and wake the app.",
        discussion: Discussion.examples("app kill", "app start", "@phone app background", "app sleep 10m"),
        subcommands: [Kill.self, Start.self, Background.self, Foreground.self, Sleep.self])

    struct Kill: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "kill", abstract: "End the process: local data stays, nothing is sent.",
            discussion: Discussion.examples(
                "@phone app kill",
                notes: """
                    The operating system closes the app's connections. The servers of Wilddog and ZIM ignore that: they \
                    wait until the heartbeats have been missing for 60 s and 35 s (server policy \
                    break-waits-for-silence). The other servers see it at once; RTM then keeps the user online for 30 s. \
                    For a device whose battery is empty, type 'net half-open' before 'app kill': no server sees that.
                    """))

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.app(.kill, client: client)
        }
    }

    struct Start: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Start the process again.",
            discussion: Discussion.examples("@phone app start"))

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.app(.start, client: client)
        }
    }

    struct Background: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "background", abstract: "Put the app into the background.",
            discussion: Discussion.examples("@phone app background"))

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.app(.background, client: client)
        }
    }

    struct Foreground: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "foreground", abstract: "Bring the app back.",
            discussion: Discussion.examples("@phone app foreground"))

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.app(.foreground, client: client)
        }
    }

    struct Sleep: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "sleep", abstract: "Let the device sleep: no timer runs, no frame is read.",
            discussion: Discussion.examples("@phone app sleep 10m"))

        @Argument(help: "How long: 250ms, 5s, 2m, 1h.")
        var duration: DurationArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.app(.sleep(duration.interval), client: client)
        }
    }
}
