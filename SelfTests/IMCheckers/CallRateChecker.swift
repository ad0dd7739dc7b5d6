import IMClient
import IMProtocol
import IMSession
import SansIO

/// Checks the limits on calls per time window: a call over the limit is refused at once, any other call is not (RTM-9).
struct CallRateChecker {
    private struct Kind: Hashable {
        var family: CallRate.Family
        /// The channel, if calls are counted per channel.
        var name = ""
    }

    private let rates: [CallRate]
    /// The times of the calls of each kind, and whether a call was certainly counted.
    private var calls: [Kind: [(at: Instant, isCounted: Bool)]] = [:]
    /// A call of the current input that must be refused.
    private var due: CommandID?
    private var current: (id: CommandID, kinds: [Kind])?

    init(_ policy: ClientPolicy) { rates = policy.callRates }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        guard !rates.isEmpty else { return }
        switch event.content {
        case .start, .stop: (calls, due, current) = ([:], nil, nil)
        case .input(let input):
            if due != nil { violations.append(Violation(.commands, "RTM-9", "a call that comes too often is made")) }
            (due, current) = (nil, nil)
            guard case .clientCommand(let id, let command) = input, let kinds = Self.kinds(of: command) else { return }
            call(id, kinds, isCounted: trace.state == .online && trace.openLink != nil, at: event.time)
        case .effect(.complete(let id, let completion)):
            guard let current, current.id == id else { return }
            if due == id { due = nil }
            let isTooOften = [.rateLimited, .channelRateLimited].contains(completion.status)
            guard completion.status != .ok else { return }
            for kind in current.kinds where !(calls[kind] ?? []).isEmpty {
                calls[kind]?.removeLast()
            }
            guard isTooOften else { return }
            for kind in current.kinds where (calls[kind] ?? []).count >= rate(of: kind)?.countMax ?? .max { return }
            violations.append(Violation(.commands, "RTM-9", "a call is refused as too many, and they are not"))
        default: break
        }
    }

    private mutating func call(_ id: CommandID, _ kinds: [Kind], isCounted: Bool, at now: Instant) {
        for kind in kinds {
            guard let rate = rate(of: kind) else { continue }
            calls[kind, default: []].removeAll { now - $0.at >= rate.window }
            if isCounted, calls[kind]?.count(where: \.isCounted) ?? 0 >= rate.countMax { due = id }
            calls[kind, default: []].append((now, isCounted))
        }
        current = (id, kinds)
    }

    private func rate(of kind: Kind) -> CallRate? { rates.first { $0.family == kind.family } }

    private static func kinds(of command: ClientCommand) -> [Kind]? {
        switch command {
        case .send: [Kind(family: .messages)]
        case .join(let channel): [Kind(family: .joins), Kind(family: .joinsOfOneChannel, name: channel)]
        case .ask(.members): [Kind(family: .memberQuestions)]
        case .ask(.attributes): [Kind(family: .userAttributeQuestions)]
        case .ask(.channelAttributes): [Kind(family: .channelAttributeQuestions)]
        case .setAttributes("", _): [Kind(family: .userAttributes)]
        case .setAttributes: [Kind(family: .channelAttributes)]
        case .watch: [Kind(family: .watches)]
        case .renewToken: [Kind(family: .renewals)]
        default: nil
        }
    }
}
