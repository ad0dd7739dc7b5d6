import ArgumentParser

struct WaitCommand: ShellCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Let time pass.",
        discussion: Discussion.examples(
            "wait 5s", "wait 2m",
            notes: "Virtual time in the simulated world, real time in the live one."))

    @Argument(help: "The duration: 250ms, 5s, 2m, 1h.")
    var duration: DurationArgument

    var nature: CommandNature { .controlsShell }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.wait(duration.interval)
    }
}

struct ClockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Set an error of the client's wall clock.",
        discussion: Discussion.examples("clock skew +1h", "@phone clock skew -5s"),
        subcommands: [Skew.self])

    struct Skew: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "skew", abstract: "Set the wall clock ahead of or behind the true time.",
            discussion: Discussion.examples("clock skew +1h", "@phone clock skew -5s", "clock skew 0s"))

        @Argument(help: ArgumentHelp("The error: +1h is ahead, -5s is behind.", valueName: "offset"))
        var duration: SignedDurationArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.setClockSkew(by: duration.interval, client: client)
        }
    }
}
