import IMClient
import SansIO

/// What a scenario is mostly about: how often each kind of thing is drawn. Weights are drawn too, so that some scenarios
/// are all kicks and some all sleeping; where everything is equally likely, nothing is ever done three times in a row.
struct DriverMood {
    enum Kind: Int, CaseIterable {
        case login, logout, network, frames, process, server, account, messages, channels, tree, kicks, queries, tokens,
            patterns
    }

    private let weights: [UInt64]
    private let total: UInt64
    /// How likely a wait follows, in parts per million.
    let waits: UInt64
    /// How many things are done before the network heals.
    let length: Int

    init(_ features: ClientFeatures, random: inout SeededRandom) {
        weights = Kind.allCases.map { kind in
            guard let most = Self.mostOf(kind, features) else { return 0 }
            // Squared, so that a few kinds stand out.
            let drawn = random.below(10)
            return drawn * drawn * most / 8 + (drawn > 2 ? 1 : 0)
        }
        total = weights.reduce(0, +)
        waits = 300_000 + random.below(600_000)
        length = 4 + Int(random.below(28))
    }

    /// How much of a kind there may be; nil for what the system does not have.
    private static func mostOf(_ kind: Kind, _ features: ClientFeatures) -> UInt64? {
        switch kind {
        case .login: features.contains(.tree) ? 1 : 10
        case .logout: features.contains(.tree) ? nil : 3
        case .network: 8
        case .frames: 8
        case .process: 5
        case .server: 3
        case .account: features.contains(.tree) ? nil : 3
        case .messages: features.contains(.messages) ? 6 : nil
        case .channels: features.contains(.channels) ? 7 : nil
        case .tree: features.contains(.tree) ? 14 : nil
        case .kicks: features.contains(.tree) ? nil : 4
        case .queries: 2
        case .tokens: features.contains(.tokenRenewal) ? 5 : nil
        case .patterns: 10
        }
    }

    func draw(_ random: inout SeededRandom) -> Kind {
        guard total > 0 else { return .network }
        var left = random.below(total)
        for kind in Kind.allCases {
            if left < weights[kind.rawValue] { return kind }
            left -= weights[kind.rawValue]
        }
        return .network
    }
}
