import IMExplorer
import IMShell

/// The settings of a search. The findings of the checkers decide the scenarios of later seeds of a block, so a scenario
/// can be found again only with the same checkers and self-checks.
enum SearchSettings {
    private static let selfChecksEvery = Explorer.Settings().selfChecksEvery
    /// The interval of export checks among the self-checks: they take fifty times as long as the scenario.
    private static let exportsEvery: UInt64 = 5

    private static let selfChecks = RecordingSelfChecks(
        further: ExportSelfChecks.all.map { selfCheck in
            { scenario, bytes in
                try scenario.seed / selfChecksEvery % exportsEvery == 0 ? selfCheck(scenario, bytes) : nil
            }
        })
    /// All self-checks for any seed, because the shortest scenario has another seed.
    static let allSelfChecks = RecordingSelfChecks(further: ExportSelfChecks.all)

    static func make(profile: String?, canaryAt: Int? = nil, hasCheckers: Bool = true) -> Explorer.Settings {
        var search = Explorer.Settings()
        search.profile = profile
        search.canaryAt = canaryAt
        search.hasCheckers = hasCheckers
        if hasCheckers {
            search.selfChecks = selfChecks
        }
        return search
    }
}
