import IMExplorer
import IMShell

/// What a search is made with. What an oracle finds decides which scenarios later seeds of its block are, so that a scenario
/// is found again with the same oracles and laws only.
enum SearchSettings {
    private static let lawsEvery = Explorer.Settings().lawsEvery
    /// Exports are looked at in each so many-th of those: that takes fifty times as long as the scenario.
    private static let exportsEvery: UInt64 = 5

    private static let laws = RecorderLaws(
        further: ExportLaws.all.map { law in
            { scenario, bytes in
                try scenario.seed / lawsEvery % exportsEvery == 0 ? law(scenario, bytes) : nil
            }
        })
    /// All that may have been found, whatever the seed: the shortest scenario has another one.
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
