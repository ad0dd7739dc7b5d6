import IMClient
import SansIO

/// The probabilities of the kinds of steps in a scenario. The weights are random too, so that some scenarios have
/// mostly kicks and others mostly sleeps. If all kinds were equally likely, few scenarios would repeat the same kind.
struct StepWeights {
    enum Kind: Int, CaseIterable {
        case login, logout, network, frames, process, server, account, messages, channels, tree, kicks, queries, tokens,
            patterns
    }

    private let weights: [UInt64]
    private let total: UInt64
    /// The probability of a wait after a step, in parts per million.
    let waits: UInt64
    /// The number of steps before the network heals.
    let length: Int

    init(_ features: ClientFeatures, random: inout SeededRandom) {
        weights = Kind.allCases.map { kind in
            guard let most = Self.maximumWeight(of: kind, features) else { return 0 }
            // The number is squared, so that a few kinds are much more frequent than the others.
            let drawn = random.below(10)
            return drawn * drawn * most / 8 + (drawn > 2 ? 1 : 0)
        }
        total = weights.reduce(0, +)
        waits = 300_000 + random.below(600_000)
        length = 4 + Int(random.below(28))
    }

    /// The maximum weight of a kind; nil if the profile does not have such steps.
    private static func maximumWeight(of kind: Kind, _ features: ClientFeatures) -> UInt64? {
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
