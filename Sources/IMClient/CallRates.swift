import IMProtocol
import SansIO

/// The maximum rate of an app's calls of one family (RTM-9).
public struct CallRate: Hashable, Sendable, Codable {
    /// The families of calls. A rate limit counts all calls of a family together.
    public enum Family: UInt8, Hashable, Sendable, Codable, CaseIterable {
        /// Messages to users and to channels.
        case messages = 1
        case joins = 2
        /// Joins, counted separately for each channel.
        case joinsOfOneChannel = 3
        /// Queries of a channel's members.
        case memberQueries = 4
        /// Changes of the user's own attributes.
        case userAttributes = 5
        /// Queries of a user's attributes.
        case userAttributeQueries = 6
        case channelAttributes = 7
        /// Queries of a channel's attributes.
        case channelAttributeQueries = 8
        /// Starting and stopping notifications of users' presence.
        case watches = 9
        /// Renewals of the token.
        case renewals = 10
    }

    /// The family of calls that the limit applies to.
    public var family: Family
    /// The maximum number of calls within ``window``. A call beyond the maximum is refused and does not count.
    public var countMax: Int
    /// How long a call counts. At most ``countMax`` calls are accepted in any interval of this length.
    public var window: Interval

    /// A limit for the calls of a family within any interval of the given length.
    public init(_ family: Family, _ countMax: Int, within window: Interval) {
        self.family = family
        self.countMax = countMax
        self.window = window
    }
}

/// The times of the calls that still count for a rate limit.
struct CallTimes: Hashable, Sendable, Codable {
    private struct Call: Hashable, Sendable, Codable {
        var family: CallRate.Family
        /// The channel, if the family counts each channel separately; otherwise empty.
        var name: String
        var at: Instant
    }

    private var calls: [Call] = []

    /// True if a call at `now` exceeds the rate limit of its family. If it does not, the call is counted.
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
