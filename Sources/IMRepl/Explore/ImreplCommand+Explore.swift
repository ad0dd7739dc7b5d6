import ArgumentParser
import IMCommands
import IMDialects
import IMExplorer
import IMScript
import IMShell
import SansIO

extension ImreplCommand {
    struct Explore: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.explore.rawValue, abstract: TerminalCommand.explore.abstract,
            discussion: """
                EXAMPLES:
                  imrepl explore --profile nim --time-limit 1m
                  imrepl explore --seeds 1..5000 --jobs 2 --report search.html
                  imrepl explore --seeds 1..100000 --shard 2/4 --json > part-2.ndjson
                  imrepl explore --merge part-1.ndjson --merge part-2.ndjson --report search.html

                Each seed is a scenario: clients, users, what they do and what goes wrong. It is played in virtual time, \
                with oracles that look at every event, and it is the same scenario on every machine. Each kind of failure \
                is told in one line, with the seed and the session file; 'imrepl shrink' makes it short.
                Without a last seed it goes on until the time is over or ^C. Exit codes: 1 a rule was broken, or something \
                that a search has to see was never seen; 2 a part of what is merged is missing or there twice.
                """)

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

        @Option(help: ArgumentHelp("Only this part of the seeds, as in 2/4.", valueName: "i/n"))
        var shard: ShardArgument?

        @Flag(help: "End with the first failure.")
        var untilFailure = false

        @Option(help: ArgumentHelp("Recordings to begin from; what reaches something new is added.", valueName: "dir"))
        var corpus: String?

        @Option(help: ArgumentHelp("Where the sessions of failures are written.", valueName: "dir"))
        var failures = "explored"

        @Option(help: ArgumentHelp("Also write a page to look at.", valueName: "file"))
        var report: String?

        @Option(help: ArgumentHelp("Put reports of --json together instead of searching.", valueName: "file"))
        var merge: [String] = []

        @Option(
            help: ArgumentHelp("Have an oracle fail on purpose behind so many events.", valueName: "number"),
            transform: WholeNumber.in(0...1_000_000_000, "events"))
        var canary: Int?

        @Flag(help: "Play without looking: how fast that is.")
        var withoutOracles = false

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

        func perform(_ entry: any Entry) async throws -> Outcome {
            var limit = timeLimit?.interval
            if limit == nil, seeds == nil { limit = .seconds(60) }
            return try await entry.explore(
                ExploreRequest(
                    profile: profileOption.profiles.first, seeds: seeds?.range, limit: limit, jobs: jobs,
                    shard: shard, untilFailure: untilFailure, corpus: corpus, failures: failures, report: report,
                    merges: merge, canaryAt: canary, hasOracles: !withoutOracles, asJSON: jsonOption.json,
                    settings: common.settings))
        }
    }
}

struct ExploreRequest: Equatable, Sendable {
    var profile: String?
    /// Nil for all that there is time for.
    var seeds: Range<UInt64>?
    var limit: Interval?
    var jobs: Int
    var shard: ShardArgument?
    var untilFailure: Bool
    var corpus: String?
    /// The folder for the sessions of failures.
    var failures: String
    var report: String?
    /// Reports to put together; none for a search.
    var merges: [String]
    var canaryAt: Int?
    var hasOracles: Bool
    var asJSON: Bool
    var settings: CommonSettings

    func searchSettings(profile: String?) -> Explorer.Settings {
        SearchSettings.make(profile: profile, canaryAt: canaryAt, hasOracles: hasOracles)
    }

    /// What its report is about.
    var part: SearchPart {
        let seeds = seeds ?? 0..<SeedRange.end
        var part = SearchPart(seeds: seeds, isOpen: seeds.upperBound == SeedRange.end)
        (part.part, part.of) = (shard?.index, shard?.count)
        (part.profile, part.canary) = (profile, canaryAt)
        part.withoutOracles = hasOracles ? nil : true
        return part
    }
}

/// `1..1000`: from the first to the last, which counts; `1000..` has no last one.
struct SeedRange: ExpressibleByArgument, Equatable, Sendable {
    var range: Range<UInt64>
    static let end = SearchPart.end

    init?(argument: String) {
        let parts = argument.components(separatedBy: "..")
        if parts.count == 2, parts[1].isEmpty, let first = UInt64(parts[0]), first < Self.end {
            range = first..<Self.end
            return
        }
        guard parts.count == 2, let first = UInt64(parts[0]), let last = UInt64(parts[1]), first <= last, last < .max
        else {
            guard let one = UInt64(argument), one < .max else { return nil }
            range = one..<(one + 1)
            return
        }
        range = first..<(last + 1)
    }
}

/// `2/4`: the second of four parts.
struct ShardArgument: ExpressibleByArgument, Equatable, Sendable {
    var index: UInt64
    var count: UInt64

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { UInt64($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1], count > 0, (1...count).contains(index)
        else {
            return nil
        }
        (self.index, self.count) = (index, count)
    }
}
