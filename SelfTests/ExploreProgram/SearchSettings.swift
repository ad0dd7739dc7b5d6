import IMExplorer
import IMShell

/// The settings of a search. The findings of the checkers decide which scenarios are mutated later in a block. So a
/// seed gives the same scenario only with the same checkers and self-checks.
enum SearchSettings {
    private static let selfChecksEvery = Explorer.Settings().selfChecksEvery
    /// The interval of the export checks among the self-checked scenarios. Export checks take fifty times as long as
    /// the scenario.
    private static let exportsEvery: UInt64 = 5

    private static let selfChecks = RecordingSelfChecks(
        further: ExportSelfChecks.all.map { selfCheck in
            { scenario, bytes in
                try scenario.seed / selfChecksEvery % exportsEvery == 0 ? selfCheck(scenario, bytes) : nil
            }
        })
    /// All self-checks, for every seed. A search selects the checks of a scenario by its seed, but a shrunk scenario
    /// has a different seed.
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
