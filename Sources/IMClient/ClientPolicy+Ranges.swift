import IMProtocol
import SansIO

// What the fields of a client's policy may hold. Each stored property has a line here; a test finds the one that has
// none.

extension ClientPolicy {
    /// A stored property, by its name, and what it may hold.
    struct FieldRange {
        var name: String
        var allows: (ClientPolicy) -> Bool
    }

    static var ranges: [FieldRange] {
        [
            any("profile"), any("features"), duration("attemptTimeLimit", \.attemptTimeLimit), any("sync"),
            any("kickedNeedsLogout"), any("refusesLoginByUser"), any("logoutWithoutLoginFails"),
            any("logoutReportsUnreachedServer"), any("logoutNeedsServer"),
            duration("logoutTimeLimit", \.logoutTimeLimit),
            FieldRange(name: "tokenWarning") { policy in
                switch policy.tokenWarning {
                case .never: true
                case .before(let interval): durations.contains(interval)
                case .afterPerMille(let share): (0...1000).contains(share)
                }
            },
            any("tokenExpiryEndsLogin"), duration("offlineTokenMin", \.offlineTokenMin),
            FieldRange(name: "retryDelays") { policy in
                policy.retryDelays.count <= retryDelayCountMax
                    && policy.retryDelays.allSatisfy { (PolicyLimit.periodMin...PolicyLimit.durationMax).contains($0) }
            },
            FieldRange(name: "retryJitterPerMille") { (0...1_000_000).contains($0.retryJitterPerMille) },
            count("retryCountMax", \.retryCountMax), duration("stableAfter", \.stableAfter),
            duration("interruptionGrace", \.interruptionGrace),
            duration("heartbeatInterval", \.heartbeatInterval, from: PolicyLimit.periodMin),
            duration("heartbeatAnswerLimit", \.heartbeatAnswerLimit),
            duration("requestTimeLimit", \.requestTimeLimit), duration("messageTimeLimit", \.messageTimeLimit),
            duration("readTimeLimit", \.readTimeLimit), count("channelCountMax", \.channelCountMax),
            count("outboxCountMax", \.outboxCountMax), any("announcesLoginSteps"), any("announcesDevices"),
            any("announcesAutologinEnd"), any("osTypes"),
        ]
    }

    /// What no policy can hold, in words; nil when there is nothing.
    public var flaw: String? {
        ClientPolicy.ranges.first { !$0.allows(self) }.map { "its policy's \($0.name) is out of range" }
    }

    private static let retryDelayCountMax = 1000
    private static let durations = Interval.zero...PolicyLimit.durationMax

    private static func any(_ name: String) -> FieldRange { FieldRange(name: name) { _ in true } }

    private static func duration(
        _ name: String, _ place: KeyPath<ClientPolicy, Interval>, from least: Interval = .zero
    ) -> FieldRange {
        FieldRange(name: name) { (least...PolicyLimit.durationMax).contains($0[keyPath: place]) }
    }

    private static func count(_ name: String, _ place: KeyPath<ClientPolicy, Int>) -> FieldRange {
        FieldRange(name: name) { (0...PolicyLimit.countMax).contains($0[keyPath: place]) }
    }
}

extension ClientMachine {
    /// What no machine can have come to, in words; nil when there is nothing. Asked for machines that files hold.
    public var flaw: String? {
        if let flaw = policy.flaw { return flaw }
        if retryCountMax < 0 { return "its retryCountMax is negative" }
        if ownRetryDelays.contains(where: { $0 <= .zero }) { return "its own retry delays are not positive" }
        if let login, login.retryCount < 0 { return "its retryCount is negative" }
        return nil
    }
}
