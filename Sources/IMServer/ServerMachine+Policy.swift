import IMProtocol
import SansIO

extension ServerMachine {
    /// The names that `server policy` knows, with what they take.
    public static let policyKeys: [(key: String, takes: String)] = [
        ("exclusion", ServerPolicy.Exclusion.allCases.map(\.rawValue).joined(separator: "|")),
        ("device-count-max", "a number from 1"),
        ("checks-last-device", "true|false"),
        ("silence-limit-ms", "milliseconds"),
        ("presence-hold-ms", "milliseconds"),
        ("makes-accounts", "true|false"),
    ]

    /// Changes one choice of the policy; it holds from the next login on.
    mutating func setPolicy(_ key: String, _ value: String) -> Status {
        switch key {
        case "exclusion":
            guard let exclusion = ServerPolicy.Exclusion(rawValue: value) else { return .invalidArgument }
            policy.exclusion = exclusion
        case "device-count-max":
            guard let count = Int(value), count >= 1 else { return .invalidArgument }
            policy.deviceCountMax = count
        case "checks-last-device":
            guard let flag = Bool(value) else { return .invalidArgument }
            policy.checksLastDevice = flag
        case "silence-limit-ms":
            guard let limit = Int64(value), limit > 0 else { return .invalidArgument }
            policy.silenceLimit = .milliseconds(limit)
        case "presence-hold-ms":
            guard let hold = Int64(value), hold >= 0 else { return .invalidArgument }
            policy.presenceHold = .milliseconds(hold)
        case "makes-accounts":
            guard let flag = Bool(value) else { return .invalidArgument }
            policy.makesAccounts = flag
        default: return .notFound
        }
        return .ok
    }
}
