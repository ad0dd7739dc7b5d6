import IMProtocol
import SansIO

/// The rate limit for an app's calls of one family.
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
        /// Starting and stopping notifications of users' presence.
        case watches = 9
        case renewals = 10
    }

    /// The calls that are counted together.
    public var family: Family
    /// Maximum number of calls within the window; one more is refused and does not count.
    public var countMax: Int
    /// The length of a window, which starts with its first call.
    public var window: Interval

    /// A limit for the calls of one kind of request within each window.
    public init(_ family: Family, _ countMax: Int, within window: Interval) {
        self.family = family
        self.countMax = countMax
        self.window = window
    }
}

/// The times of calls, as far back as the policy needs them.
struct CallTimes: Hashable, Sendable, Codable {
    private struct Call: Hashable, Sendable, Codable {
        var family: CallRate.Family
        /// The channel, if each one is counted separately; otherwise empty.
        var name: String
        var at: Instant
    }

    private var calls: [Call] = []

    /// True if one more call comes too often; otherwise the call is counted.
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
