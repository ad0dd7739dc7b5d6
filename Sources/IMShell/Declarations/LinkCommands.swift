import ArgumentParser

/// Faults that affect a whole connection and not single frames.
extension NetCommand {
    struct Down: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "down", abstract: "Disconnect the network.", discussion: Discussion.examples("net down"))

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.net(.down, client: client)
        }
    }

    struct Up: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "up", abstract: "Reconnect the network.", discussion: Discussion.examples("net up"))

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.net(.up, client: client)
        }
    }

    struct Switch: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "switch", abstract: "Change to another network: the link is lost at once.",
            discussion: Discussion.examples("@phone net switch"))

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.net(.switchNetwork, client: client)
        }
    }

    struct HalfOpen: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "half-open", abstract: "Make the link half-open: it looks open and delivers nothing.",
            discussion: Discussion.examples("@phone net half-open"))

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.net(.halfOpen, client: client)
        }
    }

    struct Reset: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "reset", abstract: "Reset the connection.", discussion: Discussion.examples("net reset"))

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.net(.reset, client: client)
        }
    }

    struct Release: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "release", abstract: "Deliver the held frames.", discussion: Discussion.examples("net release")
        )

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.net(.release, client: client)
        }
    }

    struct Clear: ShellCommand {
        static let takesClient = true
        static let configuration = CommandConfiguration(
            commandName: "clear", abstract: "End all faults, delays and losses.",
            discussion: Discussion.examples("net clear"))

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.net(.clear, client: client)
        }
    }
}
