import ArgumentParser
import IMExplorer
import IMProfiles
import IMRepl
import IMSession
import IMShell
import SansIO

/// The command line of a search. It also has the commands for the findings of a search.
struct ExploreCommand: ExploreAction {
    static let configuration = CommandConfiguration(
        commandName: "imrepl-explore", abstract: "Search for scenarios that break a rule.",
        discussion: """
            EXAMPLES:
              imrepl-explore --profile nim --time-limit 1m
              imrepl-explore --seeds 1..5000 --jobs 2 --report search.html
              imrepl-explore --seeds 1..100000 --shard 2/4 --json > part-2.ndjson
              imrepl-explore --merge part-1.ndjson --merge part-2.ndjson --report search.html
              imrepl-explore shrink 4711
              imrepl-explore test sessions              like 'imrepl test', with the checkers for 'check rules'
              imrepl-explore run scenario.imr           like 'imrepl run', with the checkers

            Each seed is a scenario: clients, users, commands and faults. It runs in virtual time, with checkers that \
            observe every event, and is the same scenario on every machine. Each kind of failure is reported in one \
            line, with the seed and the session file; 'imrepl-explore shrink' shortens it.
            Without a last seed it runs until the time limit or ^C. Exit codes: 1 a rule was broken, or a required \
            coverage item was not reached; 2 a merged part is missing or given twice.
            """,
        version: Version.number, subcommands: [ShrinkCommand.self])

    @Option(
        help: ArgumentHelp(
            "The seeds: 1..1000 (inclusive), or 1000.. for all from 1000 on.", valueName: "first..last"))
    var seeds: SeedRange?

    @Option(help: ArgumentHelp("The time limit; 1m without --seeds.", valueName: "duration"))
    var timeLimit: DurationArgument?

    @Option(
        help: ArgumentHelp("The number of threads.", valueName: "number"),
        transform: WholeNumber.in(1...64, "threads"))
    var jobs = 1

    @Option(help: ArgumentHelp("Only this part of the seeds, for example 2/4.", valueName: "i/n"))
    var shard: ShardArgument?

    @Flag(help: "Stop at the first failure.")
    var untilFailure = false

    @Option(
        help: ArgumentHelp(
            "A folder of recordings to start from; recordings with new coverage are added.", valueName: "dir"))
    var corpus: String?

    @Option(help: ArgumentHelp("The folder for the sessions of failures.", valueName: "dir"))
    var failures = "explored"

    @Option(help: ArgumentHelp("Also write an HTML page.", valueName: "file"))
    var report: String?

    @Option(help: ArgumentHelp("Merge reports of --json instead of searching.", valueName: "file"))
    var merge: [String] = []

    @OptionGroup var canaryOption: CanaryOption

    @Flag(help: "Run without checkers, to measure the speed.")
    var withoutCheckers = false

    @OptionGroup var jsonOption: JSONOption
    @OptionGroup var profileOption: ProfileOption
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard profileOption.profiles.count <= 1 else { throw ValidationError("--profile can be given only once here") }
        if let name = profileOption.profiles.first, Dialects.named(name) == nil {
            throw ValidationError(WorldPlan.unknown(profile: name).message)
        }
        guard merge.isEmpty || (seeds == nil && shard == nil && timeLimit == nil && corpus == nil) else {
            throw ValidationError("--merge merges reports and searches nothing; only --report can be given with it")
        }
        guard shard == nil || seeds != nil else {
            throw ValidationError("--shard needs --seeds, for example --seeds 1..100000")
        }
    }

    func perform() async throws -> Outcome {
        var limit = timeLimit?.interval
        if limit == nil, seeds == nil { limit = .seconds(60) }
        return try await ExploreRun(
            ExploreRequest(
                profile: profileOption.profiles.first, seeds: seeds?.range, limit: limit, jobs: jobs,
                shard: shard, untilFailure: untilFailure, corpus: corpus, failures: failures, report: report,
                merges: merge, canaryAt: canaryOption.canary, hasCheckers: !withoutCheckers, asJSON: jsonOption.json)
        ).perform()
    }
}

/// Reports a violation on purpose, to check that the search detects it.
struct CanaryOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("Make a checker fail deliberately after this many events.", valueName: "number"),
        transform: WholeNumber.in(0...1_000_000_000, "events"))
    var canary: Int?
}

struct ExploreRequest: Equatable, Sendable {
    var profile: String?
    /// The seeds; nil for as many as the time limit permits.
    var seeds: Range<UInt64>?
    var limit: Interval?
    var jobs: Int
    var shard: ShardArgument?
    var untilFailure: Bool
    var corpus: String?
    /// The folder for the recordings of failures.
    var failures: String
    var report: String?
    /// The paths of reports to merge; empty for a search.
    var merges: [String]
    var canaryAt: Int?
    var hasCheckers: Bool
    var asJSON: Bool

    func searchSettings(profile: String?) -> Explorer.Settings {
        SearchSettings.make(profile: profile, canaryAt: canaryAt, hasCheckers: hasCheckers)
    }

    /// The subject of the request's report.
    var part: SearchPart {
        let seeds = seeds ?? 0..<SeedRange.end
        var part = SearchPart(seeds: seeds, isOpen: seeds.upperBound == SeedRange.end)
        (part.part, part.of) = (shard?.index, shard?.count)
        (part.profile, part.canary) = (profile, canaryAt)
        part.withoutCheckers = hasCheckers ? nil : true
        return part
    }
}
