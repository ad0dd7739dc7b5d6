import ArgumentParser
import IMDebugger
import IMSession
import SansIO

/// Commands that cause and end faults of a client's network.
struct NetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "net",
        abstract: "Start and end faults of the client's network.",
        discussion: Discussion.examples(
            "net down", "@phone net delay 800ms --jitter 200ms", "net drop login-ack --dir in --count 1",
            "net hold kicked", "net release", "net clear"),
        subcommands: [
            Down.self, Up.self, Switch.self, HalfOpen.self, Reset.self, Delay.self, Loss.self, Drop.self, Hold.self,
            Duplicate.self, Release.self, Clear.self,
        ])

    struct Delay: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "delay", abstract: "Delay every frame.",
            discussion: Discussion.examples("net delay 800ms", "net delay 100ms --jitter 50ms"))

        @Argument(help: "The delay of a frame: 250ms, 5s.")
        var duration: DurationArgument

        @Option(help: ArgumentHelp("The maximum deviation from the delay.", valueName: "duration"))
        var jitter: DurationArgument?

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.net(.delay(duration.interval, jitter: jitter?.interval ?? .zero), client: client)
        }
    }

    struct Loss: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "loss", abstract: "Lose frames at random, depending on the seed.",
            discussion: Discussion.examples("net loss 20%", "net loss 0.05"))

        @Argument(help: "The probability, 0…1 or in percent.")
        var probability: ProbabilityArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.net(.loss(probability.partsPerMillion), client: client)
        }
    }
}

/// The arguments of `net drop`, `net hold` and `net duplicate`.
struct FrameFaultOptions: ParsableArguments {
    @Argument(help: "The frame's type, or '*' for any.")
    var frame: NameArgument

    @Option(
        name: .customLong("dir"),
        help: ArgumentHelp("Only frames to the client (in) or from it (out).", valueName: "dir"))
    var direction: ObservedEvent.Direction?

    @Option(
        help: ArgumentHelp("The number of frames.", valueName: "number"),
        transform: WholeNumber.in(1...Int(UInt32.max), "frames"))
    var count: Int?

    func rule(_ action: FrameAction) -> NetAction {
        .rule(
            FrameRule(
                action, frame: frame.value, direction: direction.map { $0 == .out ? .toServer : .toClient },
                count: count.map { UInt32(clamping: $0) }))
    }
}

extension NetCommand {
    struct Drop: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "drop", abstract: "Drop frames of a type.",
            discussion: Discussion.examples("net drop login-ack", "net drop heartbeat --dir out --count 3"))

        @OptionGroup var options: FrameFaultOptions

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.net(options.rule(.drop), client: client)
        }
    }

    struct Hold: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "hold", abstract: "Hold frames of a type until 'net release'.",
            discussion: Discussion.examples("net hold kicked --dir in"))

        @OptionGroup var options: FrameFaultOptions

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.net(options.rule(.hold), client: client)
        }
    }

    struct Duplicate: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "duplicate", abstract: "Deliver frames of a type twice.",
            discussion: Discussion.examples("net duplicate message --dir in --count 1"))

        @OptionGroup var options: FrameFaultOptions

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.net(options.rule(.duplicate), client: client)
        }
    }
}
