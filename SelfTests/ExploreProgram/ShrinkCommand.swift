import ArgumentParser
import Foundation
import IMCheckers
import IMDebugger
import IMExplorer
import IMProfiles
import IMRepl
import IMShell

/// The command that shrinks a scenario while a rule is still broken, or while a condition still holds.
struct ShrinkCommand: ExploreAction {
    static let configuration = CommandConfiguration(
        commandName: "shrink", abstract: "Make a scenario as short as possible.",
        discussion: """
            EXAMPLES:
              imrepl-explore shrink 4711                                  the failure of that seed
              imrepl-explore shrink explored/nim-kicks-4711.pcapng
              imrepl-explore shrink 4711 --keep 'count(kick and node == phone) >= 2'

            It removes devices, commands, faults and waits, and simplifies values, as long as the same kind of failure \
            occurs, or the condition holds. It writes a script that ends with a check of it, and its recording.
            Exit code 1: no rule is broken, or the condition does not hold.
            """)

    /// The command at the end of the script. It fails if a rule is broken.
    static let rulesCheck = "check rules"

    @Argument(help: "A seed of the search, a recording, or 'last'.")
    var source: String

    @Option(help: ArgumentHelp("The condition that must still hold, instead of a broken rule.", valueName: "condition"))
    var keep: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The script; by default 'shrunk-SEED.imr' or 'NAME-shrunk.imr'.", valueName: "file"))
    var output: String?

    @OptionGroup var canaryOption: CanaryOption
    @OptionGroup var forceOption: ForceOption
    @OptionGroup var profileOption: ProfileOption
    @OptionGroup var jsonOption: JSONOption
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard canaryOption.canary == nil || UInt64(source) != nil else {
            throw ValidationError(
                "--canary needs a seed: recordings do not contain the checker that fails deliberately")
        }
    }

    func perform() async throws -> Outcome {
        let request = ShrinkRequest(
            source: source, condition: keep ?? "", target: output, overwrites: forceOption.force,
            settings: common.settings(jsonOption))
        let (profile, canary) = (profileOption.profiles.first, canaryOption.canary)
        let condition = keep
        return try await onOwnThread {
            try ShrinkRun.perform(request) { run in
                let found = try FoundScenario(run, profile: profile, canaryAt: canary)
                if let condition { return try run.goal(keeping: condition, of: found.scenario, name: found.name) }
                return try found.goal(canaryAt: canary)
            }
        }
    }
}

/// A scenario, a name for the output, and the violation that the search found. Playing the scenario without the
/// self-checks does not show every violation.
private struct FoundScenario {
    let scenario: Scenario
    let name: String
    private let found: Violation?

    init(_ run: ShrinkRun, profile: String?, canaryAt canary: Int?) throws {
        guard let seed = UInt64(run.request.source) else {
            (scenario, name) = try run.source()
            found = nil
            return
        }
        let settings = SearchSettings.make(profile: profile, canaryAt: canary)
        var (scenario, outcome) = try Explorer(settings).scenario(of: seed)
        if let dialect = Dialects.named(scenario.profile) { scenario.steps += scenario.ending(dialect) }
        (self.scenario, name, found) = (scenario, "shrunk-\(seed).imr", outcome.violation)
    }

    func goal(canaryAt canary: Int?) throws -> ShrinkGoal {
        guard let violation = try found ?? violation() else {
            throw ShellError(
                message: "no rule is broken in \(name); --keep sets a condition instead",
                reason: .failed)
        }
        return ShrinkGoal(
            scenario, name: name, what: "\(violation.rule): \(violation.text)",
            // A script cannot check for the deliberate violation of the canary.
            check: violation.checker == .canary ? nil : ShrinkCommand.rulesCheck,
            isKept: Shrinker.keeping(violation, selfChecks: SearchSettings.allSelfChecks, canaryAt: canary))
    }

    private func violation() throws -> Violation? {
        var options = ScenarioPlayer.Options()
        options.heals = false
        return try ScenarioPlayer(scenario, options).play().violation
    }
}
