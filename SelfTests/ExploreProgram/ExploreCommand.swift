import ArgumentParser
import IMExplorer
import IMProfiles
import IMRepl
import IMSession
import IMShell
import SansIO

/// The command line of the search and of the commands for its findings.
struct ExploreCommand: ExploreAction {
    static let configuration = CommandConfiguration(
        commandName: "imrepl-explore", abstract: "Search for scenarios in which a rule is broken.",
        discussion: """
            EXAMPLES:
              imrepl-explore --profile nim --time-limit 1m
              imrepl-explore --seeds 1..5000 --jobs 2 --report search.html
              imrepl-explore --seeds 1..100000 --shard 2/4 --json > part-2.ndjson
              imrepl-explore --merge part-1.ndjson --merge part-2.ndjson --report search.html
              imrepl-explore shrink 4711
              imrepl-explore test sessions              as 'imrepl test', with the checkers for 'check rules'
              imrepl-explore run scenario.imr           as 'imrepl run', with them

            Each seed is a scenario: clients, users, what they do and what goes wrong. It is played in virtual time, \
            with checkers that look at every event, and it is the same scenario on every machine. Each kind of failure \
            is told in one line, with the seed and the session file; 'imrepl-explore shrink' makes it short.
            Without a last seed it goes on until the time is over or ^C. Exit codes: 1 a rule was broken, or something \
            that a search has to see was never seen; 2 a part of what is merged is missing or there twice.
            """,
        version: Version.number, subcommands: [ShrinkCommand.self])

    @Option(
        help: ArgumentHelp(
            "The seeds, as in 1..1000, which counts, or 1000.. for all from there.", valueName: "first..last"))
    var seeds: SeedRange?

    @Option(help: ArgumentHelp("Ends after so long; 1m where there are no seeds.", valueName: "duration"))
    var timeLimit: DurationArgument?

    @Option(
        help: ArgumentHelp("How many threads search.", valueName: "number"),
        transform: WholeNumber.in(1...64, "threads"))
    var jobs = 1

    @Option(help: ArgumentHelp("Only this part of the seeds, for example 2/4.", valueName: "i/n"))
    var shard: ShardArgument?

    @Flag(help: "End with the first failure.")
    var untilFailure = false

    @Option(help: ArgumentHelp("Recordings to begin from; what reaches something new is added.", valueName: "dir"))
    var corpus: String?

    @Option(help: ArgumentHelp("Where the sessions of failures are written.", valueName: "dir"))
    var failures = "explored"

    @Option(help: ArgumentHelp("Also write an HTML page.", valueName: "file"))
    var report: String?

    @Option(help: ArgumentHelp("Put reports of --json together instead of searching.", valueName: "file"))
    var merge: [String] = []

    @OptionGroup var canaryOption: CanaryOption

    @Flag(help: "Play without looking: how fast that is.")
    var withoutCheckers = false

    @OptionGroup var jsonOption: JSONOption
    @OptionGroup var profileOption: ProfileOption
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard profileOption.profiles.count <= 1 else { throw ValidationError("--profile stands once here") }
        if let name = profileOption.profiles.first, Dialects.named(name) == nil {
            throw ValidationError(WorldPlan.unknown(profile: name).message)
        }
        guard merge.isEmpty || (seeds == nil && shard == nil && timeLimit == nil && corpus == nil) else {
            throw ValidationError("--merge puts reports together and searches nothing; give it --report alone")
        }
        guard shard == nil || seeds != nil else {
            throw ValidationError("--shard is a part of --seeds: give them, as in --seeds 1..100000")
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
        help: ArgumentHelp("Let a checker fail on purpose after this many events.", valueName: "number"),
        transform: WholeNumber.in(0...1_000_000_000, "events"))
    var canary: Int?
}

struct ExploreRequest: Equatable, Sendable {
    var profile: String?
    /// The seeds; nil for as many as the time allows.
    var seeds: Range<UInt64>?
    var limit: Interval?
    var jobs: Int
    var shard: ShardArgument?
    var untilFailure: Bool
    var corpus: String?
    /// The folder for the sessions of failures.
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

    /// The subject of its report.
    var part: SearchPart {
        let seeds = seeds ?? 0..<SeedRange.end
        var part = SearchPart(seeds: seeds, isOpen: seeds.upperBound == SeedRange.end)
        (part.part, part.of) = (shard?.index, shard?.count)
        (part.profile, part.canary) = (profile, canaryAt)
        part.withoutCheckers = hasCheckers ? nil : true
        return part
    }
}
