import IMExplorer

/// What a search is made with. What an oracle finds decides which scenarios later seeds of its block are, so that a scenario
/// is found again with the same oracles and laws only.
enum SearchSettings {
    static let laws = RecorderLaws()

    static func make(profile: String?, canaryAt: Int? = nil, hasOracles: Bool = true) -> Explorer.Settings {
        var search = Explorer.Settings()
        search.profile = profile
        search.canaryAt = canaryAt
        search.hasOracles = hasOracles
        if hasOracles { search.laws = laws }
        return search
    }
}
