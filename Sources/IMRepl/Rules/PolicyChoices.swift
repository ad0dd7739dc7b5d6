import IMServer

/// What the choices of a policy mean, for those who gave none of them.
enum PolicyChoices {
    static func meaning(of value: String, key: String) -> String? {
        switch key {
        case "exclusion": ServerPolicy.Exclusion(rawValue: value).map(meaning)
        case "taken-place": ServerPolicy.TakenPlace(rawValue: value).map(meaning)
        default: nil
        }
    }

    /// One line for each choice, with what it means.
    static func lines(_ takes: String, key: String) -> [String] {
        let values = takes.split(separator: "|").map(String.init)
        let width = (values.map(\.count).max() ?? 0) + 2
        return values.map { value in
            guard let meaning = meaning(of: value, key: key) else { return "  \(value)" }
            return "  \(TextWidth.padded(value, to: width))\(meaning)"
        }
    }

    private static func meaning(_ exclusion: ServerPolicy.Exclusion) -> String {
        switch exclusion {
        case .mobileDesktop: "phones exclude phones; computers and browsers exclude each other"
        case .single: "one device only"
        case .unlimited: "up to device-count-max devices; one more ends the earliest login"
        case .none: "the server ends nobody"
        case .dual: "one browser and one other device"
        case .multi: "Android and iOS exclude each other, and so do Windows and Mac"
        case .perPlatform: "platforms never exclude each other; device-count-max of each"
        }
    }

    private static func meaning(_ place: ServerPolicy.TakenPlace) -> String {
        switch place {
        case .kicked: "a reconnect that finds its place taken is over: the device was kicked"
        case .kicksCurrent: "it counts as a login and ends the earliest other one"
        case .keepsCurrent: "it fails and ends nobody"
        }
    }
}
