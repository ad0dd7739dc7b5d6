import ArgumentParser
import IMShell

extension ImreplCommand {
    struct App: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.app.rawValue, abstract: TerminalCommand.app.abstract,
            subcommands: [Begin.self, Search.self])

        struct Begin: CommandLineAction {
            static let configuration = CommandConfiguration(
                commandName: "init", abstract: "Write the package that tests an app's login code.",
                discussion: """
                    EXAMPLES:
                      imrepl app init ../ChatApp/Sources
                      imrepl app init Sources -o Tests/Login --modules ../imrepl/Packages/VendorSDKs

                    It finds the files that import a vendor's SDK, links them into a test target with the simulated \
                    SDK, and writes a first test and a search. It guesses from the source how the app logs in; \
                    check the guess in Explorer.swift.
                    """)

            @Argument(help: "The folder of the app's sources.", completion: .directory)
            var folder: String

            @Option(name: .shortAndLong, help: ArgumentHelp("The folder of the package.", valueName: "dir"))
            var output = "LoginTests"

            @Option(
                help: ArgumentHelp(
                    "Packages/VendorSDKs in a clone of imrepl; by default the one beside this "
                        + "program.", valueName: "dir"))
            var modules: String?

            @OptionGroup var common: CommonOptions

            func perform(_ entry: any Entry) async throws -> Outcome {
                try await entry.beginApp(
                    AppInitRequest(folder: folder, target: output, modules: modules, settings: common.settings))
            }
        }

        struct Search: CommandLineAction {
            static let configuration = CommandConfiguration(
                commandName: "search", abstract: "Search an app's login code for mistakes.",
                discussion: """
                    EXAMPLES:
                      imrepl app search LoginTests
                      imrepl app search LoginTests --seeds 0..5000 --jobs 2 --report search.html
                      imrepl app search LoginTests --shard 1/4 --json > part-1.ndjson
                      imrepl app search --merge part-1.ndjson --merge part-2.ndjson

                    It builds the package, which takes minutes the first time, and plays a scenario for each seed: taps, \
                    faults, other devices, restarts. Each kind of mistake is reported once, with its shortest scenario, and \
                    written as a test and a session. \
                    Exit codes: 1 a mistake was found; 3 the package cannot be built or ends early.
                    """)

            @Argument(help: "The folder of the package that 'app init' wrote.", completion: .directory)
            var folder: String?

            @Option(help: ArgumentHelp("The seeds, for example 0..199.", valueName: "first..last"))
            var seeds: SeedRange?

            @Option(
                help: ArgumentHelp("The number of processes.", valueName: "number"),
                transform: WholeNumber.in(1...64, "processes"))
            var jobs = 1

            @Option(help: ArgumentHelp("Only this part of the seeds, for example 2/4.", valueName: "i/n"))
            var shard: ShardArgument?

            @Option(help: ArgumentHelp("Merge outputs of --json instead of searching.", valueName: "file"))
            var merge: [String] = []

            @Option(
                help: ArgumentHelp(
                    "Scenarios to begin from; one that reaches something new is added.", valueName: "dir"),
                completion: .directory)
            var corpus: String?

            @Option(help: ArgumentHelp("Also write a page to look at.", valueName: "file"), completion: .file())
            var report: String?

            @OptionGroup var jsonOption: JSONOption
            @OptionGroup var common: CommonOptions

            func validate() throws {
                guard (folder == nil) != merge.isEmpty else {
                    throw ValidationError("give the folder of a package, or outputs with --merge")
                }
            }

            func perform(_ entry: any Entry) async throws -> Outcome {
                try await entry.searchApp(
                    AppSearchRequest(
                        folder: folder ?? "", first: seeds?.range.lowerBound ?? 0,
                        count: UInt64((seeds?.range).map { min($0.count, 1_000_000) } ?? 200), jobs: jobs, shard: shard,
                        merges: merge, corpus: corpus, report: report, settings: common.settings(jsonOption)))
            }
        }
    }
}

struct AppInitRequest: Equatable, Sendable {
    /// The app's sources.
    var folder: String
    /// The folder in which the test package is written; it must not exist.
    var target: String
    /// The package of the vendors' modules; nil for the one next to this program.
    var modules: String?
    var settings: CommonSettings
}

struct AppSearchRequest: Equatable, Sendable {
    var folder: String
    var first: UInt64
    var count: UInt64
    var jobs: Int
    var shard: ShardArgument?
    var merges: [String]
    /// The folder of scenarios to begin from; nil for none.
    var corpus: String?
    /// The file for the report page; nil for none.
    var report: String?
    var settings: CommonSettings
}
