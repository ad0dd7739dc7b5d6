import IMProtocol
import SansIO

/// How often an app may make calls of one family.
public struct CallRate: Hashable, Sendable, Codable {
    /// Calls that are counted together.
    public enum Family: UInt8, Hashable, Sendable, Codable, CaseIterable {
        /// Messages to users and to channels.
        case messages = 1
        case joins = 2
        /// Joins of one channel.
        case joinsOfOneChannel = 3
        case memberQuestions = 4
        /// Changes of the user's own attributes.
        case userAttributes = 5
        case userAttributeQuestions = 6
        case channelAttributes = 7
        case channelAttributeQuestions = 8
        /// Being told of users' presence, or no longer.
        case watches = 9
        case renewals = 10
    }

    /// The calls that are counted together.
    public var family: Family
    /// So many calls within the window; one more is refused and does not count.
    public var countMax: Int
    /// How long a window is; the first call in it begins it.
    public var window: Interval

    /// So many calls of a family within each window.
    public init(_ family: Family, _ countMax: Int, within window: Interval) {
        self.family = family
        self.countMax = countMax
        self.window = window
    }
}

/// When calls were made, as far back as a policy asks for it.
struct CallTimes: Hashable, Sendable, Codable {
    private struct Call: Hashable, Sendable, Codable {
        var family: CallRate.Family
        /// The channel, where each is counted for itself.
        var name: String
        var at: Instant
    }

    private var calls: [Call] = []

    /// Whether one more call comes too often; it counts as made when it does not.
    mutating func isTooOften(
        _ family: CallRate.Family, name: String = "", rates: [CallRate], at now: Instant
    ) -> Bool {
        guard let rate = rates.first(where: { $0.family == family }) else { return false }
        calls.removeAll { call in
            let window = rates.first { $0.family == call.family }?.window ?? .zero
            return now - call.at >= window
        }
        guard calls.count(where: { $0.family == family && $0.name == name }) < rate.countMax else { return true }
        calls.append(Call(family: family, name: name, at: now))
        return false
    }
}
