import Recorder

/// The kind of world in which machines run: `live` with sockets in real time, or `simulated` in virtual time.
public enum WorldKind: String, CaseIterable, Sendable {
    case live, simulated
}

extension SessionHeader {
    /// The value of the header's key `world` for a session that was read from a log. No machine ran in such a session.
    public static let observedWorld = "observed"

    /// True if the session was read from a log. Such a session cannot be replayed.
    public var isObserved: Bool { self["world"] == Self.observedWorld }

    /// The parameters of the world in which a session is recorded, for the session's header.
    ///
    /// - Parameters:
    ///   - timeScale: the number of world seconds in a second of real time.
    ///   - isStrict: true if users can log in only after their accounts were created.
    ///   - order: the order of simultaneous events. The header contains it only if it is random.
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
