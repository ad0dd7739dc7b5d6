import Recorder

/// The two worlds in which machines run: over sockets in real time, or in virtual time.
public enum WorldKind: String, CaseIterable, Sendable {
    case live, simulated
}

extension SessionHeader {
    /// What a session says of its world that was read from a log: no machine ran in it.
    public static let observedWorld = "observed"

    /// Whether the session was read from a log, so that there is nothing to replay.
    public var isObserved: Bool { self["world"] == Self.observedWorld }

    /// What a header says of the world that its session was recorded in.
    ///
    /// - Parameters:
    ///   - timeScale: seconds of the world in one of the clock on the wall.
    ///   - isStrict: whether the server knows only the accounts that were made.
    ///   - order: is named only where it is drawn.
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
