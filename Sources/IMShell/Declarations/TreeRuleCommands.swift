import ArgumentParser
import IMDebugger

// The commands for the security rules, which decide who may read and write a path of the tree.

extension ServerSideCommand {
    struct Rules: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rules",
            abstract: "Manage the security rules of the tree.",
            discussion: Discussion.examples(
                "server rules", "server rules set users/alice --write alice", "server rules remove users/alice",
                notes: """
                    Without a rule, everyone may read and write. A rule applies to its path and all below it, unless \
                    a rule below replaces it. An access to a path needs permission for everything below it.
                    """),
            subcommands: [List.self, Set.self, Remove.self], defaultSubcommand: List.self)

        struct List: ShellCommand {
            static let configuration = CommandConfiguration(
                commandName: "list", abstract: "List the security rules.",
                discussion: Discussion.examples("server rules list"))

            var nature: CommandNature { .queriesState }

            mutating func execute(in shell: any ShellContext, client: String?) throws { try shell.server(.listRules) }
        }

        struct Set: ShellCommand {
            static let configuration = CommandConfiguration(
                commandName: "set", abstract: "Set who may read and write a path and all paths below it.",
                discussion: Discussion.examples(
                    "server rules set / --write none", "server rules set users/alice --read all --write alice",
                    notes: "Listeners that lose permission are cancelled with 26101."))

            @Argument(help: "The path; / is the whole tree.")
            var path: TextArgument

            @Option(help: ArgumentHelp("Who may read it: all, none, or names separated by commas.", valueName: "who"))
            var read: TextArgument?

            @Option(help: ArgumentHelp("Who may write it.", valueName: "who"))
            var write: TextArgument?

            mutating func resolve() throws(WordError) {
                guard read == nil, write == nil else { return }
                throw WordError(
                    0, "the rule for \(path.value) has neither --read nor --write",
                    hint: "for example --read all, --write alice,bob")
            }

            mutating func execute(in shell: any ShellContext, client: String?) throws {
                try shell.server(.setRule(path.value, read: read?.value, write: write?.value))
            }
        }

        struct Remove: ShellCommand {
            static let configuration = CommandConfiguration(
                commandName: "remove", abstract: "Remove the security rule of a path.",
                discussion: Discussion.examples("server rules remove users/alice"))

            @Argument(help: "The path; / is the whole tree.")
            var path: TextArgument

            mutating func execute(in shell: any ShellContext, client: String?) throws {
                try shell.server(.setRule(path.value, read: nil, write: nil))
            }
        }
    }
}
