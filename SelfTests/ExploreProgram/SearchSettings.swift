import IMExplorer
import IMShell

/// The settings of a search. The findings of the checkers decide the scenarios of later seeds of a block, so a scenario
/// can be found again only with the same checkers and self-checks.
enum SearchSettings {
    private static let lawsEvery = Explorer.Settings().lawsEvery
    /// The interval of export checks among the self-checks: they take fifty times as long as the scenario.
    private static let exportsEvery: UInt64 = 5

    private static let laws = RecorderLaws(
        further: ExportLaws.all.map { law in
            { scenario, bytes in
                try scenario.seed / lawsEvery % exportsEvery == 0 ? law(scenario, bytes) : nil
            }
        })
    /// All self-checks for any seed, because the shortest scenario has another seed.
    static let allLaws = RecorderLaws(further: ExportLaws.all)

    static func make(profile: String?, canaryAt: Int? = nil, hasOracles: Bool = true) -> Explorer.Settings {
        var search = Explorer.Settings()
        search.profile = profile
        search.canaryAt = canaryAt
        search.hasOracles = hasOracles
        if hasOracles {
            search.laws = laws
        }
        return search
    }
}
