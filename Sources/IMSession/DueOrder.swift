/// The order of events that are due at the same time in a simulated world. A real network guarantees no such order,
/// except that the frames of one direction of a connection arrive in the order in which they were sent.
public enum DueOrder: String, Hashable, Sendable, CaseIterable {
    /// Packets before timers, older connections before newer ones, nodes in order of creation.
    case fixed
    /// Random. It depends on the world's seed, and is drawn again at each instant.
    case drawn
}
