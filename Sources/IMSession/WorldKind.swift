import Recorder

/// The two worlds in which machines run: over sockets in real time, or in virtual time.
public enum WorldKind: String, CaseIterable, Sendable {
    case live, simulated
}

extension SessionHeader {
    /// The header's world of a session that was read from a log: no machine ran in it.
    public static let observedWorld = "observed"

    /// True if the session was read from a log, so that nothing can be replayed.
    public var isObserved: Bool { self["world"] == Self.observedWorld }

    /// The header's parameters of the world in which the session was recorded.
    ///
    /// - Parameters:
    ///   - timeScale: world seconds per second of the real clock.
    ///   - isStrict: true if the server admits only accounts that were created.
    ///   - order: is included only if it is random.
    public static func worldParameters(
        _ kind: WorldKind, seed: UInt64, timeScale: Double = 1, isStrict: Bool = false, order: DueOrder
    ) -> [(key: String, value: String)] {
        let common = [
            ("world", kind.rawValue), ("seed", String(seed)), ("time-scale", "\(timeScale)"),
            ("strict", String(isStrict)),
        ]
        return common + (order == .fixed ? [] : [("order", order.rawValue)])
    }
}
