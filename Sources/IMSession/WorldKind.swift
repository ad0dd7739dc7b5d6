/// The two worlds in which machines run: over sockets in real time, or in virtual time.
public enum WorldKind: String, CaseIterable, Sendable {
    case live, simulated
}
